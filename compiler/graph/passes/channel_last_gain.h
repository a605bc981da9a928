// SPDX-License-Identifier: Apache-2.0
// Whether the kernels of the target are faster with channels last.
#pragma once

#include "compiler/graph/passes/pass.h"

namespace hidet::graph {

// On a CPU the channels of a pixel are a run of terms that a product reads in place (schedule/product_in_place.cpp).
constexpr std::int64_t least_channels_on_cpu = 16;

bool gains_from_channel_last(const PassState& state);

} // namespace hidet::graph
