// SPDX-License-Identifier: Apache-2.0
// How long a turn of a loop takes at least, and what keeps it from being shorter. A warp alone takes as long as its stalls and
// the results that it waits for; many warps of one scheduler hide that from each other until every cycle issues an
// instruction, or one pipe is always busy. Memory is taken to answer as soon as its nearest level can, so this is a bound
// and no prediction.
#pragma once

#include <vector>

#include "runtime/toolchain/sass/flow.h"
#include "runtime/toolchain/sass/pipes.h"

namespace hidet::toolchain::sass {

struct PipeLoad {
    Pipe pipe{};
    int instructions = 0;
    double cycles = 0; // of one warp's turn; FMA has what goes to its heavy half, too
};

struct LongWait { // of a warp alone
    std::size_t waiter = 0;
    double cycles = 0; // that it stands there
};

struct Turn {
    int instructions = 0;
    int stalls = 0;              // cycles of a warp alone, nothing waited for
    double latency = 0;          // likewise, each result as early as can be
    std::vector<PipeLoad> pipes; // the busiest first
    int predicated = 0;          // instructions that a guard may switch off, branches left out
    int loads = 0;
    int in_flight = 0;           // loads that are out at once, at most
    int bank_conflicts = 0;      // FMUL, FADD, FFMA whose operands are all in one bank
    int bank_cycles = 0;         // that they lose
    std::vector<LongWait> waits; // the longest first
};
// Of these blocks, one after the other: Loop::always for what no turn is shorter than, Loop::own for one that runs it all.
Turn turn_of(const Function& function, const Flow& flow, const std::vector<std::size_t>& blocks, int capability);

enum class BoundBy : std::uint8_t { Latency, Issue, Pipe };
struct Bound {
    double cycles = 0; // of a turn of all these warps
    BoundBy by{};
    Pipe pipe{}; // of BoundBy::Pipe
};
Bound bound_of(const Turn& turn, int warps); // of one scheduler, each its own turn
// The warps from which on more of them hide nothing more.
int warps_to_hide(const Turn& turn);

} // namespace hidet::toolchain::sass
