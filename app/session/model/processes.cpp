// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/processes.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include <unistd.h>

#include "app/session/package/graph_file.h"
#include "app/session/package/package_run.h"
#include "app/session/script/communication.h"
#include "app/session/script/engine.h"
#include "lang/base/text.h"
#include "runtime/capi/hidet_runtime.h"
#include "runtime/distributed/rendezvous.h"
#include "runtime/process/spawn.h"

namespace hidet::session {

namespace {

constexpr const char* meeting_variable = "HIDET_MODEL_MEETING";
constexpr double patience = 1800; // seconds, of the process that compiles fastest

using GroupRef = Ref<lang::ProcessGroup>;

// Those in which this process exchanges, by the numbers that graphs have for them.
Result<std::map<std::int64_t, GroupRef>> groups_of(const GroupRef& all, const graph::Processes& processes) {
    std::map<std::int64_t, GroupRef> groups = {{0, all}};
    const auto join = [&](std::int64_t number, const std::vector<int>& ranks, const char* name) -> Result<void> {
        HIDET_TRY(groups[number], all->part({"", patience, ranks, cat(number, name, ranks.front())}));
        return {};
    };
    const auto join_partners = [&](std::int64_t step, int size) {
        return join(step, distributed::partners_of(processes.rank, size, static_cast<int>(step)), " apart from ");
    };
    if (processes.replica_group != 0)
        HIDET_TRY_TO(join_partners(processes.replica_group, processes.in_replica()));
    if (processes.batch_group != 0)
        HIDET_TRY_TO(join_partners(processes.batch_group, processes.replicas));
    if (processes.group_before != 0)
        HIDET_TRY_TO(join(processes.group_before, {processes.rank - 1, processes.rank}, " behind "));
    if (processes.group_behind != 0)
        HIDET_TRY_TO(join(processes.group_behind, {processes.rank, processes.rank + 1}, " behind "));
    return groups;
}

} // namespace

Result<std::unique_ptr<ModelProcesses>> ModelProcesses::start(ModelRequest& request) {
    HIDET_TRY(const auto started, distributed::membership_of(distributed::variable_of_process));
    if (started && started->size != request.processes)
        return Error{"usage",
                     cat("the model is of ", request.processes, " processes, and this is one of ", started->size)};
    if (request.processes > most_processes)
        return Error{"usage",
                     cat("the model is of ", request.processes, " processes, and ", most_processes, " are the most")};
    std::unique_ptr<ModelProcesses> processes(new ModelProcesses);
    processes->m_rank = started ? started->rank : 0;
    request.rank = processes->m_rank;
    if (started) {
        request.meeting = distributed::variable_of_process(meeting_variable).value_or("env://");
    } else {
        HIDET_TRY_TO(processes->start_others(request.processes));
        request.meeting = "file://" + processes->m_meeting;
        request.is_left = [self = processes.get()] { return self->has_lost_one(); };
    }
    return processes;
}

Result<void> ModelProcesses::start_others(int count) {
    std::error_code failed;
    m_meeting = cat(std::filesystem::temp_directory_path(failed).string(), "/hidet-model-", getpid());
    std::filesystem::remove(m_meeting, failed);
    for (int rank = 1; rank < count; ++rank) {
        process::Program program{.words = process::own_command()};
        program.variables = {cat("RANK=", rank), cat("LOCAL_RANK=", rank), cat("WORLD_SIZE=", count),
                             cat(meeting_variable, "=file://", m_meeting)};
        HIDET_TRY(auto child, process::Child::start(program));
        child->input() = process::Descriptor();
        m_others.push_back(std::move(child));
    }
    return {};
}

bool ModelProcesses::has_lost_one() {
    return std::ranges::any_of(m_others, [](const auto& child) { return child->has_ended(); });
}

std::string ModelProcesses::wait(std::chrono::milliseconds patience) {
    std::string said;
    for (std::size_t i = 0; i < m_others.size(); ++i) {
        const std::optional<process::Ending> ending = m_others[i]->end(patience);
        if (!said.empty() || (ending && !ending->by_signal && ending->number == 0))
            continue;
        said = cat("process ", i + 1, " of the model failed");
        char text[4096];
        if (const ssize_t count = ::read(m_others[i]->errors().get(), text, sizeof text); count > 0)
            said += cat(": ", std::string_view(text, static_cast<std::size_t>(count)));
    }
    m_others.clear();
    return said;
}

ModelProcesses::~ModelProcesses() {
    std::error_code ignored;
    if (!m_meeting.empty())
        std::filesystem::remove(m_meeting, ignored);
}

int processes_of_package(const std::string& path, const std::string& entry) {
    if (!is_package(path) || first_member_of(path) == graph_member)
        return 0;
    hidet_error error;
    const std::optional<PackageContent> content = PackageRun::content(path, error);
    if (!content)
        return 0;
    const auto shared = distributed::shared_entry(content->entries, entry);
    return shared ? shared->size : 1;
}

graph::Processes processes_of(const ModelRequest& request) {
    graph::Processes processes{request.processes, request.rank, request.replicas};
    if (request.replicas > 1 && processes.in_replica() > 1) {
        processes.replica_group = 1;
        processes.batch_group = processes.in_replica();
    }
    processes.stages = request.stages;
    processes.parts = request.parts;
    if (request.stages > 1) { // a pair has the number of its second stage
        processes.group_before = request.rank;
        processes.group_behind = request.rank + 1 < request.stages ? request.rank + 1 : 0;
    }
    return processes;
}

bool meet_others(Work& work, const ModelRequest& request, ScriptEngine& engine, const std::string& backend) {
    if (request.meeting.empty()) // nothing is run, or by one process
        return true;
    work.enter("meeting the other processes");
    const auto has_met = std::make_shared<bool>(false); // from then on the group sees by itself who ends
    const auto communication = make_communication(
        {.is_program = true,
         .is_cancelled = [&work, has_met,
                          is_left = request.is_left] { return work.stopped() || (!*has_met && is_left && is_left()); },
         .gpu = [&engine] { return engine.own_gpu(); },
         .tools = request.tools});
    auto group = communication->join({.backend = engine.own_gpu() ? backend : "",
                                      .init_method = request.meeting,
                                      .store = {},
                                      .timeout = patience,
                                      .rank = request.rank,
                                      .size = request.processes});
    if (!group) {
        work.sink.report(DiagId::GroupFailed, {},
                         group.error().code == "cancelled" ? "another process of the model has ended"
                                                           : group.error().message);
        return false;
    }
    auto groups = groups_of(group.value(), processes_of(request));
    if (!groups) {
        work.sink.report(DiagId::GroupFailed, {}, groups.error().message);
        return false;
    }
    *has_met = true;
    engine.place = {request.rank, request.processes};
    engine.exchange = [communication, joined = std::move(groups).value()](std::int64_t number,
                                                                          const lang::Exchange& what) {
        return joined.at(number)->exchange(what);
    };
    return true;
}

Result<void> take_slowest(lang::Engine& engine, std::vector<double>& seconds) {
    lang::TensorRef all(new lang::Tensor());
    all->dtype = ir::DType::F64;
    all->shape = {static_cast<std::int64_t>(seconds.size())};
    const std::size_t bytes = seconds.size() * sizeof(double);
    all->storage = std::make_shared<lang::Storage>(std::max<std::size_t>(bytes, 1));
    std::memcpy(all->data(), seconds.data(), bytes);
    HIDET_TRY_TO(engine.exchange(0, {.what = lang::Collective::AllReduce, .tensor = all, .reduction = "max"}));
    std::memcpy(seconds.data(), all->read(), bytes);
    return {};
}

} // namespace hidet::session
