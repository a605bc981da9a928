// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/passes/rewrite.h"

namespace hidet::graph {

void subgraph_rewrite(PassState& state) {
    apply_rules(state, rewrite_rules(), state.options.rewrite_rules);
}

} // namespace hidet::graph
