// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_tile(const OpCall& call) {
    const Shape& from = call.inputs[0].shape;
    const Shape repeats = dims_attribute(call, "repeats");
    if (repeats.size() != from.size())
        throw OpError("tile: " + std::to_string(repeats.size()) + " repeats for a tensor of shape " + text_of(from));
    Shape to;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (constant_of(repeats[i]) && *constant_of(repeats[i]) < 0)
            throw OpError("tile: repeats " + text_of(repeats) + " are negative");
        to.push_back(simplified(ir::mul(from[i], repeats[i])));
    }
    return define_move(call, "tile", to, [&](const Indices& axes) {
        Indices index;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const bool is_once = ir::is_constant(repeats[i], 1);
            const auto again = [&] { return ir::truncating_mod(axes[i], from[i]); };
            index.push_back(is_once ? axes[i] : ir::is_constant(from[i], 1) ? dim(0) : again());
        }
        return index;
    });
}

} // namespace

const OpInfo& op_info::Tile() {
    static const OpInfo info = {
        .id = OpId::Tile,
        .python = "tile",
        .parameters = "data, repeats: shape",
        .cls = OpClass::Transform,
        .summary = "x repeated as a whole, repeats[i] times along dimension i",
        .example = "hidet.ops.tile(hidet.randn([2, 3]), [1, 2])",
        .define = define_tile,
    };
    return info;
}

} // namespace hidet::graph
