// SPDX-License-Identifier: Apache-2.0
#include "compiler/simplify/rules.h"

namespace hidet::compiler {

using namespace pattern;

std::span<const Rule> mul_rules() {
    static constexpr Rule rules[] = {
        HIDET_RULE(x * lit<0>, lit<0>),
        HIDET_RULE(x * lit<1>, x),
        HIDET_RULE((x * c0) * c1, x * (c0 * c1)),
        HIDET_RULE((x + c0) * c1, (x * c1) + (c0 * c1)),
        HIDET_RULE((x - c0) * c1, (x * c1) - (c0 * c1)),
        HIDET_RULE((x * c0) * y, (x * y) * c0),
    };
    return rules;
}

} // namespace hidet::compiler
