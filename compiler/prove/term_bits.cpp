// SPDX-License-Identifier: Apache-2.0
// Shifts and logic of bits, as sums where the bits are known one by one.
#include <algorithm>
#include <bit>

#include "compiler/prove/term.h"

namespace hidet::compiler::prove {

namespace {

std::optional<std::int64_t> power_of_two(std::int64_t value) {
    if (value <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(value)))
        return std::nullopt;
    return std::countr_zero(static_cast<std::uint64_t>(value));
}

bool is_short_shift(Term by) {
    return by->lowest >= -1 && by->highest < 31; // -1: before the first iteration of a loop, where nobody looks
}

} // namespace

// One of a few shifts.
Term Terms::shifted_by_each(Term a, Term b, Term (Terms::*shift)(Term, Term)) {
    Term out = (this->*shift)(a, constant(b->highest));
    for (std::int64_t by = b->highest - 1; by >= std::max<std::int64_t>(b->lowest, 0); --by)
        out = choose(equal(b, constant(by)), (this->*shift)(a, constant(by)), out);
    return b->lowest >= 0 ? out : choose(less(b, constant(0)), apply("shift", {a, b}, 0, -1, "a shift by -1"), out);
}

Term Terms::shift_left(Term a, Term b) {
    const auto by = constant_of(b);
    if (by && *by >= 0 && *by < 31)
        return scaled(a, std::int64_t{1} << *by);
    return by || !is_short_shift(b) ? apply("shift_left", {a, b}, 0, -1, "a shift by what is not known")
                                    : shifted_by_each(a, b, &Terms::shift_left);
}

Term Terms::shift_right(Term a, Term b) {
    const auto by = constant_of(b);
    if (by && *by >= 0 && *by < 31)
        return quotient(a, constant(std::int64_t{1} << *by));
    return by || !is_short_shift(b) ? apply("shift_right", {a, b}, 0, -1, "a shift by what is not known")
                                    : shifted_by_each(a, b, &Terms::shift_right);
}

// A mask of low bits is a remainder, and one of a run of bits a remainder of a quotient.
Term Terms::bit_and(Term a, Term b) {
    if (constant_of(a))
        std::swap(a, b);
    const auto mask = constant_of(b);
    if (mask && constant_of(a))
        return constant(*constant_of(a) & *mask);
    if (mask && *mask == 0)
        return b;
    if (mask && *mask > 0) {
        const std::int64_t low = std::countr_zero(static_cast<std::uint64_t>(*mask));
        const std::int64_t step = std::int64_t{1} << low;
        if (const auto bits = power_of_two(*mask / step + 1))
            return scaled(remainder(quotient(a, constant(step)), constant(std::int64_t{1} << *bits)), step);
    }
    if (const auto bits = bits_of(a, b); !bits.empty())
        return joined(bits, [&](Term x, Term y) { return choose(equal(x, constant(1)), y, constant(0)); });
    const Term out = apply("and", {a, b}, 0, -1, "an and of bits");
    const Term zero = constant(0);
    const Term is_positive = both(less_equal(zero, a), less_equal(zero, b));
    if (!out->given)
        give(out, either(negate(is_positive), both(less_equal(zero, out), less_equal(out, least(a, b)))));
    return out;
}

namespace {

constexpr std::int64_t most_bits = 20; // of numbers whose bits are told apart
constexpr std::int64_t most_exact_bits = 12;

} // namespace

std::vector<std::pair<Term, Term>> Terms::bits_of(Term a, Term b) {
    std::vector<std::pair<Term, Term>> out;
    const std::int64_t end = std::int64_t{1} << most_exact_bits;
    if (a->lowest < 0 || b->lowest < 0 || a->highest >= end || b->highest >= end)
        return out;
    const std::int64_t highest = std::max(a->highest, b->highest);
    const Term two = constant(2);
    for (std::int64_t step = 1; step <= highest; step *= 2)
        out.emplace_back(remainder(quotient(a, constant(step)), two), remainder(quotient(b, constant(step)), two));
    return out;
}

Term Terms::joined(const std::vector<std::pair<Term, Term>>& bits, const std::function<Term(Term, Term)>& of) {
    Term out = constant(0);
    for (std::size_t i = 0; i < bits.size(); ++i)
        out = add(out, scaled(of(bits[i].first, bits[i].second), std::int64_t{1} << i));
    return out;
}

Term Terms::bit_or(Term a, Term b) {
    if (const auto x = constant_of(a), y = constant_of(b); x && y)
        return constant(*x | *y);
    if (constant_of(a) == 0)
        return b;
    if (constant_of(b) == 0 || a == b)
        return a;
    if (const auto bits = bits_of(a, b); !bits.empty())
        return joined(bits, [&](Term x, Term y) { return choose(equal(x, constant(1)), x, y); });
    const Term out = apply("or", {a, b}, 0, -1, "an or of bits");
    if (!out->given) {
        const Term zero = constant(0);
        const Term is_positive = both(less_equal(zero, a), less_equal(zero, b));
        give(out,
             either(negate(is_positive), all({less_equal(a, out), less_equal(b, out), less_equal(out, add(a, b))})));
    }
    return out;
}

// That it is taken back by the same number, and has as many bits as the longer one: enough for layouts whose index is xored.
Term Terms::bit_xor(Term a, Term b) {
    if (const auto x = constant_of(a), y = constant_of(b); x && y)
        return constant(*x ^ *y);
    if (constant_of(a) == 0)
        return b;
    if (constant_of(b) == 0)
        return a;
    if (a == b)
        return constant(0);
    if (const auto bits = bits_of(a, b); !bits.empty())
        return joined(bits, [&](Term x, Term y) {
            if (constant_of(x) || constant_of(y)) {
                const Term bit = constant_of(x) ? y : x;
                return constant_of(x).value_or(constant_of(y).value_or(0)) == 0 ? bit : sub(constant(1), bit);
            }
            return choose(equal(x, y), constant(0), constant(1));
        });
    if (a->id > b->id)
        std::swap(a, b);
    const Term out = apply("xor", {a, b}, 0, -1, "an xor of bits");
    if (out->given)
        return out;
    const Term zero = constant(0);
    std::vector<Term> known{equal(apply("xor_back", {out, a}, 0, -1, ""), b),
                            equal(apply("xor_back", {out, b}, 0, -1, ""), a)};
    for (std::int64_t bits = 1; bits <= most_bits; ++bits) {
        const Term end = constant(std::int64_t{1} << bits);
        known.push_back(either(negate(both(within(a, zero, end), within(b, zero, end))), within(out, zero, end)));
    }
    give(out, all(known));
    return out;
}

} // namespace hidet::compiler::prove
