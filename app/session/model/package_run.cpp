// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/package_run.h"

#include <algorithm>
#include <cstring>

#include "app/session/work/refusal.h"
#include "compiler/ir/dtype.h"
#include "lang/base/text.h"
#include "runtime/capi/dtypes.h"
#include "runtime/capi/package.h"

namespace hidet::session {

namespace {

// "'x.hidet' cannot be read: no such file": the name is told already.
std::string reason_of(std::string_view message) {
    constexpr std::string_view before = " cannot be read: ";
    const std::size_t at = message.rfind(before);
    return std::string(at == std::string_view::npos ? message : message.substr(at + before.size()));
}

} // namespace

bool is_package(const std::string& path) {
    return path.ends_with(".hidet");
}

struct PackageRun::State {
    State(Work& work, const ModelRunRequest& request) : work(work), request(request) {}
    ~State() {
        hidet_destroy(context);
        hidet_close(package);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    // What the library cannot do is the file's fault, the caller's, or this machine's.
    bool refuse(const hidet_error& error) const {
        switch (error.status) {
        case HIDET_NO_FILE: work.sink.report(DiagId::FileUnreadable, {}, request.path, reason_of(error.message)); break;
        case HIDET_DAMAGED:
        case HIDET_OTHER_VERSION: work.sink.report(DiagId::FileUnreadable, {}, request.path, error.message); break;
        case HIDET_CANCELLED: break;
        case HIDET_BAD_INPUT:
        case HIDET_REFUSED:
        case HIDET_FAILED: work.sink.report(DiagId::BadValue, {}, error.message); break;
        case HIDET_NOT_TRUSTED:
            work.sink.report(DiagId::BadValue, {}, cat(error.message, ": '--trust' allows it"));
            work.status = Status::WrongUsage;
            break;
        default: report_environment(work, work.sink, {"package-not-run", error.message});
        }
        return false;
    }
    bool open() {
        hidet_error error;
        return hidet_open_file(request.path.c_str(), nullptr, &package, &error) == HIDET_OK || refuse(error);
    }
    bool read_plan();
    bool create();
    bool create(std::int32_t type, hidet_error& error);

    Work& work;
    const ModelRunRequest& request;
    hidet_package* package = nullptr;
    hidet_context* context = nullptr;
    artifact::LaunchPlan plan;
    std::vector<TraceEvent> events;
    std::size_t runs = 0;
    bool is_on_gpu = false;
};

bool PackageRun::State::read_plan() {
    auto& opened = *reinterpret_cast<capi::Package*>(package);
    const package::PackageVariant<package::Flat>& variant = opened.manifest().variants[0];
    capi::Bytes bytes;
    package::Problem problem;
    if (opened.member(opened.manifest().members[variant.plan].name, bytes, problem)) {
        Result<artifact::LaunchPlan> read =
            artifact::plan_from_bytes(std::string(reinterpret_cast<const char*>(bytes.data), bytes.count));
        if (read) {
            plan = std::move(read).value();
            return true;
        }
    }
    work.sink.report(DiagId::FileUnreadable, {}, request.path, "its plan cannot be read");
    return false;
}

bool PackageRun::State::create(std::int32_t type, hidet_error& error) {
    hidet_context_options options = {};
    options.size = sizeof options;
    options.device = {type, 0};
    options.runs_native_code = request.trusts ? 1 : 0;
    options.is_cancelled = [](void* self) { return static_cast<State*>(self)->work.stopped() ? 1 : 0; };
    options.is_cancelled_self = this;
    if (!request.trace.empty()) {
        options.profile = [](void* self, const hidet_step_time* step) {
            auto& events = static_cast<State*>(self)->events;
            TraceEvent event;
            event.name = step->name;
            event.start_us = events.empty() ? 0 : events.back().start_us + events.back().duration_us;
            event.duration_us = step->microseconds;
            events.push_back(std::move(event));
        };
        options.profile_self = this;
    }
    is_on_gpu = type == HIDET_CUDA;
    return hidet_create(package, &options, &context, &error) == HIDET_OK;
}

bool PackageRun::State::create() {
    hidet_error error;
    if (request.target == Target::Emulate) {
        work.sink.report(DiagId::BadValue, {},
                         cat("'", request.path, "' holds machine code, which the emulator does not run"));
        work.status = Status::WrongUsage;
        return false;
    }
    if (request.target != Target::Cpu && create(HIDET_CUDA, error))
        return true;
    const bool may_be_cpu =
        request.target == Target::Cpu ||
        (request.target == Target::Auto && (error.status == HIDET_NO_DEVICE || error.status == HIDET_UNSUPPORTED));
    return (may_be_cpu && create(HIDET_CPU, error)) || refuse(error);
}

PackageRun::PackageRun(std::unique_ptr<State> state) : m_state(std::move(state)) {}
PackageRun::~PackageRun() = default;

std::unique_ptr<PackageRun> PackageRun::open(Work& work, const ModelRunRequest& request) {
    work.enter("loading the package");
    Work::Clock clock(work, "load");
    auto state = std::make_unique<State>(work, request);
    if (!state->open() || !state->read_plan() || !state->create())
        return nullptr;
    return std::unique_ptr<PackageRun>(new PackageRun(std::move(state)));
}

const artifact::LaunchPlan& PackageRun::plan() const {
    return m_state->plan;
}

std::string PackageRun::where() const {
    return hidet_runs_on(m_state->context);
}

bool PackageRun::has_graph() const {
    return m_state->is_on_gpu;
}

bool PackageRun::bind(const Tensors& inputs) {
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
    hidet_error error;
    return hidet_bind(m_state->context, tensors.data(), tensors.size(), &error) == HIDET_OK || m_state->refuse(error);
}

bool PackageRun::run() {
    hidet_error error;
    ++m_state->runs;
    return (hidet_run(m_state->context, nullptr, &error) == HIDET_OK &&
            hidet_wait(m_state->context, &error) == HIDET_OK) ||
           m_state->refuse(error);
}

std::vector<TraceEvent> PackageRun::take_events() {
    return std::exchange(m_state->events, {});
}

std::optional<Tensors> PackageRun::outputs() {
    Tensors out;
    hidet_error error;
    for (std::size_t i = 0; i < hidet_output_count(m_state->context); ++i) {
        hidet_tensor made = {};
        if (hidet_output(m_state->context, i, &made, &error) != HIDET_OK) {
            m_state->refuse(error);
            return std::nullopt;
        }
        lang::TensorRef tensor(new lang::Tensor());
        tensor->dtype = ir::find_dtype(capi::find_dtype(made.dtype)->name).value();
        tensor->shape.assign(made.shape, made.shape + made.ndim);
        const auto bytes = static_cast<std::size_t>(tensor->count()) * made.dtype.bits / 8;
        tensor->storage = std::make_shared<lang::Storage>(std::max<std::size_t>(bytes, 1));
        if (hidet_read_output(m_state->context, i, tensor->storage->write(), bytes, &error) != HIDET_OK) {
            m_state->refuse(error);
            return std::nullopt;
        }
        out.push_back(std::move(tensor));
    }
    return out;
}

} // namespace hidet::session
