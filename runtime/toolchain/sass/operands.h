// SPDX-License-Identifier: Apache-2.0
// The operands of an instruction as registers.
#pragma once

#include <array>
#include <bitset>

#include "runtime/toolchain/sass/registers.h"

namespace hidet::toolchain::sass {

inline constexpr std::array<std::size_t, register_kinds> register_counts = {256, 16, 256, 16};
inline constexpr std::size_t all_registers = 256 + 16 + 256 + 16;
using RegisterSet = std::bitset<all_registers>; // by kind, then by number

std::size_t place_of_register(Register name);
std::vector<Register> names_in(const RegisterSet& set);

struct Operands {
    RegisterSet reads, writes;
};
// The guard is read as well.
Operands operands_of(const Instruction& instruction);

} // namespace hidet::toolchain::sass
