// SPDX-License-Identifier: Apache-2.0
// Loads that a compiler may do once before a loop, and hold in registers: in its turns nothing can write what they read, be it
// this thread, or another one at a barrier. In doubt a load is none of them.
#pragma once

#include <unordered_map>
#include <vector>

#include "compiler/analysis/access/access_map.h"

namespace hidet::compiler::access {

// Of the loops around a load, from the outside in: over which it may be held, if its address is the same in each turn.
struct HeldOver {
    struct Loop {
        bool may_hold = false;
        std::int64_t trips = 0; // 0: not a constant
    };
    std::vector<Loop> loops;
};

// By the expression that loads.
struct LoopInvariantLoads {
    std::unordered_map<const ir::Node*, HeldOver> of_shared, of_global;
};
LoopInvariantLoads held_loads(const ir::Function& kernel);
void hold(Access& access, const HeldOver& over);

} // namespace hidet::compiler::access
