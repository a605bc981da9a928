// SPDX-License-Identifier: Apache-2.0
// Which memory an instruction touches, how much of it, and what it says to the caches.
#pragma once

#include <optional>
#include <string>

#include "runtime/toolchain/sass/program.h"

namespace hidet::toolchain::sass {

struct MemoryUse {
    std::string what;   // "load", "copy"
    std::string space;  // "global", "global to shared"
    int lane_bytes = 0; // that a lane moves; 0: one thread asks for all of it, and how much stands in a register
    std::string cache;  // ".CONSTANT", ".STRONG.GPU", ".EF"; empty: as usual
    int sectors = 0;    // of 32 bytes that a whole warp takes of global or local memory at least; 0: of no such memory
};
std::optional<MemoryUse> memory_use_of(const Instruction& instruction); // nothing: it touches none

} // namespace hidet::toolchain::sass
