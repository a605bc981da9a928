// SPDX-License-Identifier: Apache-2.0
#include "app/session/package/package_run.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>

#include "app/session/compare/call_memory.h"
#include "app/session/package/package_file.h"
#include "app/session/work/refusal.h"
#include "compiler/ir/dtype.h"
#include "lang/base/text.h"
#include "runtime/capi/dtypes.h"
#include "runtime/capi/package.h"

namespace hidet::session {

bool is_package(const std::string& path) {
    return path.ends_with(".hidet");
}

PackageFault fault_of(const hidet_error& error) {
    switch (error.status) {
    case HIDET_NO_FILE: return PackageFault::Missing;
    case HIDET_DAMAGED:
    case HIDET_OTHER_VERSION: return PackageFault::Damaged;
    case HIDET_CANCELLED: return PackageFault::Cancelled;
    case HIDET_NOT_TRUSTED: return PackageFault::NotTrusted;
    case HIDET_BAD_ARGUMENT: return PackageFault::WrongUsage;
    case HIDET_BAD_INPUT:
    case HIDET_REFUSED:
    case HIDET_FAILED: return PackageFault::Mistake;
    default: return PackageFault::Environment;
    }
}

std::string reason_of(const hidet_error& error) {
    constexpr std::string_view before = " cannot be read: ";
    const std::string_view message = error.message;
    const std::size_t at = message.rfind(before);
    return std::string(at == std::string_view::npos ? message : message.substr(at + before.size()));
}

std::string message_of(const hidet_error& error) {
    return error.message;
}

void report_package(Work& work, DiagnosticSink& sink, const hidet_error& error, const std::string& path, Span site) {
    const std::string message = message_of(error);
    switch (fault_of(error)) {
    case PackageFault::Cancelled: return;
    case PackageFault::Missing: return sink.report(DiagId::FileUnreadable, site, path, reason_of(error));
    case PackageFault::Damaged: return sink.report(DiagId::FileUnreadable, site, path, message);
    case PackageFault::NotTrusted:
        return sink.report(DiagId::BadValue, site,
                           cat(message, ": 'trust=True' allows it here, and '--trust' wherever a script loads one"));
    case PackageFault::WrongUsage:
    case PackageFault::Mistake: return sink.report(DiagId::BadValue, site, message);
    case PackageFault::Environment: report_environment(work, sink, {"package-not-run", message}, site);
    }
}

namespace {

bool refuse(hidet_error& error, hidet_status status, const std::string& message) {
    error = {status, {}};
    message.copy(error.message, sizeof error.message - 1);
    return false;
}

constexpr hidet_allocator poisoned_memory = {
    nullptr,
    [](void*, hidet_device, std::size_t bytes, std::size_t alignment, void*) {
        void* memory = std::aligned_alloc(alignment, bytes);
        if (memory)
            poison(static_cast<std::byte*>(memory), bytes);
        return memory;
    },
    [](void*, hidet_device, void* memory, std::size_t, void*) { std::free(memory); }};

} // namespace

struct PackageRun::State {
    explicit State(PackageOptions given) : options(std::move(given)) {}
    ~State() { hidet_destroy(context); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    bool open(hidet_error& error) { return file.open(options.path, error); }
    bool read_plan(hidet_error& error);
    bool create(hidet_error& error);
    bool create_on(std::int32_t type, hidet_error& error);
    hidet_status exchange(const hidet_exchange& what, hidet_error& error) noexcept;
    bool run(hidet_error& error);

    const PackageOptions options;
    PackageFile file; // outlives the context
    hidet_context* context = nullptr;
    artifact::LaunchPlan plan;
    std::vector<PackageStep> steps;
    std::exception_ptr thrown; // while the others were waited for: the library is left alone by exceptions
    bool is_on_gpu = false;
};

bool PackageRun::State::read_plan(hidet_error& error) {
    auto& opened = *reinterpret_cast<capi::Package*>(file.get());
    const auto& variants = opened.manifest().variants;
    const auto* variant = variants.begin();
    if (!options.entry.empty())
        variant = std::find_if(variants.begin(), variants.end(), [&](const auto& each) {
            return std::string_view(each.entry.data(), each.entry.size()) == options.entry;
        });
    if (variant == variants.end())
        return refuse(error, HIDET_BAD_ARGUMENT, cat("the package has no entry '", options.entry, "'"));
    capi::Bytes bytes;
    package::Problem problem;
    if (opened.member(opened.manifest().members[variant->plan].name, bytes, problem)) {
        Result<artifact::LaunchPlan> read =
            artifact::plan_from_bytes(std::string(reinterpret_cast<const char*>(bytes.data), bytes.count));
        if (read) {
            plan = std::move(read).value();
            return true;
        }
    }
    return refuse(error, HIDET_DAMAGED, "its plan cannot be read");
}

bool PackageRun::State::create_on(std::int32_t type, hidet_error& error) {
    hidet_context_options asked = {};
    asked.size = sizeof asked;
    asked.entry = options.entry.empty() ? nullptr : options.entry.c_str();
    asked.device = {type, type == HIDET_CUDA ? options.group.gpu : 0};
    asked.threads = options.group.threads;
    asked.runs_native_code = options.trusts ? 1 : 0;
    if (options.is_stopped) {
        asked.is_cancelled = [](void* self) { return static_cast<State*>(self)->options.is_stopped() ? 1 : 0; };
        asked.is_cancelled_self = this;
    }
    if (options.is_poisoned && type == HIDET_CPU)
        asked.allocator = &poisoned_memory;
    if (options.is_timed) {
        asked.profile = [](void* self, const hidet_step_time* step) {
            static_cast<State*>(self)->steps.push_back({step->name, step->microseconds});
        };
        asked.profile_self = this;
    }
    if (options.group.exchange) {
        asked.exchange = [](void* self, const hidet_exchange* what, hidet_error* error) {
            return static_cast<State*>(self)->exchange(*what, *error);
        };
        asked.exchange_self = this;
        asked.stream = type == HIDET_CUDA ? options.group.stream : nullptr;
        asked.exchanges_on_gpu = asked.stream != nullptr;
    }
    is_on_gpu = type == HIDET_CUDA;
    return hidet_create(file.get(), &asked, &context, &error) == HIDET_OK;
}

hidet_status PackageRun::State::exchange(const hidet_exchange& what, hidet_error& error) noexcept {
    try {
        const Result<void> done = options.group.exchange(what);
        if (done)
            return HIDET_OK;
        const bool is_cancelled = done.error().code == "cancelled";
        refuse(error, is_cancelled ? HIDET_CANCELLED : HIDET_FAILED, done.error().message);
    } catch (...) {
        thrown = std::current_exception();
        refuse(error, HIDET_CANCELLED, "");
    }
    return static_cast<hidet_status>(error.status);
}

bool PackageRun::State::run(hidet_error& error) {
    const bool is_done = hidet_run(context, nullptr, &error) == HIDET_OK && hidet_wait(context, &error) == HIDET_OK;
    if (thrown)
        std::rethrow_exception(std::exchange(thrown, nullptr));
    return is_done;
}

bool PackageRun::State::create(hidet_error& error) {
    switch (options.target) {
    case Target::Emulate:
        return refuse(error, HIDET_BAD_ARGUMENT,
                      cat("'", options.path, "' holds machine code, which the emulator does not run"));
    case Target::Cpu: return create_on(HIDET_CPU, error);
    case Target::Cuda: return create_on(HIDET_CUDA, error);
    case Target::Auto: break;
    }
    if (create_on(HIDET_CUDA, error))
        return true;
    if (error.status != HIDET_NO_DEVICE && error.status != HIDET_UNSUPPORTED)
        return false;
    hidet_error on_cpu;
    if (create_on(HIDET_CPU, on_cpu))
        return true;
    if (on_cpu.status != HIDET_UNSUPPORTED) // it has code for it
        error = on_cpu;
    return false;
}

PackageRun::PackageRun(std::unique_ptr<State> state) : m_state(std::move(state)) {}
PackageRun::~PackageRun() = default;

std::vector<PackageEntry> PackageRun::entries(const std::string& path, hidet_error& error) {
    std::vector<PackageEntry> out;
    State all({path, "", Target::Auto});
    error = {};
    if (!all.open(error))
        return {};
    for (const auto& variant : reinterpret_cast<capi::Package*>(all.file.get())->manifest().variants) {
        const std::string name(variant.entry.data(), variant.entry.size());
        if (!out.empty() && out.back().name == name)
            continue;
        State one({path, name, Target::Auto});
        if (!one.open(error) || !one.read_plan(error))
            return {};
        out.push_back({name, std::move(one.plan)});
    }
    return out;
}

std::optional<PackageContent> PackageRun::content(const std::string& path, hidet_error& error) {
    State state({path, "", Target::Auto});
    if (!state.open(error))
        return std::nullopt;
    PackageContent out;
    const auto& manifest = reinterpret_cast<capi::Package*>(state.file.get())->manifest();
    for (const auto& variant : manifest.variants)
        out.entries.emplace_back(variant.entry.data(), variant.entry.size());
    std::vector<std::uint64_t> sums;
    for (const auto& member : manifest.members)
        sums.insert(sums.end(), {member.low, member.high});
    out.checksum = package::checksum_of(sums.data(), sums.size() * sizeof(std::uint64_t));
    return out;
}

std::unique_ptr<PackageRun> PackageRun::open(PackageOptions options, hidet_error& error) {
    auto state = std::make_unique<State>(std::move(options));
    if (!state->open(error) || !state->read_plan(error) || !state->create(error))
        return nullptr;
    return std::unique_ptr<PackageRun>(new PackageRun(std::move(state)));
}

const artifact::LaunchPlan& PackageRun::plan() const {
    return m_state->plan;
}

std::string PackageRun::where() const {
    return hidet_runs_on(m_state->context);
}

bool PackageRun::is_on_gpu() const {
    return m_state->is_on_gpu;
}

bool PackageRun::bind(const Tensors& inputs, hidet_error& error) {
    std::vector<hidet_tensor> tensors;
    for (const lang::TensorRef& input : inputs) {
        const capi::DTypeRow* dtype = capi::find_dtype(package::text(ir::info(input->dtype).name));
        tensors.push_back({const_cast<std::byte*>(reinterpret_cast<const std::byte*>(input->read())),
                           {HIDET_CPU, 0},
                           static_cast<std::int32_t>(input->shape.size()),
                           dtype ? dtype->dtype : hidet_dtype{},
                           input->shape.data(),
                           nullptr,
                           0});
    }
    return hidet_bind(m_state->context, tensors.data(), tensors.size(), &error) == HIDET_OK;
}

bool PackageRun::run(hidet_error& error) {
    return m_state->run(error);
}

std::vector<PackageStep> PackageRun::take_steps() {
    return std::exchange(m_state->steps, {});
}

std::optional<Tensors> PackageRun::outputs(hidet_error& error) {
    Tensors out;
    for (std::size_t i = 0; i < hidet_output_count(m_state->context); ++i) {
        hidet_tensor made = {};
        if (hidet_output(m_state->context, i, &made, &error) != HIDET_OK)
            return std::nullopt;
        lang::TensorRef tensor(new lang::Tensor());
        tensor->dtype = ir::find_dtype(capi::find_dtype(made.dtype)->name).value();
        tensor->shape.assign(made.shape, made.shape + made.ndim);
        const auto bytes = static_cast<std::size_t>(tensor->count()) * made.dtype.bits / 8;
        tensor->storage = std::make_shared<lang::Storage>(std::max<std::size_t>(bytes, 1));
        if (hidet_read_output(m_state->context, i, tensor->storage->write(), bytes, &error) != HIDET_OK)
            return std::nullopt;
        out.push_back(std::move(tensor));
    }
    return out;
}

} // namespace hidet::session
