// SPDX-License-Identifier: Apache-2.0
// The functions of graph_passes.def.
#pragma once

#include "compiler/graph/passes/pass.h"

namespace hidet::graph {

// tf32 was asked for, and the target has no units for it: the permission changes nothing.
bool asks_in_vain_for_tf32(const GraphOptions& options);

#define HIDET_GRAPH_PASS(function, name, is_on, summary) void function(PassState& state);
#include "compiler/graph/passes/graph_passes.def"
#undef HIDET_GRAPH_PASS

} // namespace hidet::graph
