// SPDX-License-Identifier: Apache-2.0
// Definitions of pools for any number of spatial dimensions. Attributes: kernel (empty: the whole of each dimension), stride,
// padding, dilations, ceil_mode (contraction/window.h); adaptive pools: output_size. Rank 0: as many as the input has.
#pragma once

#include <string>

#include "compiler/graph/ops/contraction/convolution.h"

namespace hidet::graph {

Task define_max_pool(const OpCall& call, const std::string& name, std::size_t rank, ChannelOrder order);
// Further attributes: count_include_pad (bool), divisor_override (int; 0: none).
Task define_avg_pool(const OpCall& call, const std::string& name, std::size_t rank, ChannelOrder order);
Task define_adaptive_avg_pool(const OpCall& call, const std::string& name, std::size_t rank, ChannelOrder order);
Task define_adaptive_max_pool(const OpCall& call, const std::string& name, std::size_t rank);

} // namespace hidet::graph
