// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

const OpInfo& op_info::Mod() {
    static const OpInfo info = {
        .id = OpId::Mod,
        .python = "mod",
        .parameters = "x, y, fmod: bool = False",
        .cls = OpClass::Elementwise,
        .summary =
            "the remainder with the divisor's sign, or with `fmod` the dividend's; of integers 0 where the divisor "
            "is 0",
        .example = "hidet.ops.mod(hidet.randn([2, 3]), hidet.full([3], 0.5))",
        .define =
            [](const OpCall& call) {
                const bool is_fmod = call.attributes.get<bool>("fmod");
                return define_binary(call, "mod", [&](const ir::ExprRef& x, const ir::ExprRef& y) {
                    return remainder(x, y, is_fmod ? ir::BinOp::Mod : ir::BinOp::FloorMod);
                });
            },
    };
    return info;
}

} // namespace hidet::graph
