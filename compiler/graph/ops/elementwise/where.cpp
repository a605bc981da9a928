// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;

const Attribute& attribute(const OpCall& call, const char* name) {
    const Attribute* found = call.attributes.find(name);
    HIDET_CHECK(found, name);
    return *found;
}

// Of two scalars, the type that the one without a tensor has: f32, i64 or bool.
ExprRef alone(const Attribute& scalar) {
    const bool is_whole = std::holds_alternative<std::int64_t>(scalar);
    const bool is_truth = std::holds_alternative<bool>(scalar);
    return scalar_operand(scalar, is_truth ? ir::DType::Bool : is_whole ? ir::DType::I64 : ir::DType::F32);
}

} // namespace

const OpInfo& op_info::Where() {
    static const OpInfo info = {
        .id = OpId::Where,
        .python = "where",
        .parameters = "cond, x, y",
        .cls = OpClass::Elementwise,
        .summary = "x where the condition holds, else y; all three are broadcast to a common shape",
        .example = "hidet.ops.where(hidet.randn([2, 3]) > 0.0, hidet.ones([2, 3]), hidet.zeros([3]))",
        .define =
            [](const OpCall& call) {
                return define_pointwise(call, "where",
                                        [](const ir::ExprVec& e) { return ir::select(e[0], e[1], e[2]); });
            },
    };
    return info;
}

const OpInfo& op_info::WhereScalarScalar() {
    static const OpInfo info = {
        .id = OpId::WhereScalarScalar,
        .python = "",
        .parameters = "cond, x: number, y: number",
        .cls = OpClass::Elementwise,
        .summary = "the number x where the condition holds, else the number y",
        .example = "hidet.ops.where(hidet.randn([2, 3]) > 0.0, 1.0, 0.0)",
        .define =
            [](const OpCall& call) {
                return define_unary(call, "where_scalar_scalar", [&](const ExprRef& condition) {
                    return ir::select(condition, alone(attribute(call, "x")), alone(attribute(call, "y")));
                });
            },
    };
    return info;
}

const OpInfo& op_info::WhereScalarTensor() {
    static const OpInfo info = {
        .id = OpId::WhereScalarTensor,
        .python = "",
        .parameters = "cond, y, x: number",
        .cls = OpClass::Elementwise,
        .summary = "the number x where the condition holds, else the element of y",
        .example = "hidet.ops.where(hidet.randn([2, 3]) > 0.0, 1.0, hidet.randn([2, 3]))",
        .define =
            [](const OpCall& call) {
                return define_binary(call, "where_scalar_tensor", [&](const ExprRef& condition, const ExprRef& y) {
                    return ir::select(condition, scalar_operand(attribute(call, "x"), scalar_dtype(y)), y);
                });
            },
    };
    return info;
}

const OpInfo& op_info::WhereTensorScalar() {
    static const OpInfo info = {
        .id = OpId::WhereTensorScalar,
        .python = "",
        .parameters = "cond, x, y: number",
        .cls = OpClass::Elementwise,
        .summary = "the element of x where the condition holds, else the number y",
        .example = "hidet.ops.where(hidet.randn([2, 3]) > 0.0, hidet.randn([2, 3]), 0.0)",
        .define =
            [](const OpCall& call) {
                return define_binary(call, "where_tensor_scalar", [&](const ExprRef& condition, const ExprRef& x) {
                    return ir::select(condition, x, scalar_operand(attribute(call, "y"), scalar_dtype(x)));
                });
            },
    };
    return info;
}

} // namespace hidet::graph
