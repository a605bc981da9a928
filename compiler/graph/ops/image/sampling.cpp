// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/image/sampling.h"

#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Expr fraction(const Expr& coordinate) {
    return ir::sub(coordinate, floor_of(coordinate));
}

} // namespace

Expr linear_weight(const Expr& coordinate, const Expr& tap) {
    const ir::DType dtype = *ir::scalar_of(coordinate->type);
    const Expr upper = fraction(coordinate);
    return ir::select(ir::equal(tap, dim(0)), ir::sub(number(1, dtype), upper), upper);
}

Expr linear_index(const Expr& coordinate, const Expr& tap) {
    return ir::add(ir::cast_to(floor_of(coordinate), ir::DType::I64), tap);
}

Expr cubic_weight(const Expr& coordinate, const Expr& tap, double a) {
    const ir::DType dtype = *ir::scalar_of(coordinate->type);
    const auto real = [&](double value) { return number(value, dtype); };
    const Expr d = abs_of(ir::sub(ir::cast_to(ir::sub(tap, dim(1)), dtype), fraction(coordinate)));
    const Expr near = ir::add(ir::mul(ir::mul(ir::sub(ir::mul(real(a + 2), d), real(a + 3)), d), d), real(1));
    const Expr far =
        ir::sub(ir::mul(ir::add(ir::mul(ir::sub(ir::mul(real(a), d), real(5 * a)), d), real(8 * a)), d), real(4 * a));
    return ir::select(ir::less_equal(d, real(1)), near, far);
}

} // namespace hidet::graph
