// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/norm/root_mean_square.h"

#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/reduction/reduction.h"

namespace hidet::graph {

Element root_mean_square(TaskBuilder& builder, const ir::VarRef& x, const Ints& dims, ir::DType work, double epsilon) {
    const ReducedShape reduced = reduced_shape(shape_of(x), dims, true);
    const ir::VarRef squares = builder.reduce(
        "squares", work, reduced.shape, ReduceOp::Sum, reduced.extents, [&](const Indices& axes, const Indices& over) {
            const Expr value = ir::cast_to(at(x, input_index(reduced, axes, over)), work);
            return ir::mul(value, value);
        });
    return [=](const Indices& axes) {
        const Expr mean =
            ir::div(at(squares, result_index(reduced, axes)), ir::cast_to(element_count(reduced.extents), work));
        return sqrt_of(ir::add(mean, number(epsilon, work)));
    };
}

} // namespace hidet::graph
