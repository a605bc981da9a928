// SPDX-License-Identifier: Apache-2.0
// Sums: constants move to the right and merge, so that addresses end in one constant.
#include "compiler/simplify/rules.h"

namespace hidet::compiler {

using namespace pattern;

std::span<const Rule> add_rules() {
    static constexpr Rule rules[] = {
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
    return rules;
}

std::span<const Rule> sub_rules() {
    static constexpr Rule rules[] = {
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
    return rules;
}

} // namespace hidet::compiler
