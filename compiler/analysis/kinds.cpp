// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/kinds.h"

#include "compiler/ir/family.h"
#include "compiler/ir/structure.h"

namespace hidet::compiler {

using namespace ir;

static void collect(const Node& node, KindSet& kinds) {
    kinds.add(node.kind);
    if (!runs(node) || node.kind == Kind::Var)
        return;
    for_each_child(node, [&](const Node* child) {
        if (child)
            collect(*child, kinds);
    });
}

KindSet kinds_in(const Node& node) {
    KindSet kinds;
    collect(node, kinds);
    return kinds;
}

} // namespace hidet::compiler
