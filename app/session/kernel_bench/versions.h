// SPDX-License-Identifier: Apache-2.0
// The versions of a script that were measured alike (same function, shapes and device), and which change of its text made it
// slower.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/kernel_bench/history.h"

namespace hidet::session {

// The faster one of two that were measured and are not wrong; else the one that was; of two that were not, the newer.
bool is_better(const RunRecord& run, const RunRecord& than);

// Runs of one text that follow each other.
struct Version {
    std::string hash; // of the text
    RunRecord best;   // of its runs the fastest that is not wrong; none was: the newest
    int runs = 0;
};
std::vector<Version> versions_of(const std::vector<RunRecord>& runs, const std::string& key); // oldest first

// The newest version is slower than an earlier one, beyond the spread of both: between `before`, the last that was as fast,
// and `after`, the first that has been slower ever since, lies the change that did it. Places in the list of versions.
struct Slowdown {
    std::size_t fastest = 0;
    std::size_t before = 0;
    std::size_t after = 0;
    int unknown = 0; // versions between these two that were not measured, or are wrong
    Delta whole;     // the newest beside the fastest
    Delta step;      // after beside before
};
// Nothing: the newest version is as fast as any before it, or cannot be compared with one.
std::optional<Slowdown> slowdown_of(const std::vector<Version>& versions);

} // namespace hidet::session
