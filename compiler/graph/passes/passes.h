// SPDX-License-Identifier: Apache-2.0
// The functions of graph_passes.def.
#pragma once

#include "compiler/graph/passes/pass.h"

namespace hidet::graph {

#define HIDET_GRAPH_PASS(function, name, is_on, summary) void function(PassState& state);
#include "compiler/graph/passes/graph_passes.def"
#undef HIDET_GRAPH_PASS

} // namespace hidet::graph
