// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/scatter.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_scatter_nd(const OpCall& call) {
    check_scatter_nd(call);
    const Shape data = call.inputs[0].shape;
    const Shape places(call.inputs[1].shape.begin(), call.inputs[1].shape.end() - 1);
    const auto depth = static_cast<std::size_t>(*constant_of(call.inputs[1].shape.back()));
    TaskBuilder builder("scatter_nd");
    const ir::VarRef x = builder.input("data", call.inputs[0].dtype, data);
    const ir::VarRef indices = builder.input("indices", call.inputs[1].dtype, call.inputs[1].shape);
    const ir::VarRef updates = builder.input("updates", call.inputs[2].dtype, call.inputs[2].shape);
    const Shape& slices = call.inputs[2].shape;
    for (std::size_t d = 0; d < slices.size(); ++d)
        builder.require_equal(slices[d], d < places.size() ? places[d] : data[d - places.size() + depth],
                              "there is an update for each row of indices");
    const auto place = [&](const Expr& n) { return places.empty() ? Indices() : ir::unflatten(n, places); };
    const auto hits = [&](const Indices& axes, const Expr& n) {
        ir::ExprVec conditions;
        for (std::size_t d = 0; d < depth; ++d) {
            Indices index = place(n);
            index.push_back(dim(static_cast<std::int64_t>(d)));
            const Expr to = ir::cast_to(at(indices, index), ir::DType::I64);
            conditions.push_back(ir::logical_or(ir::equal(to, axes[d]), ir::equal(ir::add(to, data[d]), axes[d])));
        }
        return all_of(conditions);
    };
    const auto update = [&](const Indices& axes, const Expr& n) {
        Indices index = place(n);
        index.insert(index.end(), axes.begin() + static_cast<std::ptrdiff_t>(depth), axes.end());
        return at(updates, index);
    };
    return define_scatter(builder, x, scattering_of(call.attributes), element_count(places), hits, update);
}

} // namespace

const OpInfo& op_info::ScatterND() {
    static const OpInfo info = {
        .id = OpId::ScatterND,
        .python = "scatter_nd",
        .parameters = "data, indices, updates, reduction: str = 'none'",
        .cls = OpClass::Other,
        .summary = "the data with updates for the slices that rows of indices name",
        .example = "hidet.ops.scatter_nd(hidet.zeros([3, 3]), hidet.zeros([2, 1], dtype='int64'), hidet.ones([2, 3]))",
        .define = define_scatter_nd,
        .indexes = indexed_by_scatter_nd,
    };
    return info;
}

} // namespace hidet::graph
