// SPDX-License-Identifier: Apache-2.0
#include <numbers>

#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;
using Math = ir::IntrinsicId;

ExprRef exact(const ExprRef& x) {
    const ExprRef erf = ir::math(Math::Erf, {ir::mul(x, number(std::numbers::sqrt2 / 2, x))});
    return ir::mul(ir::mul(number(0.5, x), x), ir::add(number(1, x), erf));
}

ExprRef by_tanh(const ExprRef& x) {
    const double factor = std::numbers::sqrt2 * std::numbers::inv_sqrtpi; // sqrt(2 / pi)
    const ExprRef cube = ir::mul(ir::mul(x, x), x);
    const ExprRef inner = ir::mul(number(factor, x), ir::add(x, ir::mul(number(0.044715, x), cube)));
    return ir::mul(ir::mul(number(0.5, x), x), ir::add(number(1, x), ir::math(Math::Tanh, {inner})));
}

} // namespace

const OpInfo& op_info::Gelu() {
    static const OpInfo info = {
        .id = OpId::Gelu,
        .python = "gelu",
        .parameters = "x, approximate: bool = False",
        .cls = OpClass::Elementwise,
        .summary = "x times the normal distribution's function at x, or its approximation by tanh",
        .example = "hidet.ops.gelu(hidet.randn([2, 3]))",
        .define =
            [](const OpCall& call) {
                const bool is_approximate = call.attributes.get<bool>("approximate");
                return define_unary(call, "gelu",
                                    [&](const ExprRef& x) { return in_wide(x, is_approximate ? by_tanh : exact); });
            },
    };
    return info;
}

} // namespace hidet::graph
