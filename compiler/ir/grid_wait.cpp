// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/grid_wait.h"

#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::ir {

bool waits_for_grid(const Function& kernel) {
    return any_of_nodes(kernel.body, [](const Intrinsic& e) { return e.id == IntrinsicId::GridWait; });
}

} // namespace hidet::ir
