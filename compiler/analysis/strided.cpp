// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/strided.h"

#include <algorithm>

#include "compiler/ir/ops.h"

namespace hidet::compiler {

using namespace ir;

namespace {

constexpr int deepest = 40; // of lets and of expressions

std::int64_t power_in(std::int64_t value) {
    return value == 0 ? StridedForm::most : std::min(value & -value, StridedForm::most);
}

bool is_integer_cast(const Cast& cast) {
    const auto from = scalar_of(cast.a->type), to = scalar_of(cast.type);
    return from && to && is_integer(*from) && is_integer(*to);
}

} // namespace

struct StridedForm::Loop {
    const Var& var;
    std::int64_t trips;
    const std::function<bool(const Var&)>& is_inside;
};

std::int64_t StridedForm::multiple_of(const ExprRef& expr, int depth) const {
    if (depth > deepest)
        return 1;
    if (const auto value = constant_int(expr))
        return power_in(*value);
    if (const auto* var = as<Var>(expr)) {
        const ExprRef value = m_value_of(*var);
        return value ? multiple_of(value, depth + 1) : 1;
    }
    if (const auto* cast = as<Cast>(expr))
        return is_integer_cast(*cast) ? multiple_of(cast->a, depth + 1) : 1;
    if (const auto* select = as<Select>(expr))
        return std::min(multiple_of(select->a, depth + 1), multiple_of(select->b, depth + 1));
    const auto* binary = as<Binary>(expr);
    if (!binary || !scalar_of(binary->type) || !is_integer(*scalar_of(binary->type)))
        return 1;
    const std::int64_t a = multiple_of(binary->a, depth + 1);
    const auto b = [&] { return multiple_of(binary->b, depth + 1); };
    const auto constant = constant_int(binary->b);
    switch (binary->op) {
    case BinOp::Add:
    case BinOp::Sub: return std::min(a, b());
    case BinOp::Mul: return std::min(a * b(), most);
    case BinOp::Mod:
    case BinOp::FloorMod: return std::min(a, b());
    case BinOp::Div:
    case BinOp::FloorDiv: return constant && *constant > 0 && a % *constant == 0 ? a / *constant : 1;
    case BinOp::Shl: return constant && *constant >= 0 && *constant < 6 ? std::min(a << *constant, most) : a;
    case BinOp::BitAnd: return std::max(a, b());
    default: return 1;
    }
}

std::optional<Strided> StridedForm::of(const ExprRef& expr, const Var& loop, std::int64_t trips,
                                       const std::function<bool(const Var&)>& is_inside) const {
    return of(expr, Loop{loop, trips, is_inside}, 0);
}

std::optional<Strided> StridedForm::of(const ExprRef& expr, const Loop& loop, int depth) const {
    if (depth > deepest || !scalar_of(expr->type) || !is_integer(*scalar_of(expr->type)))
        return std::nullopt;
    switch (expr->kind) {
    case Kind::Constant:
    case Kind::BuiltinVar:
    case Kind::SymbolVar: return Strided{expr, 0};
    case Kind::Var: {
        const Var& var = *as<Var>(expr);
        if (&var == &loop.var)
            return Strided{int_constant(0, *scalar_of(expr->type)), 1};
        if (!loop.is_inside(var))
            return Strided{expr, 0};
        const ExprRef value = m_value_of(var);
        return value ? of(value, loop, depth + 1) : std::nullopt;
    }
    case Kind::Cast: {
        const Cast& cast = *as<Cast>(expr);
        const auto line = is_integer_cast(cast) ? of(cast.a, loop, depth + 1) : std::nullopt;
        if (!line || (line->stride != 0 && !crosses_no_multiple(*line, loop, most)))
            return std::nullopt; // it might wrap in between
        return Strided{cast_to(line->base, expr->type), line->stride};
    }
    case Kind::Binary: return of_binary(*as<Binary>(expr), loop, depth);
    default: return std::nullopt;
    }
}

std::optional<Strided> StridedForm::of_binary(const Binary& expr, const Loop& loop, int depth) const {
    const auto a = of(expr.a, loop, depth + 1);
    const auto b = a ? of(expr.b, loop, depth + 1) : std::nullopt;
    if (!b)
        return std::nullopt;
    if (a->stride == 0 && b->stride == 0)
        return Strided{binary(expr.op, a->base, b->base), 0};
    switch (expr.op) {
    case BinOp::Add: return Strided{add(a->base, b->base), a->stride + b->stride};
    case BinOp::Sub: return Strided{sub(a->base, b->base), a->stride - b->stride};
    case BinOp::Mul: {
        const auto left = constant_int(a->base), right = constant_int(b->base);
        if (a->stride == 0 && left)
            return Strided{mul(a->base, b->base), b->stride * *left};
        if (b->stride == 0 && right)
            return Strided{mul(a->base, b->base), a->stride * *right};
        return std::nullopt;
    }
    case BinOp::Div:
    case BinOp::Mod:
    case BinOp::FloorDiv:
    case BinOp::FloorMod: return b->stride == 0 ? of_division(expr, *a, loop) : std::nullopt;
    default: return std::nullopt;
    }
}

// From a multiple of a power of two on that is larger than what the trips add: so nothing is carried beyond it.
bool StridedForm::crosses_no_multiple(const Strided& line, const Loop& loop, std::int64_t of) const {
    const std::int64_t step = std::min(multiple_of(line.base), power_in(of));
    return line.stride > 0 && line.stride < most && line.stride * (loop.trips - 1) < step;
}

std::optional<Strided> StridedForm::of_division(const Binary& expr, const Strided& a, const Loop& loop) const {
    const auto by = constant_int(expr.b);
    const auto range = m_ranges.of(a.base);
    if (!by || *by <= 0 || !range || range->lo < 0 || !crosses_no_multiple(a, loop, *by))
        return std::nullopt;
    const ExprRef base = binary(expr.op, a.base, expr.b);
    const bool is_quotient = expr.op == BinOp::Div || expr.op == BinOp::FloorDiv;
    return Strided{base, is_quotient ? 0 : a.stride};
}

} // namespace hidet::compiler
