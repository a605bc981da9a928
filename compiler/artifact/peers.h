// SPDX-License-Identifier: Apache-2.0
// Kernels that reach the memory of other GPUs: what their module is told, in a variable of it, before one of them is launched. All
// GPUs have their symmetric memory laid out alike, so what is at an address here is there at the same address plus a distance.
#pragma once

#include <cstdint>

namespace hidet::artifact {

inline constexpr const char* peers_name = "hidet_peers"; // compiler/codegen/cuda/prelude/peers.cuh declares it
inline constexpr int most_peers = 16;

struct Peers {
    std::int32_t rank = 0; // of this GPU
    std::int32_t count = 1;
    std::int64_t distance[most_peers] = {}; // bytes, by rank
};

} // namespace hidet::artifact
