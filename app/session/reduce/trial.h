// SPDX-License-Identifier: Apache-2.0
// One script, tried in a worker process: what is found in it, and what has to be the same of two findings.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/reduce/reduce.h"
#include "app/session/worker/jobs.h"

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
    Trier(const ReduceRequest& request, TrialWay way, std::uint64_t max_steps);
    ~Trier();
    Trier(const Trier&) = delete;
    Trier& operator=(const Trier&) = delete;

    using IsStopped = std::function<bool()>;
    Trial attempt(const std::string& text, const IsStopped& is_stopped);

private:
    Answer ask(JobRequest job, const IsStopped& is_stopped);
    Trial check(const std::string& text, const IsStopped& is_stopped);
    enum class EmulatorChecks : std::uint8_t { Bounds, All };
    RunRequest run_of(const std::string& text, Target target, EmulatorChecks checks) const;
    Trial run(const std::string& text, Target target, EmulatorChecks checks, const IsStopped& is_stopped);
    Trial compare(const std::string& text, const IsStopped& is_stopped);

    const ReduceRequest& m_request;
    TrialWay m_way;
    std::uint64_t m_max_steps;
    std::unique_ptr<Service> m_service;
    std::string m_printed; // by the script that was tried last
};

} // namespace hidet::session
