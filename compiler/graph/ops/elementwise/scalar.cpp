// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;

Task define_scalar(const OpCall& call, const char* name, const Binary& value) {
    const Attribute* scalar = call.attributes.find("scalar");
    HIDET_CHECK(scalar, name);
    return define_unary(call, name,
                        [&](const ExprRef& x) { return value(x, scalar_operand(*scalar, scalar_dtype(x))); });
}

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

std::span<const OpInfo> op_tables::scalar() {
    static const OpInfo table[] = {
#define HIDET_SCALAR(Name, example, summary, value)                                                                    \
    {OpId::Name, "", "x, scalar: number", OpClass::Elementwise, summary, example, [](const OpCall& call) {             \
         return define_scalar(call, #Name, [](const ExprRef& x, const ExprRef& s) { return value; });                  \
     }},
#include "compiler/graph/ops/elementwise/scalar.def"
#undef HIDET_SCALAR
        {OpId::Where, "where", "cond, x, y", OpClass::Elementwise,
         "x where the condition holds, else y; all three are broadcast to a common shape",
         "hidet.ops.where(hidet.randn([2, 3]) > 0.0, hidet.ones([2, 3]), hidet.zeros([3]))",
         [](const OpCall& call) {
             return define_pointwise(call, "where", [](const ir::ExprVec& e) { return ir::select(e[0], e[1], e[2]); });
         }},
        {OpId::WhereScalarScalar, "", "cond, x: number, y: number", OpClass::Elementwise,
         "the number x where the condition holds, else the number y",
         "hidet.ops.where(hidet.randn([2, 3]) > 0.0, 1.0, 0.0)",
         [](const OpCall& call) {
             return define_unary(call, "where_scalar_scalar", [&](const ExprRef& condition) {
                 return ir::select(condition, alone(attribute(call, "x")), alone(attribute(call, "y")));
             });
         }},
        {OpId::WhereScalarTensor, "", "cond, y, x: number", OpClass::Elementwise,
         "the number x where the condition holds, else the element of y",
         "hidet.ops.where(hidet.randn([2, 3]) > 0.0, 1.0, hidet.randn([2, 3]))",
         [](const OpCall& call) {
             return define_binary(call, "where_scalar_tensor", [&](const ExprRef& condition, const ExprRef& y) {
                 return ir::select(condition, scalar_operand(attribute(call, "x"), scalar_dtype(y)), y);
             });
         }},
        {OpId::WhereTensorScalar, "", "cond, x, y: number", OpClass::Elementwise,
         "the element of x where the condition holds, else the number y",
         "hidet.ops.where(hidet.randn([2, 3]) > 0.0, hidet.randn([2, 3]), 0.0)",
         [](const OpCall& call) {
             return define_binary(call, "where_tensor_scalar", [&](const ExprRef& condition, const ExprRef& x) {
                 return ir::select(condition, x, scalar_operand(attribute(call, "y"), scalar_dtype(x)));
             });
         }},
    };
    return table;
}

} // namespace hidet::graph
