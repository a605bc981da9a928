// SPDX-License-Identifier: Apache-2.0
// How many registers in a row an operand takes: the text of an instruction names the first.
#pragma once

#include "runtime/toolchain/sass/program.h"

namespace hidet::toolchain::sass {

enum class OperandRole : std::uint8_t { Result, A, B, C }; // A: the first that is read

// Of an operand that is one value; addresses say their own width.
int width_of(const Instruction& instruction, OperandRole role);
// Of the base of an address in uniform registers ([UR4] of a copy by the tensor unit has its coordinates behind it).
int address_width(const Instruction& instruction, std::size_t operand);

} // namespace hidet::toolchain::sass
