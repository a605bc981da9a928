// SPDX-License-Identifier: Apache-2.0
// Models of any size, spelled as exporters do.
#pragma once

#include "compiler/graph/core/graph.h"

namespace hidet::bench {

graph::Graph transformer(int nodes);
graph::Graph convolutions(int nodes);
graph::Graph sums(int nodes); // one chain in which every operator can merge with the one before
graph::Graph fan(int nodes);  // many readers of one tensor and of one constant

} // namespace hidet::bench
