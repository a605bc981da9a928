// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/reduction/spectrum.h"

#include <numbers>

#include "compiler/ir/ops.h"

namespace hidet::graph {

Expr spectrum_term(const Expr& real, const Expr& imaginary, const Expr& n, const Expr& k, const Dim& length,
                   const Expr& part, bool is_inverse) {
    // The angle is one of a full turn, whatever n and k are: the remainder is taken in integers.
    const Expr steps = ir::cast_to(ir::floor_mod(ir::mul(n, k), length), spectrum_type);
    const double turn = (is_inverse ? 2 : -2) * std::numbers::pi;
    const Expr angle = ir::div(ir::mul(steps, number(turn, spectrum_type)), ir::cast_to(length, spectrum_type));
    const Expr is_real = ir::equal(part, dim(0));
    const Expr cosine = cos_of(angle);
    const Expr sine = sin_of(angle);
    Expr value = ir::mul(real, ir::select(is_real, cosine, sine));
    if (imaginary)
        value = ir::add(value, ir::mul(imaginary, ir::select(is_real, ir::negate(sine), cosine)));
    return is_inverse ? ir::div(value, ir::cast_to(length, spectrum_type)) : value;
}

Dim bins_of(const Dim& length, bool is_onesided) {
    return is_onesided ? simplified(ir::add(ir::floor_div(length, dim(2)), dim(1))) : length;
}

} // namespace hidet::graph
