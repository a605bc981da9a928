// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/passes/rewrite.h"

namespace hidet::graph {

void resolve_variant(PassState& state) {
    apply_rules(state, resolve_rules(), state.options.resolve_rules);
}

} // namespace hidet::graph
