// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_flip(const OpCall& call) {
    const Shape& shape = call.inputs[0].shape;
    const std::vector<std::size_t> dims = axes_attribute(call, "dims", shape.size());
    const Source mirrored = [&](const Indices& axes) {
        Indices index = axes;
        for (std::size_t i : dims)
            index[i] = ir::sub(simplified(ir::sub(shape[i], dim(1))), axes[i]);
        return index;
    };
    return define_move(call, "flip", shape, mirrored, mirrored);
}

} // namespace

const OpInfo& op_info::Flip() {
    static const OpInfo info = {
        .id = OpId::Flip,
        .python = "flip",
        .parameters = "x, dims: ints",
        .cls = OpClass::Transform,
        .summary = "x with the order of the elements reversed along the given dimensions",
        .example = "hidet.ops.flip(hidet.randn([2, 3]), [1])",
        .define = define_flip,
    };
    return info;
}

} // namespace hidet::graph
