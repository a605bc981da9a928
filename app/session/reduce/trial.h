// SPDX-License-Identifier: Apache-2.0
// One script, tried in a worker process: what is found in it, and what has to be the same of two findings.
#pragma once

#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/kernel_bench/run.h"
#include "app/session/reduce/reduce.h"
#include "app/session/worker/jobs.h"
#include "app/session/worker/worker_service.h"
#include "lang/base/ascii.h"
#include "lang/base/source.h"
#include "lang/base/text.h"

namespace hidet::session {

class Service;

struct TrialFinding {
    DiagnosticView view;
    // Equal for findings of one kind in one place: the id, the message without numbers, shapes and threads, and of a check what is
    // checked and how its tensors are wrong, since any script fails a check that does nothing any more.
    std::string identity;
};
struct Trial {
    std::vector<TrialFinding> findings; // errors before the rest
    bool is_stopped = false;
    bool is_refused = false; // by the environment
};

// Tries one script after another. A process that is lost is replaced.
class Trier {
public:
    Trier(const ReduceRequest& request, TrialWay way, std::uint64_t max_steps)
        : m_request(request), m_way(way), m_max_steps(max_steps),
          m_service(std::make_unique<WorkerService>(worker_of(way))) {}
    ~Trier() = default;
    Trier(const Trier&) = delete;
    Trier& operator=(const Trier&) = delete;

    using IsStopped = std::function<bool()>;
    Trial attempt(const std::string& text, const IsStopped& is_stopped) {
        switch (m_way) {
        case TrialWay::Check: return check(text, is_stopped);
        case TrialWay::Difference: return compare(text, is_stopped);
        case TrialWay::Emulate: return run(text, Target::Emulate, EmulatorChecks::All, is_stopped);
        case TrialWay::Cpu: return run(text, Target::Cpu, EmulatorChecks::Bounds, is_stopped);
        case TrialWay::Cuda: return run(text, Target::Cuda, EmulatorChecks::Bounds, is_stopped);
        }
        return {};
    }

private:
    // What has to be the same of two findings for them to be one.
    static bool is_name_part(char c) { return is_name_byte(c) || c == '.'; }
    // Names stay, expressions do not: they get smaller.
    static std::string quoted_kind(std::string_view words) {
        return std::ranges::all_of(words, is_name_part) ? cat("'", words, "'") : "''";
    }

    // Where the bracket at this place is closed.
    static std::size_t end_of_bracket(std::string_view text, std::size_t at) {
        int depth = 0;
        for (std::size_t i = at; i < text.size(); ++i) {
            depth += text[i] == '(' || text[i] == '[';
            depth -= text[i] == ')' || text[i] == ']';
            if (depth == 0)
                return i + 1;
        }
        return text.size();
    }

    static std::string_view without_tail(std::string_view message) {
        for (const char* tail : {"; did you mean", ", like ", "; worst at"})
            message = message.substr(0, message.find(tail));
        if (message.ends_with(" more") || message.ends_with(" times more"))
            message = message.substr(0, message.rfind(", and "));
        return message;
    }

    // The text that a diagnostic marks.
    static std::string marked(const Place& place, std::string_view script) {
        if (!place.known())
            return "";
        const SourceFile file("", std::string(script));
        const auto offset = [&](int line, int column) {
            if (line > file.line_count())
                return static_cast<std::uint32_t>(file.text().size());
            std::uint32_t at = file.line_start(line);
            for (int i = 1; i < column && at < file.text().size(); ++at)
                i += at + 1 >= file.text().size() || (static_cast<unsigned char>(file.text()[at + 1]) & 0xc0) != 0x80;
            return at;
        };
        const std::uint32_t begin = offset(place.line, place.column), end = offset(place.end_line, place.end_column);
        return begin < end ? file.text().substr(begin, end - begin) : "";
    }

    static std::string comparison_kind(const Comparison& comparison) {
        constexpr std::int64_t few = 10; // one in as many
        std::string out = comparison.bad == comparison.count ? "all" : "some";
        out += comparison.bad * few <= comparison.count ? ", few" : "";
        out += comparison.got_nan > 0 ? " nan" : "";
        out += comparison.never_written > 0 ? " unwritten" : "";
        out += comparison.got == 0 ? " zero" : "";
        return out + (comparison.wanted == 0 ? " wants-zero" : "");
    }

    static bool is_check(const DiagnosticView& finding) {
        return finding.is(DiagId::AssertionFailed) || finding.is(DiagId::TensorsDiffer) ||
               finding.is(DiagId::UncaughtException);
    }

    // A message without what changes with the size of a script: numbers, shapes, threads, how often, what was meant.
    static std::string message_kind(std::string_view message) {
        message = without_tail(message);
        std::string out;
        for (std::size_t i = 0; i < message.size();) {
            const char c = message[i];
            const bool begins_word = out.empty() || !is_name_part(out.back());
            const std::size_t quote = c == '\'' && begins_word ? message.find('\'', i + 1) : std::string::npos;
            if (quote != std::string::npos) {
                out += quoted_kind(message.substr(i + 1, quote - i - 1));
                i = quote + 1;
            } else if (c == '(' || c == '[') {
                i = end_of_bracket(message, i);
                out += c == '[' ? "[]" : "";
            } else if (is_digit(c) && begins_word) {
                while (i < message.size() && is_name_part(message[i]))
                    ++i;
                out += '#';
            } else if (c == ' ' && (out.empty() || out.back() == ' ')) {
                ++i;
            } else {
                out += c;
                ++i;
            }
        }
        return out;
    }

    // `script` is the text that the diagnostic is about; `run` is null where nothing ran.
    static std::string finding_identity(const DiagnosticView& finding, std::string_view script, const RunResult* run) {
        std::string out = finding.id + "\n";
        if (!is_check(finding))
            return out + message_kind(finding.message);
        // Of a check the message says little, and a script that computes nothing fails it as well.
        std::string text = marked(finding.place, script);
        std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || is_digit(c); });
        out += text;
        if (!run)
            return out;
        out += run->summary.launches > 0 ? "\nlaunches" : "";
        out += run->summary.calls + run->summary.native_calls > 0 ? "\ncalls" : "";
        for (const Comparison& comparison : run->comparisons)
            out += "\n" + comparison_kind(comparison);
        return out;
    }

    static constexpr std::chrono::milliseconds between_questions{5}; // whether the trial is wanted any more
    static constexpr double never_silent = 1e9;
    static constexpr std::size_t most_printed = 1 << 20; // bytes that are compared
    static constexpr int address_space = 16384;          // MiB of a worker, CUDA's libraries aside
    static WorkerOptions worker_of(TrialWay way) {
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
    static DiagnosticView own_finding(const std::string& id, const std::string& message) {
        DiagnosticView view;
        view.id = id;
        view.message = message;
        view.rendered = cat("error: ", message, " [", id, "]\n");
        return view;
    }

    static Trial lost(const Answer& answer) {
        Trial out;
        out.is_stopped = answer.ended == Ended::Cancelled;
        if (out.is_stopped)
            return out;
        DiagnosticView view = answer.fault ? *answer.fault : own_finding(answer.reason.code, answer.reason.message);
        std::string identity = view.id + " " + std::to_string(answer.signal);
        out.findings.push_back({std::move(view), std::move(identity)});
        return out;
    }

    static Trial found(const Outcome& outcome, const std::string& text, const RunResult* run) {
        Trial out;
        out.is_refused = outcome.status == Status::Environment;
        for (const DiagnosticView& view : outcome.diagnostics)
            out.findings.push_back({view, finding_identity(view, text, run)});
        std::ranges::stable_sort(out.findings, {}, [](const TrialFinding& each) { return each.view.severity; });
        return out;
    }

    static std::string first_identity(const Trial& trial) {
        return trial.findings.empty() ? "" : trial.findings.front().identity;
    }

    static std::string all_ids(const Trial& trial) {
        std::set<std::string> ids;
        for (const TrialFinding& each : trial.findings)
            ids.insert(each.view.id);
        return join(std::vector<std::string>(ids.begin(), ids.end()), " ");
    }

    static std::string words_of(const Trial& trial, const std::string& printed) {
        if (!trial.findings.empty())
            return cat("says '", trial.findings.front().view.message, "'");
        return printed.empty() ? "prints nothing" : cat("prints '", printed.substr(0, printed.find('\n')), "'");
    }

    Answer ask(JobRequest job, const IsStopped& is_stopped) {
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

    Trial check(const std::string& text, const IsStopped& is_stopped) {
        ScriptCheckRequest request;
        request.source = m_request.source;
        request.source.text = text;
        request.calls = m_request.calls;
        request.fault = m_request.fault;
        const Answer answer = ask(std::move(request), is_stopped);
        const auto* result = result_in<ScriptCheckResult>(answer);
        return result ? found(*result, text, nullptr) : lost(answer);
    }

    enum class EmulatorChecks : std::uint8_t { Bounds, All };
    RunRequest run_of(const std::string& text, Target target, EmulatorChecks checks) const {
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

    Trial run(const std::string& text, Target target, EmulatorChecks checks, const IsStopped& is_stopped) {
        const Answer answer = ask(run_of(text, target, checks), is_stopped);
        const auto* result = result_in<RunResult>(answer);
        if (result && result->device_hangs)
            m_service->restart();
        return result ? found(*result, text, result) : lost(answer);
    }

    // What one of the two finds and the other does not, or what they print.
    Trial compare(const std::string& text, const IsStopped& is_stopped) {
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
            {own_finding("targets-differ", cat("the emulator ", words_of(one, emulated), ", and compiled C++ ",
                                               words_of(other, compiled))),
             cat("targets-differ\n", left, "\n", right, "\n", all_ids(checked), left == right ? "\nprints" : "")});
        return out;
    }

    const ReduceRequest& m_request;
    TrialWay m_way;
    std::uint64_t m_max_steps;
    std::unique_ptr<Service> m_service;
    std::string m_printed; // by the script that was tried last
};

} // namespace hidet::session
