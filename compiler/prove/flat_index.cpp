// SPDX-License-Identifier: Apache-2.0
#include "compiler/prove/flat_index.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace hidet::compiler::prove {

namespace {

constexpr int most_dimensions = 4;

struct Summand {
    Term term = nullptr;
    std::int64_t factor = 1;
};

std::vector<Summand> summands_of(Term term) {
    if (term->kind != TermKind::Sum)
        return {{term, 1}};
    std::vector<Summand> out;
    for (std::size_t i = 0; i < term->args.size(); ++i)
        out.push_back({term->args[i], term->factors[i]});
    return out;
}

// What the product is without the stride; null: it is no multiple of that.
Term without(Terms& terms, Term product, Term stride) {
    if (product == stride)
        return terms.constant(1);
    if (product->kind != TermKind::Product)
        return nullptr;
    for (const std::size_t i : {0, 1}) {
        const Term other = product->args[1 - i];
        if (product->args[i] == stride)
            return other;
        if (const Term left = without(terms, product->args[i], stride))
            return terms.multiply(left, other);
    }
    return nullptr;
}

// `whole` = factor * stride * row + column, whatever the numbers are.
struct Split {
    Term row = nullptr, column = nullptr;
};
Split split(Terms& terms, Term whole, Term stride, std::int64_t factor) {
    Term row = terms.constant(0);
    for (const Summand& part : summands_of(whole))
        if (const Term rest = part.factor % factor == 0 ? without(terms, part.term, stride) : nullptr)
            row = terms.add(row, terms.scaled(rest, part.factor / factor));
    return {row, terms.sub(whole, terms.scaled(terms.multiply(row, stride), factor))};
}

void strides_in(Term term, std::vector<Term>& out) {
    if (term->kind == TermKind::Product)
        for (Term arg : term->args)
            strides_in(arg, out);
    else if (term->same == Same::InLaunch && std::ranges::find(out, term) == out.end())
        out.push_back(term);
}

std::int64_t common_factor(Term term, Term stride, Terms& terms) {
    std::int64_t out = 0;
    for (const Summand& part : summands_of(term))
        if (without(terms, part.term, stride))
            out = std::gcd(out, part.factor);
    return out;
}

Term fact_of(Terms& terms, Term a, Term b, int depth) {
    std::vector<Term> strides;
    for (const Summand& part : summands_of(a))
        if (part.term->kind == TermKind::Product)
            strides_in(part.term, strides);
    Term out = terms.truth(true);
    if (depth == most_dimensions)
        return out;
    for (const Term stride : strides) {
        const std::int64_t factor = std::gcd(common_factor(a, stride, terms), common_factor(b, stride, terms));
        if (factor <= 0)
            continue;
        const Split x = split(terms, a, stride, factor), y = split(terms, b, stride, factor);
        const Term zero = terms.constant(0), end = terms.scaled(stride, factor);
        const Term fits = terms.both(terms.within(x.column, zero, end), terms.within(y.column, zero, end));
        const Term same =
            terms.all({terms.equal(x.row, y.row), terms.equal(x.column, y.column),
                       fact_of(terms, x.row, y.row, depth + 1), fact_of(terms, x.column, y.column, depth + 1)});
        out = terms.both(out, terms.any({terms.negate(fits), terms.negate(terms.equal(a, b)), same}));
    }
    return out;
}

} // namespace

Term flat_index_fact(Terms& terms, Term a, Term b) {
    return fact_of(terms, a, b, 0);
}

} // namespace hidet::compiler::prove
