// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;

ExprRef let(const ExprRef& value, const Unary& body) {
    const ir::VarRef var = ir::make_var("v", value->type);
    return ir::make_let(var, value, body(var));
}

// Halves of the list, so that the expression of many tensors is not deep.
ExprRef extreme(const ir::ExprVec& elements, std::size_t first, std::size_t last, const Binary& better) {
    if (last - first == 1)
        return elements[first];
    const std::size_t middle = first + (last - first) / 2;
    const ExprRef left = extreme(elements, first, middle, better);
    const ExprRef right = extreme(elements, middle, last, better);
    // Operands that are read twice become Lets around the whole, which of many would be as deep as they are many.
    const auto& held = elements.size() > 64 ? let : shared;
    return held(left, [&](const ExprRef& a) { return held(right, [&](const ExprRef& b) { return better(a, b); }); });
}

Task define_extreme(const OpCall& call, const char* name, const Binary& better) {
    return define_pointwise(call, name,
                            [&](const ir::ExprVec& elements) { return extreme(elements, 0, elements.size(), better); });
}

} // namespace

const OpInfo& op_info::Max() {
    static const OpInfo info = {
        .id = OpId::Max,
        .python = "maximum",
        .parameters = "xs: tensors",
        .cls = OpClass::Elementwise,
        .summary = "the greatest of the tensors' elements, which are broadcast to a common shape; NaN where one is NaN",
        .example = "hidet.ops.maximum(hidet.randn([2, 3]), hidet.randn([3]))",
        .define = [](const OpCall& call) { return define_extreme(call, "maximum", larger); },
    };
    return info;
}

const OpInfo& op_info::Min() {
    static const OpInfo info = {
        .id = OpId::Min,
        .python = "minimum",
        .parameters = "xs: tensors",
        .cls = OpClass::Elementwise,
        .summary = "the least of the tensors' elements, which are broadcast to a common shape; NaN where one is NaN",
        .example = "hidet.ops.minimum(hidet.randn([2, 3]), hidet.randn([3]))",
        .define = [](const OpCall& call) { return define_extreme(call, "minimum", smaller); },
    };
    return info;
}

} // namespace hidet::graph
