// SPDX-License-Identifier: Apache-2.0
// Where buffers lie in one arena, such that no two of them that are alive at the same step share a byte.
#pragma once

#include <cstdint>
#include <optional>
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

// For each buffer those that are alive at some step with it. Nothing: there are more such pairs.
std::optional<std::vector<std::vector<std::uint32_t>>> neighbours_of(const std::vector<BufferLife>& buffers,
                                                                     std::size_t most_pairs);

} // namespace hidet::graph
