// SPDX-License-Identifier: Apache-2.0
// What a host function launches: how often, with which numbers, and which tensors it hands over.
#pragma once

#include <vector>

#include "compiler/ir/stmt.h"
#include "compiler/perf/launch_shape.h"

namespace hidet::perf {

struct Launch {
    const ir::LaunchStmt* stmt = nullptr;
    SymbolValues sizes; // of dynamic dimensions and the kernel's numbers
    std::vector<const ir::Var*>
        roots;                // by argument: the parameter or variable whose memory it points to; null: not known
    double times = 1;         // in a call
    bool is_at_most = false;  // a condition that is not known decides about some of them
    bool is_at_least = false; // a loop around counts once
};

// In the order of the first times; one that has other numbers each time is several. `known`: values of parameters.
std::vector<Launch> launches_in(const ir::Function& host, const KnownValues& known, const SymbolValues& symbols,
                                const ir::Module& module);

} // namespace hidet::perf
