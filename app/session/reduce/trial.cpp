// SPDX-License-Identifier: Apache-2.0
#include "app/session/reduce/trial.h"

#include <algorithm>
#include <future>
#include <set>

#include "app/session/reduce/finding_identity.h"
#include "app/session/worker/worker_service.h"

namespace hidet::session {

namespace {

constexpr std::chrono::milliseconds between_questions{5}; // whether the trial is wanted any more
constexpr double never_silent = 1e9;
constexpr std::size_t most_printed = 1 << 20; // bytes that are compared
constexpr int address_space = 16384;          // MiB of a worker, CUDA's libraries aside

WorkerOptions worker_of(TrialWay way) {
    WorkerOptions options;
    options.command = default_worker_command();
    if (way != TrialWay::Cuda)
        options.command.insert(options.command.end(), {"--no-gpu", "--memory", std::to_string(address_space)});
    options.silent_seconds = never_silent;
    options.grace_seconds = 0.2;
    options.deaths = 1 << 30; // losing it may be what the script is reduced for
    return options;
}

// What no part of the compiler says.
DiagnosticView own_finding(const std::string& id, const std::string& message) {
    DiagnosticView view;
    view.id = id;
    view.message = message;
    view.rendered = cat("error: ", message, " [", id, "]\n");
    return view;
}

Trial lost(const Answer& answer) {
    Trial out;
    out.is_stopped = answer.ended == Ended::Cancelled;
    if (out.is_stopped)
        return out;
    DiagnosticView view = answer.fault ? *answer.fault : own_finding(answer.reason.code, answer.reason.message);
    std::string identity = view.id + " " + std::to_string(answer.signal);
    out.findings.push_back({std::move(view), std::move(identity)});
    return out;
}

Trial found(const Outcome& outcome, const std::string& text, const RunResult* run) {
    Trial out;
    out.is_refused = outcome.status == Status::Environment;
    for (const DiagnosticView& view : outcome.diagnostics)
        out.findings.push_back({view, finding_identity(view, text, run)});
    std::ranges::stable_sort(out.findings, {}, [](const TrialFinding& each) { return each.view.severity; });
    return out;
}

std::string first_identity(const Trial& trial) {
    return trial.findings.empty() ? "" : trial.findings.front().identity;
}

std::string all_ids(const Trial& trial) {
    std::set<std::string> ids;
    for (const TrialFinding& each : trial.findings)
        ids.insert(each.view.id);
    return join(std::vector<std::string>(ids.begin(), ids.end()), " ");
}

std::string words_of(const Trial& trial, const std::string& printed) {
    if (!trial.findings.empty())
        return cat("says '", trial.findings.front().view.message, "'");
    return printed.empty() ? "prints nothing" : cat("prints '", printed.substr(0, printed.find('\n')), "'");
}

} // namespace

Trier::Trier(const ReduceRequest& request, TrialWay way, std::uint64_t max_steps)
    : m_request(request), m_way(way), m_max_steps(max_steps),
      m_service(std::make_unique<WorkerService>(worker_of(way))) {}

Trier::~Trier() = default;

Answer Trier::ask(JobRequest job, const IsStopped& is_stopped) {
    auto promise = std::make_shared<std::promise<Answer>>();
    std::future<Answer> answer = promise->get_future();
    m_printed.clear();
    const Ticket ticket = m_service->submit(
        {std::move(job), "", m_request.trial_seconds},
        [this](const JobEvent& event) {
            if (event.kind == JobEvent::Kind::Printed && m_printed.size() < most_printed)
                m_printed += event.text;
        },
        [promise](Answer given) { promise->set_value(std::move(given)); });
    bool is_told = false;
    while (answer.wait_for(between_questions) != std::future_status::ready)
        if (!is_told && is_stopped()) {
            is_told = true;
            m_service->cancel(ticket);
        }
    return answer.get();
}

Trial Trier::check(const std::string& text, const IsStopped& is_stopped) {
    ScriptCheckRequest request;
    request.source = m_request.source;
    request.source.text = text;
    request.calls = m_request.calls;
    request.fault = m_request.fault;
    const Answer answer = ask(std::move(request), is_stopped);
    const auto* result = result_in<ScriptCheckResult>(answer);
    return result ? found(*result, text, nullptr) : lost(answer);
}

RunRequest Trier::run_of(const std::string& text, Target target, EmulatorChecks checks) const {
    RunRequest request;
    request.source = m_request.source;
    request.source.text = text;
    request.target = target;
    request.all_checks = checks == EmulatorChecks::All;
    if (checks == EmulatorChecks::All)
        request.order = m_request.order, request.orders = m_request.orders;
    else
        request.seed = m_request.order.value_or(0);
    request.max_steps = m_max_steps;
    request.max_bytes = m_request.max_bytes;
    request.fault = m_request.fault;
    return request;
}

Trial Trier::run(const std::string& text, Target target, EmulatorChecks checks, const IsStopped& is_stopped) {
    const Answer answer = ask(run_of(text, target, checks), is_stopped);
    const auto* result = result_in<RunResult>(answer);
    if (result && result->device_hangs)
        m_service->restart();
    return result ? found(*result, text, result) : lost(answer);
}

// What one of the two finds and the other does not, or what they print.
Trial Trier::compare(const std::string& text, const IsStopped& is_stopped) {
    const Trial one = run(text, Target::Emulate, EmulatorChecks::Bounds, is_stopped);
    const std::string emulated = m_printed;
    if (one.is_stopped || one.is_refused)
        return one;
    const Trial other = run(text, Target::Cpu, EmulatorChecks::Bounds, is_stopped);
    const std::string compiled = m_printed;
    if (other.is_stopped || other.is_refused)
        return other;
    const std::string left = first_identity(one), right = first_identity(other);
    const bool cannot_run = !other.findings.empty() && other.findings.front().view.is(DiagId::KernelNeedsGpu);
    if (cannot_run || (left == right && emulated == compiled))
        return {};
    // What nobody wrote, and races, may be anything in both: a script that has none of them does not get one.
    const Trial checked = run(text, Target::Emulate, EmulatorChecks::All, is_stopped);
    if (checked.is_stopped)
        return checked;
    Trial out;
    out.findings.push_back(
        {own_finding("targets-differ",
                     cat("the emulator ", words_of(one, emulated), ", and compiled C++ ", words_of(other, compiled))),
         cat("targets-differ\n", left, "\n", right, "\n", all_ids(checked), left == right ? "\nprints" : "")});
    return out;
}

Trial Trier::attempt(const std::string& text, const IsStopped& is_stopped) {
    switch (m_way) {
    case TrialWay::Check: return check(text, is_stopped);
    case TrialWay::Difference: return compare(text, is_stopped);
    case TrialWay::Emulate: return run(text, Target::Emulate, EmulatorChecks::All, is_stopped);
    case TrialWay::Cpu: return run(text, Target::Cpu, EmulatorChecks::Bounds, is_stopped);
    case TrialWay::Cuda: return run(text, Target::Cuda, EmulatorChecks::Bounds, is_stopped);
    }
    return {};
}

} // namespace hidet::session
