// SPDX-License-Identifier: Apache-2.0
// Which registers each instruction reads and writes, and which are live there.
#pragma once

#include <array>
#include <vector>

#include "runtime/toolchain/sass/flow.h"

namespace hidet::toolchain::sass {

enum class RegisterKind : std::uint8_t { General, Predicate, Uniform, UniformPredicate };
inline constexpr std::size_t register_kinds = 4;

struct Register {
    RegisterKind kind{};
    std::uint16_t number = 0;
    friend auto operator<=>(const Register&, const Register&) = default;
};

struct RegisterRow {                          // of an instruction
    std::array<int, register_kinds> live{};   // how many
    std::vector<Register> reads, writes, all; // all: live there, read or written
};

// One row for each instruction of a function.
using RegisterTable = std::vector<RegisterRow>;

// By the operands of the instructions and by all ways through the function: a register is live from where it is written to
// where it is read last. The stack pointer, R1, is live to the end.
RegisterTable registers_of(const Function& function, const Flow& flow);

} // namespace hidet::toolchain::sass
