// SPDX-License-Identifier: Apache-2.0
// What an instruction waits for: each barrier in its mask, back to all that raised it since it was waited for before. Copies
// of `LDGDEPBAR` and matrix products of `gsb0` are counted, too, and `DEPBAR.LE` waits until so many are left.
#pragma once

#include <vector>

#include "runtime/toolchain/sass/flow.h"

namespace hidet::toolchain::sass {

inline constexpr int matrix_barrier = barrier_count; // gsb0, of a warpgroup's products
inline constexpr int all_barriers = barrier_count + 1;

struct Wait {
    std::size_t waiter = 0, setter = 0; // instructions
    int barrier = 0;
    int cycles = 0;        // between them, by stalls, on the shortest way: what is waited for has this long already
    bool is_first = false; // no way from the setter has a wait for it before this one
};

struct Waits {
    std::vector<Wait> arrows; // by waiter, then by setter
    // Waits for what nothing before them raises, by instruction and barrier: never, in what a compiler makes.
    std::vector<std::pair<std::size_t, int>> unanswered;
    // Waits for what was waited for on every way to them: a compiler is careful where lanes meet again.
    std::vector<std::pair<std::size_t, int>> repeated;
};
Waits waits_of(const Function& function, const Flow& flow);

// What an instruction waits for by its own operands: "DEPBAR.LE SB0, 0x2".
struct CountedWait {
    int barrier = no_barrier;
    int left = 0; // that may still be out
};
CountedWait counted_wait(const Instruction& instruction);
bool raises(const Instruction& instruction, int barrier);

} // namespace hidet::toolchain::sass
