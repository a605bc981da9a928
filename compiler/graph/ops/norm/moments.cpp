// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/norm/moments.h"

#include "compiler/ir/ops.h"

namespace hidet::graph {

Moments::Moments(TaskBuilder& builder, const ir::VarRef& x, const Ints& dims, ir::DType work)
    : m_x(x), m_work(work), m_reduced(reduced_shape(shape_of(x), dims, true)) {
    m_sum = builder.reduce(
        "sum", work, m_reduced.shape, ReduceOp::Sum, m_reduced.extents,
        [&](const Indices& axes, const Indices& over) { return distance(input_index(m_reduced, axes, over)); });
    m_squares = builder.reduce("squares", work, m_reduced.shape, ReduceOp::Sum, m_reduced.extents,
                               [&](const Indices& axes, const Indices& over) {
                                   const ir::ExprRef difference = centred(input_index(m_reduced, axes, over));
                                   return ir::mul(difference, difference);
                               });
}

ir::ExprRef Moments::over_count(const ir::VarRef& sum, const Indices& axes) const {
    return ir::div(at(sum, result_index(m_reduced, axes)), ir::cast_to(element_count(m_reduced.extents), m_work));
}

ir::ExprRef Moments::distance(const Indices& axes) const {
    const Indices first =
        input_index(m_reduced, result_index(m_reduced, axes), Indices(m_reduced.extents.size(), dim(0)));
    return ir::sub(ir::cast_to(at(m_x, axes), m_work), ir::cast_to(at(m_x, first), m_work));
}

ir::ExprRef Moments::centred(const Indices& axes) const {
    return ir::sub(distance(axes), over_count(m_sum, axes));
}

ir::ExprRef Moments::variance(const Indices& axes) const {
    return over_count(m_squares, axes);
}

} // namespace hidet::graph
