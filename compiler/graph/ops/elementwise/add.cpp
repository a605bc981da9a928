// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

const OpInfo& op_info::Add() {
    static const OpInfo info = {
        .name = "Add",
        .python = "add",
        .parameters = "x, y",
        .cls = OpClass::Elementwise,
        .summary = "the sum of two tensors, element by element, broadcast to a common shape",
        .example = "hidet.ops.add(hidet.randn([2, 3]), hidet.randn([3]))",
        .define = [](const OpCall& call) { return define_binary(call, "add", ir::add); },
    };
    return info;
}

} // namespace hidet::graph
