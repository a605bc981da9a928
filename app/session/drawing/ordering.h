// SPDX-License-Identifier: Apache-2.0
// In which order the vertices of each layer stand, so that few edges cross.
#pragma once

#include "app/session/drawing/layers.h"

namespace hidet::drawing {

// Returns the crossings that are left. With previous positions, nodes that have one keep their order.
std::uint64_t reduce_crossings(Layers& layers, const FlatGraph& graph, const FlatOptions& options);

} // namespace hidet::drawing
