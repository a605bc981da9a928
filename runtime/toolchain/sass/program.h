// SPDX-License-Identifier: Apache-2.0
// Machine code as instructions: what analyses read, beside the listing that people read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hidet::toolchain::sass {

struct Word {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    bool known() const { return low != 0 || high != 0; } // no instruction is all zeros
    friend bool operator==(const Word&, const Word&) = default;
};

inline constexpr int barrier_count = 6;
inline constexpr int no_barrier = -1;

// How an instruction of a GPU from Volta on is scheduled. A word of 128 bits holds, beside what to compute, when its warp may
// go on, which of six counters (barriers) it raises, and which have to be back at zero before it starts: the hardware
// itself waits for nothing else.
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

struct Instruction {
    std::uint32_t address = 0; // in its function
    std::string guard;         // "@!P0"
    std::string opcode;        // "IMAD.WIDE.U32"
    std::string operands;      // "R14, R24.reuse, 0x4, R12", labels left out
    Word word;                 // not known where nvdisasm gave none
    Control control;
    std::vector<std::size_t> targets; // the instructions of this function that its operands name by their labels
    std::size_t line = 0;             // of the listing, from 0

    bool is(std::string_view base) const { // "IMAD" is one, "IMADX" is none
        return opcode.starts_with(base) && (opcode.size() == base.size() || opcode[base.size()] == '.');
    }
    bool has(std::string_view modifier) const; // "WIDE"
};

// A kernel with the functions that are called in it.
struct Function {
    std::string name;
    std::vector<Instruction> code;
};

// "@P0  IMAD.WIDE.U32 R14, R24, 0x4, R12" is a guard, an opcode and operands.
void split_instruction(std::string_view text, Instruction& into);

} // namespace hidet::toolchain::sass
