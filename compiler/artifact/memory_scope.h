// SPDX-License-Identifier: Apache-2.0
// Who sees an atomic, a strong Load or Store, or a Fence as such, as flags of the instruction: threads of the block, or of the
// cluster; with both flags those of other GPUs too; without one all of the GPU.
#pragma once

#include <cstdint>

namespace hidet::artifact {

inline constexpr std::uint8_t flag_block_scope = 32, flag_cluster_scope = 64;
inline constexpr std::uint8_t flag_system_scope = flag_block_scope | flag_cluster_scope;

inline bool has_scope(std::uint8_t flags, std::uint8_t scope) {
    return (flags & flag_system_scope) == scope;
}

} // namespace hidet::artifact
