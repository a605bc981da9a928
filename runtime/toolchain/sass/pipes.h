// SPDX-License-Identifier: Apache-2.0
// Which unit takes an instruction, and for how long.
#pragma once

#include "runtime/toolchain/sass/program.h"

namespace hidet::toolchain::sass {

enum class Pipe : std::uint8_t {
#define HIDET_PIPE(name, ...) name,
#include "runtime/toolchain/sass/pipes.def"
};
inline constexpr std::size_t pipe_count = 0
#define HIDET_PIPE(name, ...) +1
#include "runtime/toolchain/sass/pipes.def"
    ;

const char* pipe_name(Pipe pipe);                // "FMA heavy"
bool is_known_opcode(std::string_view opcode);   // the table has it
Pipe pipe_of(std::string_view opcode);           // "FFMA.FTZ"; Other: of no bounded rate, or not known
bool is_spill(const Instruction& instruction);   // a register kept on the stack
bool is_convert(const Instruction& instruction); // from one type to another, bytes picked included
bool is_load(const Instruction& instruction);    // from memory to registers or to shared memory

// The bytes that one lane moves.
int lane_bytes(const Instruction& instruction);

// Cycles that the pipe is taken by one warp, of a GPU of this compute capability (90): a warp of four, where the schedulers
// share a unit and all want it.
double pipe_cycles(const Instruction& instruction, int capability);

// Cycles from issue until what is waited for by a barrier can be there, at the soonest.
double least_latency(const Instruction& instruction, int capability);

} // namespace hidet::toolchain::sass
