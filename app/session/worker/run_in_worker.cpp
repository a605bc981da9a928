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
constexpr double never = 1e9; // seconds: who was stopped by Ctrl-Z has heard nothing either, and Ctrl-C ends what hangs

Answer answer_to(JobRequest request, const std::atomic<bool>* cancelled, Service::OnEvent on_event) {
    std::promise<Answer> promise;
    std::future<Answer> answer = promise.get_future();
    WorkerOptions options;
    options.silent_seconds = never;
    WorkerService service(std::move(options));
    const Ticket ticket = service.submit({std::move(request), "", 0}, std::move(on_event),
                                         [&promise](Answer given) { promise.set_value(std::move(given)); });
    bool is_told = false;
    while (answer.wait_for(between_looks) != std::future_status::ready)
        if (cancelled && cancelled->load(std::memory_order_relaxed) && !std::exchange(is_told, true))
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

// Of a job without a result.
void explain(const Answer& answer, Outcome& outcome) {
    const std::string& message = answer.reason.message;
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
        // A process that was killed is the system's doing: it had no memory left. Any other end is a bug of ours.
        const bool is_ours = answer.reason.code == "worker-died" && answer.signal != SIGKILL;
        return refuse(outcome, is_ours ? Status::Internal : Status::Environment,
                      Diagnostic::make(DiagId::EnvironmentRefused, {}, message));
    }
}

template <class Result>
Result result_of(Answer answer) {
    if (Result* result = std::get_if<Result>(&answer.result)) {
        result->device_hangs = false; // which was the other process's affair
        return std::move(*result);
    }
    Result result;
    explain(answer, result);
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

template <class Result, class Request>
Result model_apart(const Request& job, const ModelRequest& request) {
    std::function<void(const JobEvent&)> progress;
    if (request.progress)
        progress = [tell = request.progress](const JobEvent& event) {
            tell({.what = event.text, .seconds_left = event.seconds_left.value_or(0)});
        };
    return result_of<Result>(answer_to(job, request.cancelled, listener(request.print, std::move(progress))));
}

} // namespace

RunResult run_in_worker(const RunRequest& request) {
    if (info(request.target).emulates)
        return run(request);
    if (request.trusts && is_one_of_several()) {
        RunRequest here = request;
        here.tools = open_confined_tools();
        return run(here);
    }
    return result_of<RunResult>(answer_to(request, request.cancelled, listener(request.print)));
}

BenchResult bench_apart(const BenchRequest& request) {
    return result_of<BenchResult>(answer_to(request, request.run.cancelled, listener(request.run.print)));
}

KernelBenchResult bench_kernel_apart(const KernelBenchRequest& request) {
    return result_of<KernelBenchResult>(answer_to(request, request.run.cancelled, listener(request.run.print)));
}

ModelRunResult run_model_apart(const ModelRunRequest& request) {
    if (request.processes > 1) // what is confined shares no memory with others
        return run_model(request);
    return model_apart<ModelRunResult>(request, request);
}

ModelBenchResult bench_model_apart(const ModelRunRequest& request) {
    return model_apart<ModelBenchResult>(ModelBenchRequest{request}, request);
}

// A kernel that takes its process down costs one process: the records know what was being measured, and the next one goes on
// after it. Each time at least one candidate is done with.
ModelTuneResult tune_model_apart(const ModelRequest& request) {
    constexpr int most_processes = 50;
    ModelTuneResult result;
    std::size_t measured = 0;
    for (int i = 0; i < most_processes; ++i) {
        result = model_apart<ModelTuneResult>(ModelTuneRequest{request}, request);
        measured += result.measured;
        const bool is_stopped = request.cancelled && request.cancelled->load(std::memory_order_relaxed);
        if (is_stopped || !(result.is_lost || (result.status == Status::Internal && result.operators.empty())))
            break;
    }
    result.measured = measured;
    return result;
}

} // namespace hidet::session
