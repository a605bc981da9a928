// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_view(const OpCall& call) {
    const auto dtype = call.attributes.get<ir::DType>("dtype");
    const auto [from, have] = call.inputs[0];
    if (ir::info(from).bits != ir::info(dtype).bits)
        throw OpError(std::string("the bits of ") + ir::info(from).name + " cannot be read as " + ir::info(dtype).name);
    const Shape to = call.attributes.find("shape") ? dims_attribute(call, "shape") : have;
    TaskBuilder builder("view");
    const ir::VarRef x = builder.input("x", from, have);
    builder.require_equal(element_count(have), element_count(to),
                          "a tensor of shape " + text_of(have) + " cannot be viewed as " + text_of(to));
    const bool reads_nothing = is_empty(to);
    const ir::VarRef y = builder.compute("view", dtype, to, [&](const Indices& axes) -> ir::ExprRef {
        if (reads_nothing)
            return nothing_of(dtype);
        const ir::ExprRef bits = at(x, reshaped_index(have, to, axes));
        return from == dtype ? bits : ir::make_intrinsic(ir::IntrinsicId::Bitcast, {bits}, ir::data_type(dtype));
    });
    if (!reads_nothing)
        builder.inverse(0, [&](const Indices& axes) { return reshaped_index(to, have, axes); });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::View() {
    static const OpInfo info = {
        .id = OpId::View,
        .python = "view",
        .parameters = "x, dtype: dtype, shape: shape = None",
        .cls = OpClass::Transform,
        .summary = "the same bits read as another type of that size, and under another shape if one is given",
        .example = "hidet.ops.view(hidet.randn([2, 3]), 'int32', [3, 2])",
        .define = define_view,
        .shares_memory = true,
    };
    return info;
}

} // namespace hidet::graph
