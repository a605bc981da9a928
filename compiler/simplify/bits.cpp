// SPDX-License-Identifier: Apache-2.0
#include "compiler/simplify/rules.h"

namespace hidet::compiler {

using namespace pattern;

std::span<const Rule> bit_and_rules() {
    static constexpr Rule rules[] = {
        HIDET_RULE(x & lit<0>, lit<0>),
        HIDET_RULE(x & lit<-1>, x),
        HIDET_RULE(x & x, x),
        HIDET_RULE((x & c0) & c1, x & (c0 & c1)),
    };
    return rules;
}

std::span<const Rule> bit_or_rules() {
    static constexpr Rule rules[] = {
        HIDET_RULE(x | lit<0>, x),
        HIDET_RULE(x | x, x),
        HIDET_RULE((x | c0) | c1, x | (c0 | c1)),
    };
    return rules;
}

std::span<const Rule> bit_xor_rules() {
    static constexpr Rule rules[] = {
        HIDET_RULE(x ^ lit<0>, x),
        HIDET_RULE(x ^ x, lit<0>),
        HIDET_RULE((x ^ c0) ^ c1, x ^ (c0 ^ c1)),
        HIDET_RULE((x ^ y) ^ y, x),
    };
    return rules;
}

std::span<const Rule> shift_left_rules() {
    static constexpr Rule rules[] = {
        HIDET_RULE(x << lit<0>, x),
    };
    return rules;
}

std::span<const Rule> shift_right_rules() {
    static constexpr Rule rules[] = {
        HIDET_RULE(x >> lit<0>, x),
    };
    return rules;
}

} // namespace hidet::compiler
