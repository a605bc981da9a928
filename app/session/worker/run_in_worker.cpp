// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/run_in_worker.h"

#include <csignal>
#include <future>

#include "app/session/worker/compile_pool.h"
#include "app/session/worker/worker_service.h"
#include "runtime/distributed/rendezvous.h"

namespace hidet::session {

namespace {

constexpr std::chrono::milliseconds between_looks{20}; // at the token
constexpr double never = 1e9;                          // seconds: Ctrl-C ends what hangs on this machine
constexpr double of_a_dead_link = 30;                  // seconds: a link that broke somewhere says nothing of it

// What a caller of these functions brings, beside the request.
struct Caller {
    const RemoteWorker& at;
    const std::atomic<bool>* cancelled;
    Service::OnEvent on_event = {};
};

Answer answer_to(JobRequest request, Caller caller) {
    std::promise<Answer> promise;
    std::future<Answer> answer = promise.get_future();
    WorkerOptions options;
    options.command = caller.at.command;
    options.is_remote = !caller.at.command.empty();
    options.silent_seconds = options.is_remote ? of_a_dead_link : never;
    WorkerService service(std::move(options));
    const Ticket ticket = service.submit({std::move(request), "", 0}, std::move(caller.on_event),
                                         [&promise](Answer given) { promise.set_value(std::move(given)); });
    bool is_told = false;
    while (answer.wait_for(between_looks) != std::future_status::ready)
        if (caller.cancelled && caller.cancelled->load(std::memory_order_relaxed) && !std::exchange(is_told, true))
            service.cancel(ticket);
    return answer.get();
}

// Such a process meets the others by an address and their memory, which a confined one has not.
bool is_one_of_several() {
    const auto member = distributed::membership_of(distributed::variable_of_process);
    return member && member.value();
}

void refuse(Outcome& outcome, Status status, const Diagnostic& diagnostic) {
    outcome.status = status;
    outcome.diagnostics.push_back(view_of(diagnostic, SourceMap{}));
}

std::string reason_of(const Answer& answer, const RemoteWorker& at) {
    return at.name.empty() ? answer.reason.message : cat("remote worker ", quote(at.name), ": ", answer.reason.message);
}

// Of a job without a result.
void explain(const Answer& answer, const RemoteWorker& at, Outcome& outcome) {
    const std::string message = reason_of(answer, at);
    switch (answer.ended) {
    case Ended::Answered: return;
    case Ended::Cancelled: outcome.status = Status::Cancelled; return;
    case Ended::Refused:
        if (answer.reason.code == "internal-error")
            return refuse(outcome, Status::Internal, Diagnostic::make(DiagId::InternalFailure, {}, "running", message));
        return refuse(outcome, Status::Environment, Diagnostic::make(DiagId::EnvironmentRefused, {}, message));
    case Ended::WorkerLost:
        if (answer.fault) {
            outcome.status = Status::UserMistake;
            outcome.diagnostics.push_back(*answer.fault);
            return;
        }
        // A process that was killed is the system's doing: it had no memory left. Any other end is a bug of ours, on this machine:
        // a link to another one may break.
        const bool is_ours = at.name.empty() && answer.reason.code == "worker-died" && answer.signal != SIGKILL;
        return refuse(outcome, is_ours ? Status::Internal : Status::Environment,
                      Diagnostic::make(DiagId::EnvironmentRefused, {}, message));
    }
}

template <class Result>
Result result_of(Answer answer, const RemoteWorker& at) {
    if (Result* result = std::get_if<Result>(&answer.result)) {
        result->device_hangs = false; // which was the other process's affair
        return std::move(*result);
    }
    Result result;
    explain(answer, at, result);
    return result;
}

// What the caller is told meanwhile.
Service::OnEvent listener(const std::function<void(std::string_view)>& print,
                          std::function<void(const JobEvent&)> progress = {}) {
    return [print, progress = std::move(progress)](const JobEvent& event) {
        if (event.kind == JobEvent::Kind::Printed && print)
            print(event.text);
        if (event.kind == JobEvent::Kind::Progress && progress)
            progress(event);
    };
}

template <class Result>
Result done_apart(JobRequest request, const RunRequest& run, const RemoteWorker& at) {
    return result_of<Result>(answer_to(std::move(request), {at, run.cancelled, listener(run.print)}), at);
}

template <class Result>
Result model_apart(JobRequest job, const ModelRequest& request, const RemoteWorker& at) {
    std::function<void(const JobEvent&)> progress;
    if (request.progress)
        progress = [tell = request.progress](const JobEvent& event) {
            tell({.what = event.text, .seconds_left = event.seconds_left.value_or(0)});
        };
    const Caller caller{at, request.cancelled, listener(request.print, std::move(progress))};
    return result_of<Result>(answer_to(std::move(job), caller), at);
}

} // namespace

RunResult run_in_worker(const RunRequest& request, const RemoteWorker& at) {
    if (!at.command.empty())
        return done_apart<RunResult>(request, request, at);
    if (info(request.target).emulates)
        return run(request);
    if (request.trusts && is_one_of_several()) {
        RunRequest here = request;
        here.tools = open_confined_tools();
        return run(here);
    }
    return done_apart<RunResult>(request, request, at);
}

BenchResult bench_apart(const BenchRequest& request, const RemoteWorker& at) {
    return done_apart<BenchResult>(request, request.run, at);
}

KernelBenchResult bench_kernel_apart(const KernelBenchRequest& request, const RemoteWorker& at) {
    return done_apart<KernelBenchResult>(request, request.run, at);
}

ModelRunResult run_model_apart(const ModelRunRequest& request, const RemoteWorker& at) {
    if (request.processes > 1) // what is confined shares no memory with others
        return run_model(request);
    return model_apart<ModelRunResult>(request, request, at);
}

ModelBenchResult bench_model_apart(const ModelRunRequest& request, const RemoteWorker& at) {
    if (request.processes > 1)
        return bench_model(request);
    return model_apart<ModelBenchResult>(ModelBenchRequest{request}, request, at);
}

// A kernel that takes its process down costs one process: the records know what was being measured, and the next one goes on
// after it. Each time at least one candidate is done with.
ModelTuneResult tune_model_apart(const ModelRequest& request, const RemoteWorker& at) {
    constexpr int most_processes = 50;
    ModelTuneResult result;
    std::size_t measured = 0;
    for (int i = 0; i < most_processes; ++i) {
        result = model_apart<ModelTuneResult>(ModelTuneRequest{request}, request, at);
        measured += result.measured;
        const bool is_stopped = request.cancelled && request.cancelled->load(std::memory_order_relaxed);
        if (is_stopped || !(result.is_lost || (result.status == Status::Internal && result.operators.empty())))
            break;
    }
    result.measured = measured;
    return result;
}

Result<CountedPages> count_apart(const CountRequest& request, const RemoteWorker& at,
                                 const std::atomic<bool>* cancelled) {
    Answer answer = answer_to(request, {at, cancelled});
    if (CountedPages* pages = std::get_if<CountedPages>(&answer.result))
        return std::move(*pages);
    return Error{answer.reason.code, reason_of(answer, at)};
}

} // namespace hidet::session
