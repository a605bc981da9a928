// SPDX-License-Identifier: Apache-2.0
// A dimension is a polynomial with integer coefficients. Its atoms are symbols and whatever is no sum or product of others:
// quotients, remainders, minima. Atoms are told apart by their text, which is unique because they are in one form themselves.
#include "compiler/graph/core/dim_form.h"

#include <algorithm>
#include <map>

#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/text/print.h"

namespace hidet::graph {

namespace {

using ir::BinOp;

constexpr std::size_t most_terms = 64;
constexpr std::size_t most_factors = 16;

using Monomial = std::vector<std::string>; // sorted

// More factors first, so that the constant comes last.
struct Order {
    bool operator()(const Monomial& a, const Monomial& b) const {
        return a.size() != b.size() ? a.size() > b.size() : a < b;
    }
};
using Terms = std::map<Monomial, std::int64_t, Order>;

class TooLong {};

class Former {
public:
    Terms terms_of(const Dim& expr) {
        if (const auto value = ir::constant_int(expr))
            return *value ? Terms{{{}, *value}} : Terms{};
        if (const auto* binary = ir::as<ir::Binary>(expr))
            return of_binary(*binary);
        if (const auto* unary = ir::as<ir::Unary>(expr); unary && unary->op == ir::UnOp::Neg)
            return product(terms_of(unary->a), {{{}, -1}});
        return atom(rebuilt(expr));
    }

    // A lower bound: where the symbol is added it is 0, where it is subtracted it is as large as it may be.
    Terms least(const Terms& terms, const std::string& symbol, const Dim& limit) {
        const Monomial name = terms_of(symbol_dim(symbol)).begin()->first;
        Terms result;
        for (const auto& [monomial, factor] : terms) {
            const auto found = std::ranges::find(monomial, name.front());
            if (found == monomial.end() || !is_non_negative(monomial)) {
                result = sum(std::move(result), {{monomial, factor}});
                continue;
            }
            Monomial rest = monomial;
            rest.erase(rest.begin() + (found - monomial.begin()));
            if (factor < 0)
                result = sum(std::move(result), product({{std::move(rest), factor}}, terms_of(ir::sub(limit, dim(1)))));
        }
        return result;
    }

    bool is_non_negative(const Monomial& monomial) const {
        return std::ranges::all_of(monomial, [&](const std::string& name) {
            const Dim& factor = m_atoms.at(name);
            const auto* quotient = ir::as<ir::Binary>(factor);
            return factor->kind == ir::Kind::SymbolVar ||
                   (quotient && ir::is_division(quotient->op) && surely_at_most(dim(0), quotient->a) &&
                    surely_at_most(dim(0), quotient->b));
        });
    }

    // What is added stands before what is subtracted.
    Dim expression(const Terms& terms) const {
        Dim sum;
        for (const auto& [monomial, factor] : terms)
            if (factor > 0)
                sum = sum ? ir::add(sum, product_of(monomial, factor)) : product_of(monomial, factor);
        for (const auto& [monomial, factor] : terms)
            if (factor < 0)
                sum = sum && factor != INT64_MIN ? ir::sub(sum, product_of(monomial, -factor))
                      : sum                      ? ir::add(sum, product_of(monomial, factor))
                                                 : product_of(monomial, factor);
        return sum ? sum : dim(0);
    }

private:
    std::map<std::string, Dim> m_atoms;

    Dim product_of(const Monomial& monomial, std::int64_t factor) const {
        Dim term;
        for (const std::string& name : monomial)
            term = term ? ir::mul(term, m_atoms.at(name)) : m_atoms.at(name);
        if (!term)
            return dim(factor);
        return factor == -1 ? ir::negate(term) : ir::mul(term, dim(factor));
    }

    Terms atom(const Dim& expr) {
        std::string text = ir::to_string(expr);
        m_atoms.emplace(text, expr);
        return {{{std::move(text)}, 1}};
    }

    // With operands in one form.
    Dim rebuilt(const Dim& expr) {
        if (const auto* binary = ir::as<ir::Binary>(expr))
            return ir::binary(binary->op, in_one_form(binary->a), in_one_form(binary->b));
        if (const auto* call = ir::as<ir::Intrinsic>(expr); call && call->args.size() == 2)
            return extreme(*call);
        if (const auto* select = ir::as<ir::Select>(expr))
            return ir::select(rebuilt(select->condition), in_one_form(select->a), in_one_form(select->b));
        return expr;
    }

    static Dim extreme(const ir::Intrinsic& call) {
        const Dim a = in_one_form(call.args[0]);
        const Dim b = in_one_form(call.args[1]);
        const bool is_min = call.id == ir::IntrinsicId::Min;
        if (surely_at_most(a, b))
            return is_min ? a : b;
        if (surely_at_most(b, a))
            return is_min ? b : a;
        return ir::math(call.id, {a, b});
    }

    Terms of_binary(const ir::Binary& binary) {
        switch (binary.op) {
        case BinOp::Add: return sum(terms_of(binary.a), terms_of(binary.b));
        case BinOp::Sub: return sum(terms_of(binary.a), product(terms_of(binary.b), {{{}, -1}}));
        case BinOp::Mul: return product(terms_of(binary.a), terms_of(binary.b));
        case BinOp::Div:
        case BinOp::FloorDiv:
            if (auto exact = quotient(terms_of(binary.a), terms_of(binary.b)))
                return *exact;
            [[fallthrough]];
        default: return settled(rebuilt(ir::ExprRef(&binary)));
        }
    }

    // Operands in one form may have folded the operation away.
    Terms settled(const Dim& expr) {
        if (const auto value = ir::constant_int(expr))
            return *value ? Terms{{{}, *value}} : Terms{};
        return atom(expr);
    }

    static void add_to(Terms& terms, const Monomial& monomial, std::int64_t factor) {
        std::int64_t& held = terms[monomial];
        if (__builtin_add_overflow(held, factor, &held))
            throw TooLong();
        if (held == 0)
            terms.erase(monomial);
    }

    static Terms sum(Terms a, const Terms& b) {
        for (const auto& [monomial, factor] : b)
            add_to(a, monomial, factor);
        if (a.size() > most_terms)
            throw TooLong();
        return a;
    }

    static Terms product(const Terms& a, const Terms& b) {
        Terms result;
        for (const auto& [left, x] : a)
            for (const auto& [right, y] : b) {
                Monomial both;
                std::ranges::merge(left, right, std::back_inserter(both));
                std::int64_t factor = 0;
                if (both.size() > most_factors || __builtin_mul_overflow(x, y, &factor))
                    throw TooLong();
                add_to(result, both, factor);
                if (result.size() > most_terms)
                    throw TooLong();
            }
        return result;
    }

    // By one term, where every term of the dividend is a multiple of it: no rounding, whichever way.
    static std::optional<Terms> quotient(const Terms& dividend, const Terms& divisor) {
        if (divisor.size() != 1)
            return std::nullopt;
        const auto& [by, factor] = *divisor.begin();
        Terms result;
        for (const auto& [monomial, value] : dividend) {
            if (!std::ranges::includes(monomial, by) || factor == -1 || value % factor != 0)
                return std::nullopt;
            Monomial rest;
            std::ranges::set_difference(monomial, by, std::back_inserter(rest));
            result[rest] = value / factor;
        }
        return result;
    }
};

bool is_over_symbols(const Dim& expr) {
    const bool has_var = ir::any_of_nodes(
        expr, [](const ir::Var&) { return true; }, [](const ir::TensorElement&) { return true; });
    return !has_var && ir::scalar_of(expr->type) == ir::DType::I64;
}

} // namespace

Dim in_one_form(const Dim& expr) {
    if (constant_of(expr) || expr->kind == ir::Kind::SymbolVar || !is_over_symbols(expr))
        return expr;
    try {
        Former former;
        return former.expression(former.terms_of(expr));
    } catch (const TooLong&) {
        return expr;
    }
}

bool surely_at_most(const Dim& a, const Dim& b, const std::map<std::string, Dim>& limits) {
    const bool is_known = is_over_symbols(a) && is_over_symbols(b);
    if (!is_known)
        return false;
    try {
        Former former;
        Terms difference = former.terms_of(ir::sub(b, a));
        for (const auto& [symbol, limit] : limits)
            difference = former.least(difference, symbol, limit);
        return std::ranges::all_of(
            difference, [&](const auto& term) { return term.second >= 0 && former.is_non_negative(term.first); });
    } catch (const TooLong&) {
        return false;
    }
}

} // namespace hidet::graph
