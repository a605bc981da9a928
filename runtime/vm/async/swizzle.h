// SPDX-License-Identifier: Apache-2.0
// Swizzled tiles of shared memory, as the copy unit writes and wgmma reads them.
#pragma once

#include <cstdint>

namespace hidet::vm {

inline constexpr int swizzled_bytes = 16; // that a swizzle moves as one

// Where the byte at `place` of the 32-bit window lies: bits of its row of 128 bytes are added to those of its place in the row.
// `swizzle`: 32, 64 or 128 bytes, 0: none.
constexpr std::int64_t swizzled(std::int64_t place, int swizzle) {
    const std::int64_t rows = swizzle / swizzled_bytes - 1; // 128: 7, 64: 3, 32: 1
    return swizzle ? place ^ ((place >> 7 & rows) << 4) : place;
}

} // namespace hidet::vm
