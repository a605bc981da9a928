// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;
using Math = ir::IntrinsicId;

ExprRef bits_inverted(const ExprRef& x) {
    return scalar_dtype(x) == ir::DType::Bool ? ir::logical_not(x) : ir::bit_not(x);
}

ExprRef sign(const ExprRef& x) {
    const ExprRef zero = number(0, x);
    const ExprRef below = ir::is_signed(scalar_dtype(x)) || ir::is_float(scalar_dtype(x))
                              ? ir::select(ir::less(x, zero), number(-1, x), x)
                              : x;
    return ir::select(ir::less(zero, x), number(1, x), below);
}

ExprRef sigmoid(const ExprRef& x) {
    return ir::div(number(1, x), ir::add(number(1, x), ir::math(Math::Exp, {ir::negate(x)})));
}

ExprRef silu(const ExprRef& x) {
    return ir::div(x, ir::add(number(1, x), ir::math(Math::Exp, {ir::negate(x)})));
}

// log(1 + exp(-|x|)): never overflows.
ExprRef log_of_sum(const ExprRef& x) {
    return ir::math(Math::Log1p, {ir::math(Math::Exp, {ir::negate(ir::math(Math::Abs, {x}))})});
}

ExprRef log_sigmoid(const ExprRef& x) {
    return ir::sub(ir::select(ir::less(number(0, x), x), number(0, x), x), log_of_sum(x));
}

ExprRef mish(const ExprRef& x) {
    const ExprRef soft_plus = ir::add(ir::select(ir::less(x, number(0, x)), number(0, x), x), log_of_sum(x));
    return ir::mul(x, ir::math(Math::Tanh, {soft_plus}));
}

ExprRef hard_swish(const ExprRef& x) {
    const ExprRef line = ir::add(ir::mul(x, number(1.0 / 6, x)), number(0.5, x));
    return ir::mul(x, shared(line, [&](const ExprRef& y) { return clamped(y, number(0, y), number(1, y)); }));
}

ExprRef soft_sign(const ExprRef& x) {
    return ir::div(x, ir::add(number(1, x), ir::math(Math::Abs, {x})));
}

ExprRef tanh_shrink(const ExprRef& x) {
    return ir::sub(x, ir::math(Math::Tanh, {x}));
}

} // namespace

#define HIDET_UNARY(Name, python_name, argument, text, value)                                                          \
    const OpInfo& op_info::Name() {                                                                                    \
        static const OpInfo info = {                                                                                   \
            .id = OpId::Name,                                                                                          \
            .python = python_name,                                                                                     \
            .parameters = "x",                                                                                         \
            .cls = OpClass::Elementwise,                                                                               \
            .summary = text,                                                                                           \
            .example = "hidet.ops." python_name "(" argument ")",                                                      \
            .define =                                                                                                  \
                [](const OpCall& call) {                                                                               \
                    return define_unary(call, python_name, [](const ExprRef& x) { return value; });                    \
                },                                                                                                     \
        };                                                                                                             \
        return info;                                                                                                   \
    }
#include "compiler/graph/ops/elementwise/unary.def"
#undef HIDET_UNARY

} // namespace hidet::graph
