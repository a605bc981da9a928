// SPDX-License-Identifier: Apache-2.0
// Which registers each instruction reads and writes, and which are live there: nvdisasm's table of life ranges as data.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "runtime/toolchain/sass/program.h"

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

// One row for each instruction of a function; none where nvdisasm said nothing of it.
using RegisterTable = std::vector<RegisterRow>;

// What `nvdisasm -lrm narrow` says of these functions, in their order.
std::vector<RegisterTable> read_registers(std::string_view text, const std::vector<Function>& functions);

} // namespace hidet::toolchain::sass
