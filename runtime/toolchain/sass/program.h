// SPDX-License-Identifier: Apache-2.0
// Machine code as instructions: what analyses read, beside the listing that people read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/toolchain/sass/control.h"

namespace hidet::toolchain::sass {

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
