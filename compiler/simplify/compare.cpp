// SPDX-License-Identifier: Apache-2.0
// Comparisons of integers. Adding on both sides keeps an order only where nothing wraps; it always keeps equality.
#include "compiler/simplify/rules.h"

namespace hidet::compiler {

using namespace pattern;

namespace {

bool difference_fits(const RuleContext& c) {
    return c.no_wrap() && c.fits(Wide{c.c1()} - c.c0());
}
bool sum_fits(const RuleContext& c) {
    return c.no_wrap() && c.fits(Wide{c.c1()} + c.c0());
}
bool no_wrap(const RuleContext& c) {
    return c.no_wrap();
}
bool positive_factor(const RuleContext& c) {
    return c.no_wrap() && c.c0() > 0;
}
// x * c0 < c1 means x < c1 / c0, where that is exact.
bool factor_divides(const RuleContext& c) {
    return positive_factor(c) && c.c1() % c.c0() == 0;
}

} // namespace

std::span<const Rule> less_rules() {
    static constexpr Rule rules[] = {
        HIDET_RULE(x < x, lit<0>),
        HIDET_RULE((x + c0) < c1, x < (c1 - c0), difference_fits),
        HIDET_RULE((x - c0) < c1, x < (c1 + c0), sum_fits),
        HIDET_RULE(c1 < (x + c0), (c1 - c0) < x, difference_fits),
        HIDET_RULE((x + y) < (x + z), y < z, no_wrap),
        HIDET_RULE((y + x) < (x + z), y < z, no_wrap),
        HIDET_RULE((x * c0) < (y * c0), x < y, positive_factor),
        HIDET_RULE((x * c0) < c1, x < div(c1, c0), factor_divides),
    };
    return rules;
}

std::span<const Rule> less_equal_rules() {
    static constexpr Rule rules[] = {
        HIDET_RULE(x <= x, lit<1>),
        HIDET_RULE((x + c0) <= c1, x <= (c1 - c0), difference_fits),
        HIDET_RULE((x - c0) <= c1, x <= (c1 + c0), sum_fits),
        HIDET_RULE(c1 <= (x + c0), (c1 - c0) <= x, difference_fits),
        HIDET_RULE((x + y) <= (x + z), y <= z, no_wrap),
        HIDET_RULE((y + x) <= (x + z), y <= z, no_wrap),
        HIDET_RULE((x * c0) <= (y * c0), x <= y, positive_factor),
    };
    return rules;
}

std::span<const Rule> equal_rules() {
    static constexpr Rule rules[] = {
        HIDET_RULE(x == x, lit<1>),
        HIDET_RULE((x + c0) == c1, x == (c1 - c0)),
        HIDET_RULE((x + y) == (x + z), y == z),
        HIDET_RULE((y + x) == (x + z), y == z),
        HIDET_RULE((x * c0) == lit<0>, x == lit<0>, positive_factor),
    };
    return rules;
}

std::span<const Rule> not_equal_rules() {
    static constexpr Rule rules[] = {
        HIDET_RULE(x != x, lit<0>),
        HIDET_RULE((x + c0) != c1, x != (c1 - c0)),
        HIDET_RULE((x + y) != (x + z), y != z),
        HIDET_RULE((y + x) != (x + z), y != z),
    };
    return rules;
}

} // namespace hidet::compiler
