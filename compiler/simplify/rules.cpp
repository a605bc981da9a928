// SPDX-License-Identifier: Apache-2.0
#include "compiler/simplify/rules.h"

namespace hidet::compiler {

using namespace pattern;
using ir::BinOp;

namespace {

// Outside of functions the formatter takes products for pointers.
// clang-format off

// Sums: constants move to the right and merge, so that addresses end in one constant.
constexpr Rule add_rules[] = {
    HIDET_RULE(x + lit<0>, x),
    HIDET_RULE((x + c0) + c1, x + (c0 + c1)),
    HIDET_RULE((x - c0) + c1, x + (c1 - c0)),
    HIDET_RULE((c0 - x) + c1, (c0 + c1) - x),
    HIDET_RULE((x - y) + y, x),
    HIDET_RULE((x * c0) + (x * c1), x * (c0 + c1)),
    HIDET_RULE((x * c0) + x, x * (c0 + lit<1>)),
    HIDET_RULE((div(x, c0) * c0) + rem(x, c0), x),
    HIDET_RULE((floordiv(x, c0) * c0) + mod(x, c0), x),
    HIDET_RULE(((y + div(x, c0) * c0)) + rem(x, c0), y + x),
    HIDET_RULE(ordered((x + c0) + y), (x + y) + c0),
    HIDET_RULE(ordered((x - c0) + y), (x + y) - c0),
    HIDET_RULE(ordered(x + (y + c0)), (x + y) + c0),
    HIDET_RULE(ordered(x + (y - c0)), (x + y) - c0),
};

constexpr Rule sub_rules[] = {
    HIDET_RULE(x - lit<0>, x),
    HIDET_RULE(x - x, lit<0>),
    HIDET_RULE((x + c0) - c1, x + (c0 - c1)),
    HIDET_RULE((x - c0) - c1, x - (c0 + c1)),
    HIDET_RULE((c0 - x) - c1, (c0 - c1) - x),
    HIDET_RULE((x + y) - x, y),
    HIDET_RULE((y + x) - x, y),
    HIDET_RULE(x - (x + y), lit<0> - y),
    HIDET_RULE((x + y) - (x + z), y - z),
    HIDET_RULE((y + x) - (x + z), y - z),
    HIDET_RULE((x * c0) - (x * c1), x * (c0 - c1)),
    HIDET_RULE(x - (div(x, c0) * c0), rem(x, c0)),
    HIDET_RULE(x - (floordiv(x, c0) * c0), mod(x, c0)),
    HIDET_RULE((x + c0) - y, (x - y) + c0),
    HIDET_RULE(x - (y + c0), (x - y) - c0),
};

constexpr Rule mul_rules[] = {
    HIDET_RULE(x * lit<0>, lit<0>),
    HIDET_RULE(x * lit<1>, x),
    HIDET_RULE((x * c0) * c1, x * (c0 * c1)),
    HIDET_RULE((x + c0) * c1, (x * c1) + (c0 * c1)),
    HIDET_RULE((x - c0) * c1, (x * c1) - (c0 * c1)),
    HIDET_RULE((x * c0) * y, (x * y) * c0),
};

// Quotients and remainders by constants. What depends on ranges and on the terms of a sum is in divide.cpp.
bool positive_product(const RuleContext& c) {
    return c.c0() > 0 && c.c1() > 0 && c.fits(Wide{c.c0()} * c.c1());
}
bool inner_is_multiple(const RuleContext& c) { // x % 12 % 4
    return c.c0() > 0 && c.c1() > 0 && c.c0() % c.c1() == 0;
}
bool not_zero(const RuleContext& c) {
    return c.c0() != 0;
}

constexpr Rule div_rules[] = {
    HIDET_RULE(div(x, lit<1>), x),
    HIDET_RULE(div(lit<0>, c0), lit<0>, not_zero),
    HIDET_RULE(div(div(x, c0), c1), div(x, c0 * c1), positive_product),
};

constexpr Rule floordiv_rules[] = {
    HIDET_RULE(floordiv(x, lit<1>), x),
    HIDET_RULE(floordiv(lit<0>, c0), lit<0>, not_zero),
    HIDET_RULE(floordiv(floordiv(x, c0), c1), floordiv(x, c0 * c1), positive_product),
};

constexpr Rule mod_rules[] = {
    HIDET_RULE(rem(x, lit<1>), lit<0>),
    HIDET_RULE(rem(lit<0>, c0), lit<0>, not_zero),
    HIDET_RULE(rem(rem(x, c0), c1), rem(x, c1), inner_is_multiple),
};

constexpr Rule floormod_rules[] = {
    HIDET_RULE(mod(x, lit<1>), lit<0>),
    HIDET_RULE(mod(lit<0>, c0), lit<0>, not_zero),
    HIDET_RULE(mod(mod(x, c0), c1), mod(x, c1), inner_is_multiple),
};

// Comparisons of integers. Adding on both sides keeps an order only where nothing wraps; it always keeps equality.
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

constexpr Rule less_rules[] = {
    HIDET_RULE(x < x, lit<0>),
    HIDET_RULE((x + c0) < c1, x < (c1 - c0), difference_fits),
    HIDET_RULE((x - c0) < c1, x < (c1 + c0), sum_fits),
    HIDET_RULE(c1 < (x + c0), (c1 - c0) < x, difference_fits),
    HIDET_RULE((x + y) < (x + z), y < z, no_wrap),
    HIDET_RULE((y + x) < (x + z), y < z, no_wrap),
    HIDET_RULE((x * c0) < (y * c0), x < y, positive_factor),
    HIDET_RULE((x * c0) < c1, x < div(c1, c0), factor_divides),
};

constexpr Rule less_equal_rules[] = {
    HIDET_RULE(x <= x, lit<1>),
    HIDET_RULE((x + c0) <= c1, x <= (c1 - c0), difference_fits),
    HIDET_RULE((x - c0) <= c1, x <= (c1 + c0), sum_fits),
    HIDET_RULE(c1 <= (x + c0), (c1 - c0) <= x, difference_fits),
    HIDET_RULE((x + y) <= (x + z), y <= z, no_wrap),
    HIDET_RULE((y + x) <= (x + z), y <= z, no_wrap),
    HIDET_RULE((x * c0) <= (y * c0), x <= y, positive_factor),
};

constexpr Rule equal_rules[] = {
    HIDET_RULE(x == x, lit<1>),
    HIDET_RULE((x + c0) == c1, x == (c1 - c0)),
    HIDET_RULE((x + y) == (x + z), y == z),
    HIDET_RULE((y + x) == (x + z), y == z),
    HIDET_RULE((x * c0) == lit<0>, x == lit<0>, positive_factor),
};

constexpr Rule not_equal_rules[] = {
    HIDET_RULE(x != x, lit<0>),
    HIDET_RULE((x + c0) != c1, x != (c1 - c0)),
    HIDET_RULE((x + y) != (x + z), y != z),
    HIDET_RULE((y + x) != (x + z), y != z),
};

constexpr Rule bit_and_rules[] = {
    HIDET_RULE(x & lit<0>, lit<0>),
    HIDET_RULE(x & lit<-1>, x),
    HIDET_RULE(x & x, x),
    HIDET_RULE((x & c0) & c1, x & (c0 & c1)),
};

constexpr Rule bit_or_rules[] = {
    HIDET_RULE(x | lit<0>, x),
    HIDET_RULE(x | x, x),
    HIDET_RULE((x | c0) | c1, x | (c0 | c1)),
};

constexpr Rule bit_xor_rules[] = {
    HIDET_RULE(x ^ lit<0>, x),
    HIDET_RULE(x ^ x, lit<0>),
    HIDET_RULE((x ^ c0) ^ c1, x ^ (c0 ^ c1)),
    HIDET_RULE((x ^ y) ^ y, x),
};

constexpr Rule shift_left_rules[] = {
    HIDET_RULE(x << lit<0>, x),
};

constexpr Rule shift_right_rules[] = {
    HIDET_RULE(x >> lit<0>, x),
};

// clang-format on

} // namespace

bool RuleContext::fits(Wide value) const {
    auto dtype = ir::scalar_of(ir::as<ir::Binary>(whole)->a->type);
    return dtype && type_range(*dtype).contains({value, value});
}

std::span<const Rule> rules_of(BinOp op) {
    switch (op) {
    case BinOp::Add: return add_rules;
    case BinOp::Sub: return sub_rules;
    case BinOp::Mul: return mul_rules;
    case BinOp::Div: return div_rules;
    case BinOp::Mod: return mod_rules;
    case BinOp::FloorDiv: return floordiv_rules;
    case BinOp::FloorMod: return floormod_rules;
    case BinOp::Lt: return less_rules;
    case BinOp::Le: return less_equal_rules;
    case BinOp::Eq: return equal_rules;
    case BinOp::Ne: return not_equal_rules;
    case BinOp::BitAnd: return bit_and_rules;
    case BinOp::BitOr: return bit_or_rules;
    case BinOp::BitXor: return bit_xor_rules;
    case BinOp::Shl: return shift_left_rules;
    case BinOp::Shr: return shift_right_rules;
    case BinOp::And:
    case BinOp::Or: return {}; // lazy operators: see ExprSimplifier
    }
    return {};
}

} // namespace hidet::compiler
