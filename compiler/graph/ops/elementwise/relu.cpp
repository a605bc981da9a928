// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

const OpInfo& op_info::Relu() {
    static const OpInfo info = {
        .name = "Relu",
        .python = "relu",
        .parameters = "x",
        .cls = OpClass::Elementwise,
        .summary = "what is not negative as it is, the rest as zero",
        .example = "hidet.ops.relu(hidet.randn([2, 3]))",
        // A NaN stays one: the comparison that is false for it decides for x.
        .define =
            [](const OpCall& call) {
                return define_unary(call, "relu", [](const ir::ExprRef& x) {
                    const ir::ExprRef zero = ir::cast_to(ir::int_constant(0), x->type);
                    return ir::select(ir::less(x, zero), zero, x);
                });
            },
    };
    return info;
}

} // namespace hidet::graph
