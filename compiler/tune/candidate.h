// SPDX-License-Identifier: Apache-2.0
// One schedule among those that an operator may have, and what is known of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/fuse/partition.h"
#include "compiler/schedule/templates.h"

namespace hidet::tune {

struct Candidate {
    std::string schedule;          // "matmul_wgmma(block_n=64)", or by_rules
    std::string source = {};       // what records know its template by
    double predicted = 0;          // seconds; 0: not known
    std::optional<double> seconds; // median
    double spread = 0;             // (p90 - p10) / median
    std::optional<double> beside;  // median with the kernels before and behind it, all together
    bool is_recorded = false;      // it was measured before
    bool is_alone = false;         // a process that measured it with others is gone: it is tried alone
    std::string discarded;         // why it is none of those to choose from
};

// A kernel of the model that may have several schedules. Groups of equal signature are one.
struct Operator {
    graph::Group group; // the first of them
    std::string key;    // its signature: what records know it by
    std::string name;   // of the anchor, for people
    std::size_t uses = 0;
    std::vector<graph::NodeId> anchors; // of all of its groups
    std::vector<Candidate> candidates;  // the one of nobody's choice first; without those that were refused
    std::vector<Candidate> refused;
    std::string best; // the schedule; empty: nothing is known that is better than nobody's choice
    const Candidate* find(const std::string& schedule) const;
};

} // namespace hidet::tune
