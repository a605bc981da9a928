// SPDX-License-Identifier: Apache-2.0
// Random modules for tests of passes: a kernel `k(x, y, n)` over a tensor x: i32[8, 8], a pointer y and a number, and device
// functions that it calls. Loops, mappings, slices, protected accesses, breaks and calls in all positions; every index is in
// bounds unless it is protected, every loop ends.
#pragma once

#include "tests/unit/passes/support.h"

namespace hidet::test {

inline constexpr std::int64_t tensor_extent = 8;
inline constexpr std::int64_t pointer_extent = 64;

ir::ModuleRef random_program(Random& random);
// The same with `n` blocks, so that no mapping has too many workers.
ir::ModuleRef with_open_grid(const ir::ModuleRef& module);

// A random mapping of that rank; its extents are small constants.
ir::MappingRef random_mapping(Random& random, std::size_t rank);

} // namespace hidet::test
