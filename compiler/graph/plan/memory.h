// SPDX-License-Identifier: Apache-2.0
// Where buffers lie in one arena, such that no two of them that are alive at the same step share a byte.
#pragma once

#include <cstdint>
#include <vector>

namespace hidet::graph {

struct BufferLife {
    std::int64_t bytes = 0;
    std::int32_t first = 0; // step that writes it
    std::int32_t last = 0;  // last step that uses it
};

struct ArenaLayout {
    std::vector<std::int64_t> offsets; // one for each buffer
    std::int64_t bytes = 0;            // of the arena
    std::int64_t bound = 0;            // the most bytes that are alive at once: no layout can do with less
};

inline constexpr std::int64_t arena_alignment = 256;

ArenaLayout lay_out(const std::vector<BufferLife>& buffers);

} // namespace hidet::graph
