// SPDX-License-Identifier: Apache-2.0
#include "compiler/prove/kernel_facts.h"

namespace hidet::compiler::prove {

Term is_before(Terms& terms, const Moment& first, const Moment& second) {
    Term out = terms.truth(false), reached = terms.truth(true);
    for (std::size_t i = 0; i < std::min(first.loops.size(), second.loops.size()); ++i) {
        const Term a = first.loops[i].iteration, b = second.loops[i].iteration;
        if (first.loops[i].loop != second.loops[i].loop)
            break;
        out = terms.either(out, terms.both(reached, terms.less(a, b)));
        reached = terms.both(reached, terms.equal(a, b));
    }
    return first.place < second.place ? terms.either(out, reached) : out;
}

} // namespace hidet::compiler::prove
