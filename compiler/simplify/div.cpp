// SPDX-License-Identifier: Apache-2.0
// Quotients and remainders by constants. What depends on ranges and on the terms of a sum is in divide.cpp.
#include "compiler/simplify/rules.h"

namespace hidet::compiler {

using namespace pattern;

namespace {

bool positive_product(const RuleContext& c) {
    return c.c0() > 0 && c.c1() > 0 && c.fits(Wide{c.c0()} * c.c1());
}
bool inner_is_multiple(const RuleContext& c) { // x % 12 % 4
    return c.c0() > 0 && c.c1() > 0 && c.c0() % c.c1() == 0;
}
bool not_zero(const RuleContext& c) {
    return c.c0() != 0;
}

} // namespace

std::span<const Rule> div_rules() {
    static constexpr Rule rules[] = {
        HIDET_RULE(div(x, lit<1>), x),
        HIDET_RULE(div(lit<0>, c0), lit<0>, not_zero),
        HIDET_RULE(div(div(x, c0), c1), div(x, c0 * c1), positive_product),
    };
    return rules;
}

std::span<const Rule> floordiv_rules() {
    static constexpr Rule rules[] = {
        HIDET_RULE(floordiv(x, lit<1>), x),
        HIDET_RULE(floordiv(lit<0>, c0), lit<0>, not_zero),
        HIDET_RULE(floordiv(floordiv(x, c0), c1), floordiv(x, c0 * c1), positive_product),
    };
    return rules;
}

std::span<const Rule> mod_rules() {
    static constexpr Rule rules[] = {
        HIDET_RULE(rem(x, lit<1>), lit<0>),
        HIDET_RULE(rem(lit<0>, c0), lit<0>, not_zero),
        HIDET_RULE(rem(rem(x, c0), c1), rem(x, c1), inner_is_multiple),
    };
    return rules;
}

std::span<const Rule> floormod_rules() {
    static constexpr Rule rules[] = {
        HIDET_RULE(mod(x, lit<1>), lit<0>),
        HIDET_RULE(mod(lit<0>, c0), lit<0>, not_zero),
        HIDET_RULE(mod(mod(x, c0), c1), mod(x, c1), inner_is_multiple),
    };
    return rules;
}

} // namespace hidet::compiler
