// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "compiler/graph/core/list_attributes.h"
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using Math = ir::IntrinsicId;
using ir::ExprRef;

constexpr double infinity = std::numeric_limits<double>::infinity();

// The attribute in the type of x; null when it is `open`, which bounds nothing, so that integers keep the ends of their
// range. Whole bounds of integers stay exact.
ExprRef bound(const OpCall& call, const char* name, double open, const ExprRef& x) {
    const Attribute* found = call.attributes.find(name);
    const auto* whole = found ? std::get_if<std::int64_t>(found) : nullptr;
    const ir::DType dtype = scalar_dtype(x);
    if (whole && ir::is_integer(dtype)) {
        const ir::IntegerRange range = ir::integer_range(dtype);
        const bool is_above = *whole > 0 && static_cast<std::uint64_t>(*whole) > range.highest;
        const std::int64_t nearest = is_above ? static_cast<std::int64_t>(range.highest) : *whole;
        return ir::int_constant(std::max(nearest, range.lowest), dtype);
    }
    const double value = number_attribute(call.attributes, name);
    return value == open ? nullptr : number(value, x);
}

ExprRef clipped(const ExprRef& x, const ExprRef& low, const ExprRef& high) {
    const auto below = [&](const ExprRef& value) {
        return high ? ir::select(ir::less(high, value), high, value) : value;
    };
    if (!low)
        return below(x);
    const ExprRef raised = ir::select(ir::less(x, low), low, x);
    return high ? shared(raised, below) : raised;
}

// Integers are computed in their own type.
ExprRef in_wide_or_same(const ExprRef& x, const Unary& formula) {
    return ir::is_integer(scalar_dtype(x)) ? formula(x) : in_wide(x, formula);
}

ExprRef elu(const ExprRef& x, double alpha) {
    const ExprRef bent = ir::mul(number(alpha, x), ir::math(Math::Expm1, {x}));
    return ir::select(ir::less(number(0, x), x), x, bent);
}

ExprRef celu(const ExprRef& x, double alpha) {
    const ExprRef bent = ir::mul(number(alpha, x), ir::math(Math::Expm1, {ir::div(x, number(alpha, x))}));
    return ir::select(ir::less(number(0, x), x), x, bent);
}

ExprRef hard_shrink(const ExprRef& x, double lambda) {
    const ExprRef is_small =
        ir::logical_and(ir::less_equal(number(-lambda, x), x), ir::less_equal(x, number(lambda, x)));
    return ir::select(is_small, number(0, x), x);
}

ExprRef hard_sigmoid(const ExprRef& x, double alpha, double beta) {
    const ExprRef line = ir::add(ir::mul(number(alpha, x), x), number(beta, x));
    return shared(line, [](const ExprRef& y) { return clamped(y, number(0, y), number(1, y)); });
}

// In the type of x: the bounds of an integer are whole, and what is below -lambd is what is below its ceiling.
ExprRef shrink(const ExprRef& x, double lambd, double bias) {
    const ir::DType dtype = scalar_dtype(x);
    const ExprRef wide = ir::is_integer(dtype) ? ir::cast_to(x, ir::DType::F64) : x;
    return shared(wide, [&](const ExprRef& f) {
        const ExprRef above = ir::select(ir::less(number(lambd, f), f), ir::sub(f, number(bias, f)), number(0, f));
        return ir::cast_to(ir::select(ir::less(f, number(-lambd, f)), ir::add(f, number(bias, f)), above), dtype);
    });
}

// Where x is small its own zero, so that NaN stays.
ExprRef soft_shrink(const ExprRef& x, double lambda) {
    const ExprRef below =
        ir::select(ir::less(x, number(-lambda, x)), ir::add(x, number(lambda, x)), ir::mul(x, number(0, x)));
    return ir::select(ir::less(number(lambda, x), x), ir::sub(x, number(lambda, x)), below);
}

// max(y, 0) + log(1 + exp(-|y|)) for y = beta * x, which never overflows.
ExprRef soft_plus(const ExprRef& x, double beta, double threshold) {
    return shared(ir::mul(x, number(beta, x)), [&](const ExprRef& y) {
        const ExprRef small = ir::math(Math::Exp, {ir::negate(ir::math(Math::Abs, {y}))});
        const ExprRef sum =
            ir::add(ir::select(ir::less(y, number(0, y)), number(0, y), y), ir::math(Math::Log1p, {small}));
        const ExprRef curve = ir::div(sum, number(beta, x));
        return threshold == infinity ? curve : ir::select(ir::less(number(threshold, y), y), x, curve);
    });
}

} // namespace

std::span<const OpInfo> op_tables::parametric() {
    static const OpInfo table[] = {
#define HIDET_PARAMETRIC(Name, python, more, given, summary, ...)                                                      \
    {OpId::Name,                                                                                                       \
     python,                                                                                                           \
     "x, " more,                                                                                                       \
     OpClass::Elementwise,                                                                                             \
     summary,                                                                                                          \
     "hidet.ops." python "(hidet.randn([2, 3]), " given ")",                                                           \
     [](const OpCall& call) {                                                                                          \
         [[maybe_unused]] const auto a = [&](std::string_view name) {                                                  \
             return number_attribute(call.attributes, name);                                                           \
         };                                                                                                            \
         return define_unary(call, python, [&](const ExprRef& x) { return __VA_ARGS__; });                             \
     }},
#include "compiler/graph/ops/elementwise/parametric.def"
#undef HIDET_PARAMETRIC
    };
    return table;
}

} // namespace hidet::graph
