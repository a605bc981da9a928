// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/ranges.h"

#include "compiler/analysis/same.h"
#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"

#include <algorithm>

namespace hidet::compiler {

using namespace ir;

namespace {

// Deeper down, a type's whole range is the answer: a bound on the time a question takes.
constexpr int max_question_depth = 24;

std::optional<Range> range_of_type(const TypeRef& type) {
    auto dtype = scalar_of(type);
    if (!dtype || !is_integer(*dtype))
        return std::nullopt;
    return type_range(*dtype);
}

Range wrap_to(Range range, Range type) {
    return type.contains(range) ? range : type;
}

Range corners(Wide a, Wide b, Wide c, Wide d) {
    return {std::min({a, b, c, d}), std::max({a, b, c, d})};
}

// 64-bit factors fit 127 bits unless both are full-width unsigned values.
std::optional<Range> multiply(Range a, Range b) {
    constexpr Wide limit = Wide{1} << 63;
    auto small = [&](Range r) { return -limit <= r.lo && r.hi <= limit; };
    if (!small(a) || !small(b))
        return std::nullopt;
    return corners(a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi);
}

Wide floor_divide(Wide a, Wide b) {
    Wide quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// Division is monotone in the dividend; in the divisor on either side of zero.
std::optional<Range> divide(Range a, Range b, bool floors) {
    if (b.lo <= 0 && b.hi >= 0)
        return std::nullopt;
    auto quotient = [&](Wide x, Wide y) { return floors ? floor_divide(x, y) : x / y; };
    return corners(quotient(a.lo, b.lo), quotient(a.lo, b.hi), quotient(a.hi, b.lo), quotient(a.hi, b.hi));
}

Wide magnitude(Range r) {
    return std::max(r.lo < 0 ? -r.lo : r.lo, r.hi < 0 ? -r.hi : r.hi);
}

Range floor_remainder(Range a, Range b) { // the sign of the divisor
    if (b.lo > 0) {
        if (a.lo >= 0)
            return {0, std::min(a.hi, b.hi - 1)};
        return {0, b.hi - 1};
    }
    return {b.lo < 0 ? b.lo + 1 : 0, b.hi > 0 ? b.hi - 1 : 0};
}

Range remainder(Range a, Range b) { // the sign of the dividend
    Wide most = std::max<Wide>(magnitude(b) - 1, 0);
    return {a.lo >= 0 ? 0 : std::max(a.lo, -most), a.hi <= 0 ? 0 : std::min(a.hi, most)};
}

// The smallest 2^k - 1 that is not below the value.
Wide all_ones(Wide value) {
    Wide ones = 0;
    while (ones < value)
        ones = ones * 2 + 1;
    return ones;
}

std::optional<Range> bits(BinOp op, Range a, Range b) {
    if (op == BinOp::BitAnd && (a.lo >= 0 || b.lo >= 0)) {
        Wide hi = a.lo < 0 ? b.hi : b.lo < 0 ? a.hi : std::min(a.hi, b.hi);
        return Range{0, hi};
    }
    if (a.lo < 0 || b.lo < 0)
        return std::nullopt;
    return Range{op == BinOp::BitOr ? std::max(a.lo, b.lo) : 0, all_ones(std::max(a.hi, b.hi))};
}

std::optional<Range> shift(BinOp op, Range a, Range by) {
    if (by.lo < 0 || by.hi > 62 || magnitude(a) > (Wide{1} << 63))
        return std::nullopt;
    Wide low = Wide{1} << static_cast<int>(by.lo);
    Wide high = Wide{1} << static_cast<int>(by.hi);
    if (op == BinOp::Shl)
        return corners(a.lo * low, a.lo * high, a.hi * low, a.hi * high);
    return corners(floor_divide(a.lo, low), floor_divide(a.lo, high), floor_divide(a.hi, low),
                   floor_divide(a.hi, high));
}

} // namespace

Range type_range(DType dtype) {
    IntegerRange range = integer_range(dtype);
    return {range.lowest, range.highest};
}

std::optional<Range> Ranges::unwrapped(const Binary& expr, int depth) const {
    auto a = of(expr.a, depth + 1);
    auto b = of(expr.b, depth + 1);
    auto type = range_of_type(expr.type);
    if (!a || !b || !type)
        return std::nullopt;
    switch (expr.op) {
    case BinOp::Add: return Range{a->lo + b->lo, a->hi + b->hi};
    case BinOp::Sub: return Range{a->lo - b->hi, a->hi - b->lo};
    case BinOp::Mul: return multiply(*a, *b);
    case BinOp::Div: return divide(*a, *b, false);
    case BinOp::FloorDiv: return divide(*a, *b, true);
    case BinOp::Mod: return remainder(*a, *b);
    case BinOp::FloorMod: return floor_remainder(*a, *b);
    case BinOp::BitAnd:
    case BinOp::BitOr:
    case BinOp::BitXor: return bits(expr.op, *a, *b);
    case BinOp::Shl:
    case BinOp::Shr: return shift(expr.op, *a, *b);
    default: return std::nullopt;
    }
}

std::optional<Range> Ranges::of_binary(const Binary& expr, int depth) const {
    if (is_comparison(expr.op) || expr.op == BinOp::And || expr.op == BinOp::Or)
        return Range{0, 1};
    auto type = range_of_type(expr.type);
    if (!type)
        return std::nullopt;
    auto exact = unwrapped(expr, depth);
    return exact ? wrap_to(*exact, *type) : *type;
}

std::optional<Range> Ranges::of_intrinsic(const Intrinsic& expr, int depth) const {
    auto type = range_of_type(expr.type);
    if (!type || (expr.id != IntrinsicId::Min && expr.id != IntrinsicId::Max))
        return type;
    auto a = of(expr.args[0], depth + 1);
    auto b = of(expr.args[1], depth + 1);
    if (!a || !b)
        return type;
    if (expr.id == IntrinsicId::Min)
        return Range{std::min(a->lo, b->lo), std::min(a->hi, b->hi)};
    return Range{std::max(a->lo, b->lo), std::max(a->hi, b->hi)};
}

Range Ranges::of_builtin(Builtin which) const {
    if (const auto& known = m_builtins[static_cast<std::size_t>(which)])
        return *known;
    constexpr Wide most = 0x7fffffff;
    switch (which) {
    case Builtin::ThreadIdxX:
    case Builtin::ThreadIdxY: return {0, 1023};
    case Builtin::ThreadIdxZ: return {0, 63};
    case Builtin::BlockIdxX: return {0, most - 1};
    case Builtin::BlockIdxY:
    case Builtin::BlockIdxZ: return {0, 65534};
    case Builtin::BlockDimX:
    case Builtin::BlockDimY: return {1, 1024};
    case Builtin::BlockDimZ: return {1, 64};
    case Builtin::GridDimX: return {1, most};
    case Builtin::GridDimY:
    case Builtin::GridDimZ: return {1, 65535};
    default: return {0, most};
    }
}

std::optional<Range> Ranges::of(const ExprRef& expr, int depth) const {
    if (depth > max_question_depth)
        return range_of_type(expr->type);
    switch (kind_of(*expr)) {
    case ExprKind::Constant: {
        auto value = constant_int(expr);
        if (!value)
            return std::nullopt;
        auto dtype = scalar_of(expr->type);
        Wide wide = dtype == DType::U64 ? Wide{static_cast<std::uint64_t>(*value)} : Wide{*value};
        return Range{wide, wide};
    }
    case ExprKind::Var: {
        auto known = m_vars.find(as<Var>(expr));
        return known != m_vars.end() ? std::optional(known->second) : range_of_type(expr->type);
    }
    case ExprKind::SymbolVar: { // a dimension
        auto type = range_of_type(expr->type);
        return type ? std::optional(Range{std::max<Wide>(type->lo, 0), type->hi}) : std::nullopt;
    }
    case ExprKind::BuiltinVar: return of_builtin(as<BuiltinVar>(expr)->which);
    case ExprKind::Binary: return of_binary(*as<Binary>(expr), depth);
    case ExprKind::Unary: {
        const auto* e = as<Unary>(expr);
        auto type = range_of_type(e->type);
        auto a = type && e->op == UnOp::Neg ? of(e->a, depth + 1) : std::nullopt;
        return a ? wrap_to({-a->hi, -a->lo}, *type) : type;
    }
    case ExprKind::Cast: {
        auto type = range_of_type(expr->type);
        auto a = type ? of(as<Cast>(expr)->a, depth + 1) : std::nullopt;
        return a ? wrap_to(*a, *type) : type;
    }
    case ExprKind::Select: {
        const auto* e = as<Select>(expr);
        auto a = of(e->a, depth + 1);
        auto b = of(e->b, depth + 1);
        if (!a || !b)
            return range_of_type(expr->type);
        return Range{std::min(a->lo, b->lo), std::max(a->hi, b->hi)};
    }
    case ExprKind::Intrinsic: return of_intrinsic(*as<Intrinsic>(expr), depth);
    case HIDET_MEMORY_EXPRS:
    case HIDET_SHORTHAND_EXPRS:
    case ExprKind::Call:
    case ExprKind::Address: return range_of_type(expr->type);
    }
    no_such_kind(*expr);
}

bool Ranges::never_wraps(const ExprRef& expr, int depth) const {
    if (depth > max_question_depth)
        return false;
    if (const auto* e = as<Unary>(expr); e && e->op == UnOp::Neg) {
        auto a = of(e->a, depth + 1);
        auto type = range_of_type(expr->type);
        return a && type && type->contains({-a->hi, -a->lo}) && never_wraps(e->a, depth + 1);
    }
    const auto* e = as<Binary>(expr);
    if (!e)
        return true;
    if (is_comparison(e->op))
        return never_wraps(e->a, depth + 1) && never_wraps(e->b, depth + 1);
    if (e->op != BinOp::Add && e->op != BinOp::Sub && e->op != BinOp::Mul)
        return true;
    auto exact = unwrapped(*e, depth);
    auto type = range_of_type(expr->type);
    return exact && type && type->contains(*exact) && never_wraps(e->a, depth + 1) && never_wraps(e->b, depth + 1);
}

ExprRef Ranges::constant_of(const ExprRef& expr) const {
    auto dtype = scalar_of(expr->type);
    if (!dtype || !is_integer(*dtype) || expr->type->kind != Kind::DataType || *dtype == DType::U64)
        return nullptr;
    auto range = of(expr);
    return range && range->is_single() ? int_constant(static_cast<std::int64_t>(range->lo), *dtype) : nullptr;
}

std::optional<bool> Ranges::compare(const Binary& expr) const {
    auto a = of(expr.a);
    auto b = of(expr.b);
    if (!a || !b)
        return std::nullopt;
    switch (expr.op) {
    case BinOp::Lt:
        if (a->hi < b->lo)
            return true;
        return a->lo >= b->hi ? std::optional(false) : std::nullopt;
    case BinOp::Le:
        if (a->hi <= b->lo)
            return true;
        return a->lo > b->hi ? std::optional(false) : std::nullopt;
    case BinOp::Eq:
    case BinOp::Ne: {
        bool is_equal = expr.op == BinOp::Eq;
        if (a->is_single() && *a == *b)
            return is_equal;
        return a->hi < b->lo || b->hi < a->lo ? std::optional(!is_equal) : std::nullopt;
    }
    default: return std::nullopt;
    }
}

std::optional<bool> Ranges::truth_of(const ExprRef& condition) const {
    if (auto value = constant_int(condition))
        return *value != 0;
    const auto* e = as<Binary>(condition);
    return e && is_comparison(e->op) ? compare(*e) : std::nullopt;
}

void Ranges::bind(const Var& var, Range range) {
    Change change;
    change.var = &var;
    if (auto known = m_vars.find(&var); known != m_vars.end())
        change.before = known->second;
    m_trail.push_back(change);
    m_vars[&var] = range;
}

void Ranges::bind(Builtin which, Range range) {
    auto& known = m_builtins[static_cast<std::size_t>(which)];
    Change change;
    change.builtin = which;
    change.before = known;
    m_trail.push_back(change);
    known = range;
}

void Ranges::restore(std::size_t mark) {
    while (m_trail.size() > mark) {
        const Change& change = m_trail.back();
        m_narrowed -= change.is_narrowing ? 1 : 0;
        if (change.is_comparison)
            m_less.pop_back();
        else if (!change.var)
            m_builtins[static_cast<std::size_t>(change.builtin)] = change.before;
        else if (change.before)
            m_vars[change.var] = *change.before;
        else
            m_vars.erase(change.var);
        m_trail.pop_back();
    }
}

// An empty intersection means that the place is never reached; the fact is dropped then.
void Ranges::narrow(const ExprRef& place, Range by) {
    auto now = of(place);
    if (!now)
        return;
    Range both{std::max(now->lo, by.lo), std::min(now->hi, by.hi)};
    if (both.lo > both.hi || both == *now)
        return;
    const auto* builtin = as<BuiltinVar>(place);
    const auto* var = as<Var>(place);
    if (builtin)
        bind(builtin->which, both);
    else if (var && m_uses && m_uses->is_immutable(*var))
        bind(*var, both);
    else
        return;
    m_trail.back().is_narrowing = true;
    ++m_narrowed;
}

void Ranges::note_less(const ExprRef& a, const ExprRef& b) {
    if (!m_uses || effect_of(a, *m_uses) != Effect::None || effect_of(b, *m_uses) != Effect::None)
        return;
    m_less.push_back({a, b});
    m_trail.push_back({});
    m_trail.back().is_comparison = true;
}

// i + 1 < n tells of i < n, too, where nothing wraps.
bool Ranges::is_below(const ExprRef& a, const ExprRef& b) const {
    const auto shifted = [this](const ExprRef& expr) {
        const auto* sum = as<Binary>(expr);
        const bool is_sum = sum && (sum->op == BinOp::Add || sum->op == BinOp::Sub);
        const auto by = is_sum ? constant_int(sum->b) : std::nullopt;
        if (!by || !never_wraps(expr))
            return std::pair(expr, Wide{0});
        return std::pair(sum->a, sum->op == BinOp::Add ? Wide{*by} : -Wide{*by});
    };
    const auto [index, index_by] = shifted(a);
    const auto [end, end_by] = shifted(b);
    return std::ranges::any_of(m_less, [&](const Less& known) {
        const auto [less, less_by] = shifted(known.a);
        const auto [more, more_by] = shifted(known.b);
        return same_expr(less, index) && same_expr(more, end) && index_by - less_by <= end_by - more_by;
    });
}

void Ranges::assume_comparison(const Binary& comparison, bool truth) {
    auto a = of(comparison.a);
    auto b = of(comparison.b);
    if (!a || !b)
        return;
    if (comparison.op == BinOp::Eq || comparison.op == BinOp::Ne) {
        if (truth != (comparison.op == BinOp::Eq))
            return;
        narrow(comparison.a, *b);
        narrow(comparison.b, *a);
        return;
    }
    // Either  a < b  or  a <= b;  the negation swaps the sides.
    const ExprRef& less = truth ? comparison.a : comparison.b;
    const ExprRef& more = truth ? comparison.b : comparison.a;
    Range low = truth ? *a : *b;
    Range high = truth ? *b : *a;
    Wide gap = (comparison.op == BinOp::Lt) == truth ? 1 : 0;
    if (gap == 1)
        note_less(less, more);
    narrow(less, {low.lo, high.hi - gap});
    narrow(more, {low.lo + gap, high.hi});
}

void Ranges::assume(const ExprRef& condition, bool truth) {
    if (const auto* e = as<Unary>(condition); e && e->op == UnOp::Not)
        return assume(e->a, !truth);
    const auto* e = as<Binary>(condition);
    if (!e)
        return;
    if ((e->op == BinOp::And && truth) || (e->op == BinOp::Or && !truth)) {
        assume(e->a, truth);
        assume(e->b, truth);
    } else if (is_comparison(e->op)) {
        assume_comparison(*e, truth);
    }
}

} // namespace hidet::compiler
