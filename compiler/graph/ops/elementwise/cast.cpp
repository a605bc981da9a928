// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

const OpInfo& op_info::Cast() {
    static const OpInfo info = {
        .name = "Cast",
        .python = "cast",
        .parameters = "x, dtype: dtype",
        .cls = OpClass::Elementwise,
        .summary =
            "the same numbers in another type; floats become integers toward zero and within their range, and bool "
            "where they are not zero",
        .example = "hidet.ops.cast(hidet.randn([2, 3]), 'float16')",
        .define =
            [](const OpCall& call) {
                const auto dtype = call.attributes.get<ir::DType>("dtype");
                return define_unary(call, "cast", [&](const ir::ExprRef& x) { return ir::cast_to(x, dtype); });
            },
    };
    return info;
}

} // namespace hidet::graph
