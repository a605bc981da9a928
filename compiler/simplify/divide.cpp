// SPDX-License-Identifier: Apache-2.0
// Quotients and remainders of sums by constants, the arithmetic that task mappings and layouts are made of.
//
// The dividend is read as a sum of terms `coefficient * expression`. For a common factor g of the divisor c and some of
// the terms, dividend = g * M + R. Where 0 <= R < g,
//     dividend // c = M // (c / g)        dividend % c = (M % (c / g)) * g + R,
// with g = c: the quotient is M and the remainder R. The dividend must not wrap, or it is not that sum; truncating division is
// the same as long as the dividend is not negative.
#include <algorithm>
#include <numeric>

#include "compiler/ir/ops.h"
#include "compiler/simplify/expr_simplifier.h"

namespace hidet::compiler {

using namespace ir;

namespace {

struct Term {
    ExprRef expr; // null: the constant 1
    Wide factor = 1;
};
using Terms = std::vector<Term>;

constexpr std::size_t max_terms = 24;

void collect(const ExprRef& expr, Wide factor, Terms& terms) {
    if (auto value = constant_int(expr)) {
        terms.push_back({nullptr, factor * Wide{*value}});
        return;
    }
    const auto* e = as<Binary>(expr);
    if (e && terms.size() < max_terms) {
        if (e->op == BinOp::Add || e->op == BinOp::Sub) {
            collect(e->a, factor, terms);
            collect(e->b, e->op == BinOp::Add ? factor : -factor, terms);
            return;
        }
        auto by = e->op == BinOp::Mul ? constant_int(e->b) : std::nullopt;
        if (by && factor * Wide{*by} < (Wide{1} << 62) && factor * Wide{*by} > -(Wide{1} << 62)) {
            collect(e->a, factor * Wide{*by}, terms);
            return;
        }
    }
    terms.push_back({expr, factor});
}

class Divider {
public:
    Divider(const Binary& expr, std::int64_t divisor, const Ranges& ranges, PatternBuilder& builder)
        : m_expr(expr), m_divisor(divisor), m_ranges(ranges), m_builder(builder), m_dtype(*scalar_of(expr.type)) {
        collect(expr.a, 1, m_terms);
    }

    ExprRef run() {
        for (Wide g : common_factors())
            if (ExprRef result = split(g))
                return result;
        return peel_multiples();
    }

private:
    bool is_quotient() const { return m_expr.op == BinOp::Div || m_expr.op == BinOp::FloorDiv; }
    BinOp quotient_op() const {
        return m_expr.op == BinOp::Div || m_expr.op == BinOp::Mod ? BinOp::Div : BinOp::FloorDiv;
    }
    BinOp remainder_op() const { return quotient_op() == BinOp::Div ? BinOp::Mod : BinOp::FloorMod; }

    // The divisor, and its factors that some term has, the largest first.
    std::vector<Wide> common_factors() const {
        std::vector<Wide> factors = {m_divisor};
        for (const Term& term : m_terms) {
            Wide a = term.factor < 0 ? -term.factor : term.factor;
            Wide b = m_divisor;
            while (a != 0) {
                Wide rest = b % a;
                b = a;
                a = rest;
            }
            if (b > 1 && term.expr && std::find(factors.begin(), factors.end(), b) == factors.end())
                factors.push_back(b);
        }
        std::sort(factors.rbegin(), factors.rend());
        return factors;
    }

    void part(Wide g, Terms& multiples, Terms& rest) const {
        for (const Term& term : m_terms) {
            if (term.factor % g == 0)
                multiples.push_back({term.expr, term.factor / g});
            else if (term.expr)
                rest.push_back(term);
            else { // a constant gives its multiple of g away
                Wide remainder = ((term.factor % g) + g) % g;
                rest.push_back({nullptr, remainder});
                multiples.push_back({nullptr, (term.factor - remainder) / g});
            }
        }
    }

    std::optional<Range> range_of(const Terms& terms) const {
        Range sum{0, 0};
        for (const Term& term : terms) {
            Range range{1, 1};
            if (term.expr) {
                auto known = m_ranges.of(term.expr);
                constexpr Wide limit = Wide{1} << 62;
                if (!known || known->lo < -limit || known->hi > limit || term.factor > limit || term.factor < -limit)
                    return std::nullopt;
                range = *known;
            }
            Wide a = range.lo * term.factor;
            Wide b = range.hi * term.factor;
            sum = {sum.lo + std::min(a, b), sum.hi + std::max(a, b)};
        }
        return sum;
    }

    ExprRef constant(Wide value) const { return int_constant(static_cast<std::int64_t>(value), m_dtype); }

    ExprRef sum_of(const Terms& terms) {
        ExprRef sum;
        Wide offset = 0;
        for (const Term& term : terms) {
            if (!term.expr) {
                offset += term.factor;
                continue;
            }
            bool subtract = sum && term.factor < 0;
            Wide factor = subtract ? -term.factor : term.factor;
            ExprRef product = factor == 1 ? term.expr : m_builder.binary(BinOp::Mul, term.expr, constant(factor));
            sum = sum ? m_builder.binary(subtract ? BinOp::Sub : BinOp::Add, sum, product) : product;
        }
        if (!sum)
            return constant(offset);
        return offset == 0 ? sum : m_builder.binary(BinOp::Add, sum, constant(offset));
    }

    ExprRef split(Wide g) {
        Terms multiples;
        Terms rest;
        part(g, multiples, rest);
        auto range = range_of(rest);
        if (multiples.empty() || !range || range->lo < 0 || range->hi >= g)
            return nullptr;
        ExprRef reduced = sum_of(multiples);
        ExprRef divisor = constant(m_divisor / g);
        if (is_quotient())
            return g == m_divisor ? reduced : m_builder.binary(quotient_op(), reduced, divisor);
        if (g == m_divisor)
            return sum_of(rest);
        ExprRef remainder = m_builder.binary(remainder_op(), reduced, divisor);
        ExprRef scaled = m_builder.binary(BinOp::Mul, remainder, constant(g));
        return rest.empty() ? scaled : m_builder.binary(BinOp::Add, scaled, sum_of(rest));
    }

    // Multiples of the divisor leave the dividend, whatever the rest is: (64 * i + x) / 64 = i + x / 64.
    ExprRef peel_multiples() {
        Terms multiples;
        Terms rest;
        part(m_divisor, multiples, rest);
        auto range = range_of(rest);
        bool is_any = std::any_of(multiples.begin(), multiples.end(), [](const Term& t) { return t.factor != 0; });
        if (!is_any || rest.empty() || !range || range->lo < 0 || !type_range(m_dtype).contains(*range))
            return nullptr;
        ExprRef inner = m_builder.binary(is_quotient() ? quotient_op() : remainder_op(), sum_of(rest), m_expr.b);
        return is_quotient() ? m_builder.binary(BinOp::Add, sum_of(multiples), inner) : inner;
    }

    const Binary& m_expr;
    Wide m_divisor;
    const Ranges& m_ranges;
    PatternBuilder& m_builder;
    DType m_dtype;
    Terms m_terms;
};

} // namespace

ExprRef divide_sum(const Binary& expr, const Ranges& ranges, PatternBuilder& builder) {
    auto divisor = constant_int(expr.b);
    const auto* dividend = as<Binary>(expr.a);
    if (!divisor || *divisor <= 1 || !dividend || scalar_of(expr.type) == DType::U64) // u64 constants are kept as int64
        return nullptr;
    if (dividend->op != BinOp::Add && dividend->op != BinOp::Sub && dividend->op != BinOp::Mul)
        return nullptr;
    auto range = ranges.of(expr.a);
    bool floors = expr.op == BinOp::FloorDiv || expr.op == BinOp::FloorMod;
    if (!range || (!floors && range->lo < 0) || !ranges.never_wraps(expr.a))
        return nullptr;
    return Divider(expr, *divisor, ranges, builder).run();
}

} // namespace hidet::compiler
