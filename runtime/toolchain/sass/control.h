// SPDX-License-Identifier: Apache-2.0
// How an instruction of a GPU from Volta on is scheduled. A word of 128 bits holds, beside what to compute, when its warp may
// go on, which of six counters (barriers) it raises, and which have to be back at zero before it starts: the hardware
// itself waits for nothing else.
#pragma once

#include <cstdint>
#include <string>

namespace hidet::toolchain::sass {

struct Word {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    bool known() const { return low != 0 || high != 0; } // no instruction is all zeros
    friend bool operator==(const Word&, const Word&) = default;
};

inline constexpr int barrier_count = 6;
inline constexpr int no_barrier = -1;

struct Control {
    int stall = 0;          // cycles until this warp may issue again
    bool yields = false;    // to another warp
    int write = no_barrier; // the barrier that is back once the result is written
    int read = no_barrier;  // likewise, once the operands are read
    unsigned wait = 0;      // bit k: issued when nothing is out on barrier k
    unsigned reuse = 0;     // bit k: operand k stays for the next instruction that has it in the same place

    bool waits_for(int barrier) const { return (wait >> barrier & 1u) != 0; }
    int cycles() const { return stall > 1 ? stall : 1; } // that the warp is busy with it, at least
    friend bool operator==(const Control&, const Control&) = default;
};

Control control_of(const Word& word);

// "B01---- R- W2 - S05 a--": waits for barriers 0 and 1, sets 2 for its result, lets no other warp go, stalls for 5 cycles, and
// keeps its first operand at hand.
std::string control_text(const Control& control);
inline constexpr std::size_t control_width = 23; // of that text

} // namespace hidet::toolchain::sass
