// SPDX-License-Identifier: Apache-2.0
// Many random programs in one module, and what the virtual machine makes of each.
#pragma once

#include "compiler/artifact/program.h"
#include "tests/unit/passes/random_program.h"

namespace hidet::test {

struct ManyPrograms {
    std::vector<std::string> names; // of the functions (x: ~i32, y: ~i32, n: i32) that begin them
    ir::ModuleRef on_host;          // as host functions of block 2
    ir::ModuleRef on_gpu;           // as kernels
};
ManyPrograms many_programs(std::size_t count);

struct ProgramMemory {
    std::vector<std::int32_t> x, y; // 64 numbers each
    std::string printed, failure;
    ProgramMemory();
};
inline constexpr std::int64_t program_argument = 3; // n
inline constexpr std::int64_t program_block = 2;
ProgramMemory run_on_machine(const artifact::Program& program, const std::string& name);

} // namespace hidet::test
