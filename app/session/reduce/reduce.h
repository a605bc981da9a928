// SPDX-License-Identifier: Apache-2.0
// A smaller script that shows the same finding: hierarchical delta debugging (Misherghi and Su, "HDD", ICSE 2006) over the syntax tree, with
// the sweeps of ddmin (Zeller and Hildebrandt, TSE 28, 2002) over the statements of each level. Candidates are tried in worker processes, and
// of those that show the finding the first in order counts, so that the result does not depend on which process was faster.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/session/request/source.h"
#include "app/session/snapshot/outcome.h"

namespace hidet::session {

enum class TrialWay : std::uint8_t {
#define HIDET_TRIAL_WAY(name, word, command) name,
#include "app/session/reduce/trial_ways.def"
};
struct TrialWayInfo {
    TrialWay way{};
    const char* name = "";
    const char* command = "";
};
const std::vector<TrialWayInfo>& all_trial_ways();
const TrialWayInfo& info(TrialWay way);

struct ReduceProgress {
    std::size_t tries = 0;
    int lines = 0; // of the smallest script so far
};

struct ReduceRequest {
    Source source;
    std::vector<std::string> calls;     // of kernel factories, where it is checked
    std::string keep;                   // words of the finding's message; empty: any
    std::string code;                   // its id; empty: any
    std::optional<TrialWay> way;        // nothing: the first one that finds something
    std::optional<std::uint64_t> order; // as of RunRequest; its seed is that of random tensors for the other ways
    int orders = 1;
    std::uint64_t max_steps = 0; // 0: the least of some limits with which the finding is still there
    std::uint64_t max_bytes = 0;
    double trial_seconds = 60; // of one candidate; one that takes longer shows a finding of its own
    double deadline = 0;       // seconds until the smallest script so far has to do; 0: none
    int workers = 0;           // 0: one for each core
    std::string version;       // of this program, for the comment
    std::string fault;
    const std::atomic<bool>* cancelled = nullptr;
    std::function<void(const ReduceProgress&)> progress; // from this thread
};

struct ReduceResult : Outcome {
    std::string text; // with a comment that says what it shows; empty: the diagnostics say why not
    TrialWay way{};
    DiagnosticView finding; // of the smaller script
    int lines_before = 0, lines_after = 0;
    bool is_smallest = true; // false: the deadline or the token came first
};

// Needs `hidetc worker` (worker/worker_service.h).
ReduceResult reduce(const ReduceRequest& request);

} // namespace hidet::session
