// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/scatter.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

Task define_scatter_elements(const OpCall& call) {
    check_scatter_elements(call);
    const Shape data = call.inputs[0].shape;
    const Shape places = call.inputs[1].shape;
    const auto axis =
        static_cast<std::size_t>(normalise_axis(call.attributes.get<std::int64_t>("axis"), data.size(), "axis"));
    TaskBuilder builder("scatter_elements");
    const ir::VarRef x = builder.input("data", call.inputs[0].dtype, data);
    const ir::VarRef indices = builder.input("indices", call.inputs[1].dtype, places);
    const ir::VarRef updates = builder.input("updates", call.inputs[2].dtype, call.inputs[2].shape);
    for (std::size_t d = 0; d < data.size(); ++d) {
        builder.require_equal(places[d], call.inputs[2].shape[d], "indices and updates are of one shape");
        if (d != axis)
            builder.require(ir::less_equal(places[d], data[d]), "the indices are not larger than the data");
    }
    const auto place = [&](const Indices& axes, const Expr& n) {
        Indices index = axes;
        index[axis] = n;
        return index;
    };
    const auto hits = [&](const Indices& axes, const Expr& n) {
        ir::ExprVec conditions; // the indices may cover less than the data
        for (std::size_t d = 0; d < axes.size(); ++d)
            if (d != axis && !same_dim(places[d], data[d]))
                conditions.push_back(ir::less(axes[d], places[d]));
        const Expr to = ir::cast_to(at(indices, place(axes, n)), ir::DType::I64);
        conditions.push_back(ir::logical_or(ir::equal(to, axes[axis]), ir::equal(ir::add(to, data[axis]), axes[axis])));
        return all_of(conditions);
    };
    const auto update = [&](const Indices& axes, const Expr& n) { return at(updates, place(axes, n)); };
    return define_scatter(builder, x, scattering_of(call.attributes), places[axis], hits, update);
}

} // namespace

const OpInfo& op_info::ScatterElements() {
    static const OpInfo info = {
        .id = OpId::ScatterElements,
        .python = "scatter_elements",
        .parameters = "data, indices, updates, axis: int = 0, reduction: str = 'none'",
        .cls = OpClass::Other,
        .summary = "the data with updates at the places that the indices give along `axis`",
        .example = "hidet.ops.scatter_elements(hidet.zeros([3, 3]), hidet.zeros([1, 3], dtype='int64'), "
                   "hidet.ones([1, 3]))",
        .define = define_scatter_elements,
        .indexes = indexed_by_scatter_elements,
    };
    return info;
}

} // namespace hidet::graph
