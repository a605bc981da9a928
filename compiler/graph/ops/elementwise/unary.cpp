// SPDX-License-Identifier: Apache-2.0
#include <numbers>

#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using Math = ir::IntrinsicId;
using ir::ExprRef;

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

// 1 / (1 + 2^-exponent) for results of a short float. A GPU has no division, but the reciprocal of a root, which is never 0
// or infinite here before its square is.
ExprRef quick_logistic(const ExprRef& exponent) {
    const ExprRef sum = ir::add(number(1, exponent), ir::math(Math::Exp2, {ir::negate(exponent)}));
    return shared(ir::math(Math::Rsqrt, {sum}), [](const ExprRef& root) { return ir::mul(root, root); });
}

ExprRef quick_sigmoid(const ExprRef& x) {
    return quick_logistic(ir::mul(number(std::numbers::log2e, x), x));
}

ExprRef quick_silu(const ExprRef& x) {
    return ir::mul(x, quick_sigmoid(x));
}

// `quick` is exact enough for a result that is rounded to 16 bits.
ExprRef by_width(const ExprRef& x, const Unary& formula, const Unary& quick) {
    const ir::DType dtype = scalar_dtype(x);
    return in_wide(x, dtype == ir::DType::F16 || dtype == ir::DType::BF16 ? quick : formula);
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

// A float becomes a narrow integer by way of a wide one, whose bits are cut: what NumPy does, and the same on every machine.
ir::ExprRef converted(const ir::ExprRef& x, ir::DType to) {
    const bool is_cut = ir::is_float(scalar_dtype(x)) && ir::is_integer(to) && to != ir::DType::Bool;
    if (is_cut && ir::info(to).bits < 32)
        return ir::cast_to(ir::cast_to(x, ir::DType::I32), to);
    if (is_cut && to == ir::DType::U32)
        return ir::cast_to(ir::cast_to(x, ir::DType::I64), to);
    return ir::cast_to(x, to);
}

ExprRef exact(const ExprRef& x) {
    const ExprRef erf = ir::math(Math::Erf, {ir::mul(x, number(std::numbers::sqrt2 / 2, x))});
    return ir::mul(ir::mul(number(0.5, x), x), ir::add(number(1, x), erf));
}

// The normal distribution's function is a logistic one of x p(x^2); the polynomial p is fitted so that the error is below a
// tenth of an ulp of f16 wherever the result is not 0 (minimax, up to |x| = 5.9), and grows beyond.
ExprRef quick_exact(const ExprRef& x) {
    constexpr double p[] = {2.30195230,    1.05255682e-1,  -2.90303642e-4, -1.20842008e-4,
                            7.79761881e-6, -2.21850021e-7, 2.47108985e-9};
    return shared(ir::mul(x, x), [&](const ExprRef& square) {
        ExprRef sum = number(p[6], x);
        for (int i = 5; i >= 0; --i)
            sum = ir::add(ir::mul(sum, square), number(p[i], x));
        return ir::mul(x, quick_logistic(ir::mul(x, sum)));
    });
}

ExprRef quick_by_tanh(const ExprRef& x) {
    const double factor = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi * std::numbers::log2e;
    const ExprRef sum = ir::add(number(factor, x), ir::mul(number(factor * 0.044715, x), ir::mul(x, x)));
    return ir::mul(x, quick_logistic(ir::mul(x, sum)));
}

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

ExprRef silu_of(const ExprRef& x) {
    return ir::div(x, ir::add(number(1, x), ir::math(Math::Exp, {ir::negate(x)})));
}

ExprRef gelu_by_tanh_of(const ExprRef& x) {
    const double factor = std::numbers::sqrt2 * std::numbers::inv_sqrtpi; // sqrt(2 / pi)
    const ExprRef cube = ir::mul(ir::mul(x, x), x);
    const ExprRef inner = ir::mul(number(factor, x), ir::add(x, ir::mul(number(0.044715, x), cube)));
    return ir::mul(ir::mul(number(0.5, x), x), ir::add(number(1, x), ir::math(Math::Tanh, {inner})));
}

std::span<const OpInfo> op_tables::unary() {
    static const OpInfo table[] = {
#define HIDET_UNARY(Name, python, argument, summary, value)                                                            \
    {OpId::Name,                                                                                                       \
     python,                                                                                                           \
     "x",                                                                                                              \
     OpClass::Elementwise,                                                                                             \
     summary,                                                                                                          \
     "hidet.ops." python "(" argument ")",                                                                             \
     [](const OpCall& call) { return define_unary(call, python, [](const ExprRef& x) { return value; }); }},
#include "compiler/graph/ops/elementwise/unary.def"
#undef HIDET_UNARY
        {OpId::Cast, "cast", "x, dtype: dtype", OpClass::Elementwise,
         "the same numbers in another type: floats become integers toward zero, within 32 or 64 bits; a narrower "
         "integer keeps the low bits, bool is whether a number is not zero",
         "hidet.ops.cast(hidet.randn([2, 3]), 'float16')",
         [](const OpCall& call) {
             const auto dtype = call.attributes.get<ir::DType>("dtype");
             return define_unary(call, "cast", [&](const ir::ExprRef& x) { return converted(x, dtype); });
         }},
        {OpId::Gelu, "gelu", "x, approximate: bool = False", OpClass::Elementwise,
         "x times the normal distribution's function at x, or its approximation by tanh",
         "hidet.ops.gelu(hidet.randn([2, 3]))",
         [](const OpCall& call) {
             const bool is_approximate = call.attributes.get<bool>("approximate");
             return define_unary(call, "gelu", [&](const ExprRef& x) {
                 return is_approximate ? by_width(x, gelu_by_tanh_of, quick_by_tanh) : by_width(x, exact, quick_exact);
             });
         }},
        {OpId::IsInf, "isinf", "x, detect_positive: bool = True, detect_negative: bool = True", OpClass::Elementwise,
         "whether the element is infinite, of a sign that is to be detected", "hidet.ops.isinf(hidet.randn([2, 3]))",
         [](const OpCall& call) {
             return define_unary(call, "isinf", [&](const ir::ExprRef& x) { return is_infinite(x, call.attributes); });
         }},
    };
    return table;
}

} // namespace hidet::graph
