// SPDX-License-Identifier: Apache-2.0
// How a kernel is launched, whoever launches it: the emulator, a GPU, a benchmark.
#pragma once

#include <array>
#include <cstdint>

namespace hidet::artifact {

struct LaunchShape {
    using Extents = std::array<std::int64_t, 3>;
    static std::int64_t product(const Extents& extents) { return extents[0] * extents[1] * extents[2]; }

    Extents grid = {1, 1, 1};        // blocks
    Extents block = {1, 1, 1};       // threads
    Extents cluster = {1, 1, 1};     // blocks
    std::int64_t dynamic_shared = 0; // bytes
    bool cooperative = false;        // all blocks run at once and may wait for each other
    bool programmatic = false;       // may begin before the launch before it has ended (programmatic dependent launch)

    std::int64_t blocks() const { return product(grid); }
    std::int64_t threads() const { return product(block); } // of a block
    std::int64_t cluster_blocks() const { return product(cluster); }
};

} // namespace hidet::artifact
