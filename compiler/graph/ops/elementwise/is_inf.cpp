// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

ir::ExprRef is_infinite(const ir::ExprRef& x, const Attributes& attributes) {
    const bool positive = attributes.get<bool>("detect_positive");
    const bool negative = attributes.get<bool>("detect_negative");
    if (!positive && !negative)
        return ir::bool_constant(false);
    const ir::ExprRef either = float_math(ir::IntrinsicId::IsInf, x);
    if (positive && negative)
        return either;
    const ir::ExprRef zero = number(0, x);
    return ir::logical_and(either, positive ? ir::less(zero, x) : ir::less(x, zero));
}

} // namespace

const OpInfo& op_info::IsInf() {
    static const OpInfo info = {
        .id = OpId::IsInf,
        .python = "isinf",
        .parameters = "x, detect_positive: bool = True, detect_negative: bool = True",
        .cls = OpClass::Elementwise,
        .summary = "whether the element is infinite, of a sign that is to be detected",
        .example = "hidet.ops.isinf(hidet.randn([2, 3]))",
        .define =
            [](const OpCall& call) {
                return define_unary(call, "isinf",
                                    [&](const ir::ExprRef& x) { return is_infinite(x, call.attributes); });
            },
    };
    return info;
}

} // namespace hidet::graph
