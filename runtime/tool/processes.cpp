// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/processes.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <thread>

#include <unistd.h>

#include "lang/base/text.h"
#include "runtime/distributed/file_store.h"
#include "runtime/distributed/rendezvous.h"
#include "runtime/distributed/shared_entry.h"
#include "runtime/operators/elements.h"
#include "runtime/process/spawn.h"
#include "runtime/tool/dtypes.h"

namespace hidet::tool {

using distributed::Elements;
using nlohmann::json;

namespace {

constexpr const char* meeting_variable = "HIDET_RUN_MEETING";
constexpr double to_answer = 600; // seconds, of a process that lives

std::vector<std::string> entries_of(const json& description) {
    std::vector<std::string> names;
    for (const json& entry : description.value("entries", json::array()))
        names.push_back(entry.value("name", ""));
    return names;
}

template <class T>
T met(Result<T> result) {
    if (!result)
        throw Stop{exit_environment, result.error().message};
    if constexpr (!std::is_void_v<T>)
        return std::move(result).value();
}

// Equal parts of the first dimension, one for each process.
std::vector<std::byte*> parts_of(const Elements& whole, std::size_t part_bytes, int count) {
    std::vector<std::byte*> parts;
    for (int i = 0; i < count; ++i)
        parts.push_back(whole.data + static_cast<std::size_t>(i) * part_bytes);
    return parts;
}

Result<void> exchange_in(distributed::ProcessGroup& group, const hidet_exchange& what, const Elements& given,
                         const Elements& made) {
    const std::string_view name = what.what;
    const auto reduction = distributed::find_reduction(what.reduction).value_or(distributed::Reduction::Sum);
    const std::size_t item = static_cast<std::size_t>(package::scalar_bytes(given.dtype));
    const auto list = [&](const Elements& whole, std::size_t part_bytes) {
        return parts_of(whole, part_bytes, group.size());
    };
    const auto of_one_tensor = [](const std::vector<std::byte*>& parts) {
        distributed::ProcessGroup::List out(parts);
        out.is_of_one_tensor = true;
        return out;
    };
    if (name == "AllReduce")
        return group.all_reduce(given, made.data, reduction);
    if (name == "BroadcastFrom")
        return group.broadcast(made, what.root);
    if (name == "AllGather") {
        const auto parts = list(made, given.count() * item);
        return group.all_gather(given, of_one_tensor(parts));
    }
    if (name == "ReduceScatter") {
        const auto parts = list(given, made.count() * item);
        return group.reduce_scatter(of_one_tensor(parts), made, reduction);
    }
    std::vector<std::int64_t> shape(given.shape.begin(), given.shape.end());
    shape[0] /= group.size();
    const Elements one{given.dtype, shape, given.data};
    const auto from = list(given, one.count() * item), into = list(made, one.count() * item);
    return group.all_to_all(of_one_tensor(from), one, of_one_tensor(into));
}

} // namespace

Processes::Processes(const json& description, Arguments& arguments) {
    const auto shared = distributed::shared_entry(entries_of(description), arguments.entry);
    if (!shared)
        return;
    m_size = shared->size;
    if (m_size > distributed::most_sharing)
        throw Stop{exit_usage,
                   cat("the package is of ", m_size, " processes, and ", distributed::most_sharing, " are the most")};
    meet(arguments);
    arguments.entry = shared->of(m_rank);
    if (arguments.threads == 0)
        arguments.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / m_size);
}

void Processes::meet(Arguments& arguments) {
    const auto started = met(distributed::membership_of(distributed::variable_of_process));
    if (started && started->size != m_size)
        throw Stop{exit_usage, cat("the package is of ", m_size, " processes, and this is one of ", started->size)};
    const auto place = distributed::variable_of_process(meeting_variable);
    const std::string method = started ? place.value_or("env://") : "file://" + start_others();
    const distributed::Membership member = started.value_or(distributed::Membership{0, m_size, 0});
    m_rank = member.rank;
    arguments.gpu = member.local_rank;
    const distributed::Patience patience(to_answer, [this] {
        return !m_group && std::ranges::any_of(m_others, [](const auto& each) { return each->has_ended(); });
    });
    m_store = met(distributed::open_store(method, member, patience, distributed::variable_of_process));
    auto group = distributed::make_shared_memory_group(*m_store, {"world", m_rank, m_size, patience});
    if (!group && group.error().code == "cancelled") {
        wait(); // which says why
        throw Stop{exit_environment, "another process of the package has ended"};
    }
    m_group = met(std::move(group));
    m_store->all_are_here();
}

std::string Processes::start_others() {
    std::error_code failed;
    m_meeting = cat(std::filesystem::temp_directory_path(failed).string(), "/hidet-run-", getpid());
    std::filesystem::remove(m_meeting, failed);
    for (int rank = 1; rank < m_size; ++rank) {
        process::Program program{.words = process::own_command()};
        program.variables = {cat("RANK=", rank), cat("LOCAL_RANK=", rank), cat("WORLD_SIZE=", m_size),
                             cat(meeting_variable, "=file://", m_meeting)};
        m_others.push_back(met(process::Child::start(program)));
        m_others.back()->input() = process::Descriptor();
    }
    return m_meeting;
}

void Processes::wait() {
    constexpr auto patience = std::chrono::seconds(10);
    for (std::size_t i = 0; i < m_others.size(); ++i) {
        const std::optional<process::Ending> ending = m_others[i]->end(patience);
        if (ending && !ending->by_signal && ending->number == exit_fine)
            continue;
        char said[4096];
        const ssize_t count = ::read(m_others[i]->errors().get(), said, sizeof said);
        const std::string_view words(said, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        throw Stop{exit_wrong, cat("rank ", i + 1, " failed", words.empty() ? "" : ": ", trimmed(words))};
    }
}

Processes::~Processes() {
    std::error_code ignored;
    if (!m_meeting.empty())
        std::filesystem::remove(m_meeting, ignored);
}

void Processes::join(runtime::ModelOptions& options) {
    if (!m_group)
        return;
    options.exchange = [this](const hidet_exchange& what, std::string& why) { return perform(what, why); };
    if (options.device.type == HIDET_CUDA && !m_gpu)
        m_gpu = met(GpuExchange::open(*m_group, options.device.id));
    options.exchanges_on_gpu = options.device.type == HIDET_CUDA && m_gpu;
    options.stream = options.exchanges_on_gpu ? m_gpu->stream() : nullptr;
}

void Processes::check() const {
    if (const auto fault = m_gpu ? m_gpu->fault() : std::nullopt)
        throw Stop{exit_wrong, fault->message};
}

Result<void> Processes::exchange(const hidet_exchange& what, package::Scalar scalar) {
    const auto elements = [&](const hidet_tensor& tensor) {
        return Elements{scalar, std::span<const std::int64_t>(tensor.shape, static_cast<std::size_t>(tensor.ndim)),
                        static_cast<std::byte*>(tensor.data)};
    };
    const Elements given = elements(*what.given), made = elements(*what.made);
    const bool is_on_gpu = what.given->device.type == HIDET_CUDA;
    if (what.what == std::string_view("BroadcastFrom")) {
        const std::size_t bytes = given.count() * static_cast<std::size_t>(package::scalar_bytes(scalar));
        if (!is_on_gpu)
            std::copy_n(given.data, bytes, made.data);
        else if (auto copied = m_gpu->copy(made.data, given.data, bytes); !copied)
            return copied;
    }
    HIDET_TRY(distributed::MeetingGroup* const group,
              m_group->only(*m_store, distributed::partners_of(m_rank, what.size, what.step)));
    if (!is_on_gpu)
        return exchange_in(*group, what, given, made);
    HIDET_TRY(distributed::ProcessGroup* const on_gpu, m_gpu->of(*group));
    return exchange_in(*on_gpu, what, given, made);
}

hidet_status Processes::perform(const hidet_exchange& what, std::string& why) {
    const DType* dtype = find_dtype(what.given->dtype);
    package::Scalar scalar{};
    if (!dtype || !operators::find_element(package::text(dtype->name), scalar)) {
        why = "processes exchange no elements of such a type";
        return HIDET_UNSUPPORTED;
    }
    const Result<void> done = exchange(what, scalar);
    if (done)
        return HIDET_OK;
    why = done.error().message;
    return HIDET_FAILED;
}

} // namespace hidet::tool
