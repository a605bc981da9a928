// SPDX-License-Identifier: Apache-2.0
// Groups that launch nothing.
#pragma once

#include "compiler/graph/fuse/partition.h"

namespace hidet::graph {

bool is_host(const Graph& graph, const Group& group); // the host computes it
// Nothing is computed: the results are what the group reads, under other shapes.
bool is_view(const Graph& graph, const Group& group);

} // namespace hidet::graph
