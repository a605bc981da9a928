// SPDX-License-Identifier: Apache-2.0
// Who sees an atomic, a strong Load or Store, or a Fence as such, as flags of the instruction: threads of the block, or of the
// cluster; without a flag all.
#pragma once

#include <cstdint>

namespace hidet::artifact {

inline constexpr std::uint8_t flag_block_scope = 32, flag_cluster_scope = 64;

} // namespace hidet::artifact
