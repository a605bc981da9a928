// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// By `sign` times the shifts; a dimension that is named twice is rolled twice.
Indices rolled(const OpCall& call, const Indices& axes, std::int64_t sign) {
    const Shape& shape = call.inputs[0].shape;
    const Ints shifts = ints_attribute(call, "shifts");
    const Ints dims = ints_attribute(call, "dims");
    Indices index = axes;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const auto axis = static_cast<std::size_t>(normalise_axis(dims[i], shape.size(), "dimension"));
        const auto extent = constant_of(shape[axis]);
        const std::int64_t by = sign * (extent && *extent ? shifts[i] % *extent : shifts[i]);
        index[axis] = ir::floor_mod(ir::add(index[axis], dim(by)), shape[axis]);
    }
    return index;
}

Task define_roll(const OpCall& call) {
    if (ints_attribute(call, "shifts").size() != ints_attribute(call, "dims").size())
        throw OpError("roll wants one shift a dimension");
    return define_move(
        call, "roll", call.inputs[0].shape, [&](const Indices& axes) { return rolled(call, axes, -1); },
        [&](const Indices& axes) { return rolled(call, axes, 1); });
}

} // namespace

const OpInfo& op_info::Roll() {
    static const OpInfo info = {
        .id = OpId::Roll,
        .python = "roll",
        .parameters = "x, shifts: ints, dims: ints",
        .cls = OpClass::Transform,
        .summary =
            "x with the elements moved on by shifts[i] along dims[i]; those that leave at the end come in at the front",
        .example = "hidet.ops.roll(hidet.randn([2, 3]), shifts=[1], dims=[1])",
        .define = define_roll,
    };
    return info;
}

} // namespace hidet::graph
