// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/perform.h"

#include <chrono>
#include <new>

#include "app/session/explain/check_script.h"
#include "app/session/tools/tools.h"
#include "lang/base/text.h"
#include "runtime/toolchain/z3.h"

namespace hidet::session {

namespace {

// One overload for each row of jobs.def.

// The cache stands in front of us, in the process that asks: looking there again could wait for a lock that it holds.
Result<toolchain::CompileResult> do_job(toolchain::CompileRequest request, const JobContext& context) {
    request.cancelled = &context.cancelled;
    return context.tools->toolchain().uncached().compile(request);
}

Result<toolchain::SolverAnswer> do_job(const SolveRequest& job, const JobContext& context) {
    const toolchain::Finding found = context.tools->toolchain().locate(toolchain::Tool::Z3);
    if (found.state != toolchain::State::Found)
        return Error{"solver-missing", cat(found.problem, ": ", found.advice)};
    HIDET_TRY(const std::shared_ptr<toolchain::Z3> solver, toolchain::Z3::open(found.path));
    return solver->ask(job.question);
}

Result<WarmUpResult> do_job(const WarmUpRequest&, const JobContext& context) {
    HIDET_TRY_TO(context.tools->toolchain().warm_up());
    return WarmUpResult{};
}

// What scripts and models have in common.
template <class Request>
void connect_calls(Request& request, const JobContext& context) {
    request.tools = context.tools;
    request.cancelled = &context.cancelled;
    if (!context.on_event)
        return;
    request.print = [&context](std::string_view text) {
        context.on_event({JobEvent::Kind::Printed, std::string(text), std::nullopt});
    };
    request.calling = [&context](const DiagnosticView* fault) {
        JobEvent event{JobEvent::Kind::Calling, "", std::nullopt};
        if (fault)
            event.fault = *fault;
        context.on_event(event);
    };
}

void connect(RunRequest& request, const JobContext& context) {
    connect_calls(request, context);
}

Result<ScriptCheckResult> do_job(const ScriptCheckRequest& job, const JobContext& context) {
    PreviewRequest request;
    request.source = job.source;
    request.calls = job.calls;
    request.texts = Keep::Nothing;
    request.fault = job.fault;
    request.cancelled = &context.cancelled;
    return ScriptCheckResult{check_script(request)};
}

Result<RehearsalResult> do_job(const RehearsalRequest& job, const JobContext& context) {
    return rehearse(job, &context.cancelled, [&](std::uint64_t steps) {
        JobEvent event{JobEvent::Kind::Stepped, "", std::nullopt};
        event.steps = steps;
        if (context.on_event)
            context.on_event(event);
    });
}

Result<RunResult> do_job(RunRequest request, const JobContext& context) {
    connect(request, context);
    return run(request);
}

Result<BenchResult> do_job(BenchRequest request, const JobContext& context) {
    connect(request.run, context);
    return bench(request);
}

Result<KernelBenchResult> do_job(KernelBenchRequest request, const JobContext& context) {
    connect(request.run, context);
    if (context.on_event)
        request.progress = [&context](const KernelBenchProgress& progress) {
            context.on_event({JobEvent::Kind::Progress, progress.text, progress.fraction});
        };
    return bench_kernel(request);
}

// Steps of a model are many and short: what is told of them is told ten times a second at most.
class ModelNews {
public:
    explicit ModelNews(const JobContext& context) : m_context(context) {}
    void hear(const ModelProgress& progress) {
        const auto now = Clock::now();
        if (progress.what == m_what && now - m_told < std::chrono::milliseconds(100))
            return;
        m_what = progress.what;
        m_told = now;
        JobEvent event{JobEvent::Kind::Progress, progress_text(progress), std::nullopt};
        if (progress.total > 0)
            event.fraction = static_cast<double>(progress.done) / static_cast<double>(progress.total);
        if (progress.done > 0)
            event.seconds_left = progress.seconds_left;
        m_context.on_event(event);
    }

private:
    using Clock = std::chrono::steady_clock;
    const JobContext& m_context;
    std::string m_what;
    Clock::time_point m_told;
};

void connect(ModelRequest& request, const JobContext& context) {
    connect_calls(request, context);
    if (!context.on_event)
        return;
    request.progress = [news = std::make_shared<ModelNews>(context)](const ModelProgress& progress) {
        news->hear(progress);
    };
}

Result<ModelCompileResult> do_job(ModelRequest request, const JobContext& context) {
    connect(request, context);
    return compile_model(request);
}

Result<ModelRunResult> do_job(ModelRunRequest request, const JobContext& context) {
    connect(request, context);
    return run_model(request);
}

Result<ModelBenchResult> do_job(ModelBenchRequest request, const JobContext& context) {
    connect(request.run, context);
    return bench_model(request.run);
}

Result<ModelTuneResult> do_job(ModelTuneRequest request, const JobContext& context) {
    connect(request.model, context);
    if (!request.share.is_one)
        return tune_model(request.model);
    tune::Share share{.keys = {request.share.keys.begin(), request.share.keys.end()}};
    HIDET_TRY(share.records, tune::Records::open(tune::in_memory));
    HIDET_TRY([[maybe_unused]] const std::size_t known, share.records->merge(request.share.known));
    share.measured = [&](const tune::KeyedRecord& row) {
        if (context.on_event)
            context.on_event({JobEvent::Kind::Recorded, tune::line_of(row), std::nullopt});
    };
    return tune_model(request.model, &share);
}

Result<DoctorReport> do_job(const FactsRequest&, const JobContext& context) {
    return examine(*context.tools);
}

Result<CountedPages> do_job(const CountRequest& job, const JobContext& context) {
    return count_here(job, *context.tools, &context.cancelled);
}

Answer refused(std::string code, std::string message) {
    return {Ended::Refused, {}, {std::move(code), std::move(message)}, {}};
}

template <class Request>
Answer answer_to(const Request& request, const JobContext& context) {
    auto result = do_job(request, context);
    if (!result)
        return refused(result.error().code, result.error().message);
    return {Ended::Answered, std::move(result).value(), {}, {}};
}

} // namespace

static bool needs_tools(JobKind kind) {
    return kind == JobKind::Compile || kind == JobKind::WarmUp || kind == JobKind::Solve || kind == JobKind::Facts ||
           kind == JobKind::Count;
}

Answer perform(const JobRequest& request, const JobContext& context) {
    if (context.elsewhere && needs_tools(kind_of(request)))
        return context.elsewhere(request, context.cancelled);
    Answer answer;
    try {
        answer = std::visit([&](const auto& alternative) { return answer_to(alternative, context); }, request);
    } catch (const std::bad_alloc&) {
        answer = refused("out-of-memory", "the machine has no memory left");
    } catch (const std::exception& error) {
        answer = refused("internal-error", error.what());
    }
    if (context.cancelled.load(std::memory_order_relaxed)) {
        answer.ended = Ended::Cancelled;
        answer.reason = {};
    }
    return answer;
}

bool device_hangs(const Answer& answer) {
    return std::visit(
        [](const auto& result) {
            if constexpr (std::is_base_of_v<Outcome, std::remove_cvref_t<decltype(result)>>)
                return result.device_hangs;
            else
                return false;
        },
        answer.result);
}

} // namespace hidet::session
