// SPDX-License-Identifier: Apache-2.0
// What would make a loop faster, by rules that name their evidence.
#pragma once

#include "app/session/explain/explain.h"
#include "compiler/artifact/target_spec.h"
#include "compiler/perf/pipes.h"

namespace hidet::session {

// What an access does in a turn of a block.
struct LoopAccess {
    const AccessView* view = nullptr; // what is known of it in the whole kernel
    double requests = 0, bytes = 0;
    double units = 0, least = 0;
    bool is_shared() const { return view->memory == "shared"; }
    double cycles() const { return perf::memory_cycles(is_shared(), requests, units); }
};

struct LoopFacts {
    const LoopView& loop;
    std::vector<LoopAccess> accesses;
    double warps = 0; // of a block
    const artifact::TargetSpec& target;
    double matrix_rate = 0; // FLOP of a multiprocessor in a cycle, by matrix units that could take the loop's floats
    double arithmetic_rate = 0; // likewise, by its other units
};

struct LoopRuleInfo {
    const char* name = "";
    const char* what = "";
};
const std::vector<LoopRuleInfo>& all_loop_rules();

// The edits that gain most first.
std::vector<LoopAdvice> advice_on(const LoopFacts& facts);

} // namespace hidet::session
