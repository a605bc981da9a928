// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// NumPy's rule in both directions, as ONNX's Expand has it: an extent of 1 asked for is that of x. -1 asks for nothing.
Shape target_of_broadcast(const OpCall& call) {
    const Shape& from = call.inputs[0].shape;
    Shape wants = dims_attribute(call, "shape");
    for (std::size_t i = 0; i < wants.size(); ++i) {
        const auto known = constant_of(wants[i]);
        if (known && *known < 0) {
            const bool has_own = *known == -1 && i + from.size() >= wants.size();
            if (!has_own)
                throw OpError("broadcast of " + text_of(from) + " to " + text_of(wants));
            wants[i] = from[i + from.size() - wants.size()];
        }
    }
    return broadcast(from, wants);
}

Task define_broadcast(const OpCall& call) {
    const Shape& from = call.inputs[0].shape;
    const Shape to = target_of_broadcast(call);
    Task task = define_move(call, "broadcast", to, [&](const Indices& axes) { return broadcast_index(from, axes); });
    TaskBuilder checks("broadcast");
    const std::size_t shift = to.size() - from.size();
    for (std::size_t i = 0; i < from.size(); ++i)
        if (!ir::is_constant(from[i], 1))
            checks.require_equal(from[i], to[shift + i], "broadcast of " + text_of(from) + " to " + text_of(to));
    task.requirements = checks.task().requirements;
    return task;
}

} // namespace

const OpInfo& op_info::Broadcast() {
    static const OpInfo info = {
        .id = OpId::Broadcast,
        .python = "broadcast",
        .parameters = "data, shape: shape",
        .cls = OpClass::Transform,
        .summary =
            "x repeated along extents of 1 and new leading dimensions until it has the shape; -1 keeps an extent, and "
            "so does 1",
        .example = "hidet.ops.broadcast(hidet.randn([3]), [2, 3])",
        .define = define_broadcast,
    };
    return info;
}

} // namespace hidet::graph
