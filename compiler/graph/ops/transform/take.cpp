// SPDX-License-Identifier: Apache-2.0
// Elements by index: Take and IdxSel replace a dimension by the indices, Gather has an index for every element of the result.
// An index counts from the end when it is negative; one that is outside finds NaN (0 where the type has none), because a
// kernel cannot stop and must not read there.
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;

Task define_take(const OpCall& call, const std::string& name, std::size_t axis,
                 IndexOrigin origin = IndexOrigin::Either) {
    want_integers(call, 1, name.c_str());
    const auto [dtype, from] = call.inputs[0];
    const Shape& indices = call.inputs[1].shape;
    TaskBuilder builder(name);
    const ir::VarRef x = builder.input("x", dtype, from);
    const ir::VarRef chosen = builder.input("indices", call.inputs[1].dtype, indices);
    const auto split = static_cast<std::ptrdiff_t>(axis);
    Shape shape(from.begin(), from.begin() + split);
    shape.insert(shape.end(), indices.begin(), indices.end());
    shape.insert(shape.end(), from.begin() + split + 1, from.end());
    const ir::VarRef y = builder.compute(name, dtype, shape, [&](const Indices& axes) {
        const auto middle = axes.begin() + split;
        const auto after = middle + static_cast<std::ptrdiff_t>(indices.size());
        return with_index(at(chosen, Indices(middle, after)), from[axis], origin,
                          [&](const ExprRef& position, const ExprRef& is_inside) {
                              Indices index(axes.begin(), middle);
                              index.push_back(position);
                              index.insert(index.end(), after, axes.end());
                              return guarded_read(x, index, is_inside, nothing_of(dtype));
                          });
    });
    return builder.finish({y});
}

Task define_idx_sel(const OpCall& call) {
    if (call.inputs[1].shape.size() != 1)
        throw OpError("index_select wants a vector of indices, not " + text_of(call.inputs[1]));
    return define_take(call, "index_select", axis_attribute(call, "dim", rank_of(call)));
}

Task define_gather(const OpCall& call) {
    want_integers(call, 1, "gather");
    const auto [dtype, from] = call.inputs[0];
    const Shape& shape = call.inputs[1].shape;
    if (shape.size() != from.size())
        throw OpError("gather from " + text_of(from) + " with indices of shape " + text_of(shape));
    const std::size_t axis = axis_attribute(call, "axis", from.size());
    TaskBuilder builder("gather");
    const ir::VarRef x = builder.input("x", dtype, from);
    const ir::VarRef chosen = builder.input("indices", call.inputs[1].dtype, shape);
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (i != axis)
            builder.require(ir::less_equal(shape[i], from[i]),
                            "gather from " + text_of(from) + " with indices of shape " + text_of(shape));
    const ir::VarRef y = builder.compute("gather", dtype, shape, [&](const Indices& axes) {
        return with_index(at(chosen, axes), from[axis], IndexOrigin::Either,
                          [&](const ExprRef& position, const ExprRef& is_inside) {
                              Indices index = axes;
                              index[axis] = position;
                              return guarded_read(x, index, is_inside, nothing_of(dtype));
                          });
    });
    return builder.finish({y});
}

template <const char* axis>
std::vector<Indexing> indexed(const OpCall& call) {
    return {{.operand = 1, .extents = {call.inputs[0].shape[axis_attribute(call, axis, rank_of(call))]}}};
}
bool is_from_end(const OpCall& call) {
    return call.attributes.get<bool>("from_end");
}
constexpr char axis_name[] = "axis";
constexpr char dim_name[] = "dim";

} // namespace

const OpInfo& op_info::Take() {
    static const OpInfo info = {
        .id = OpId::Take,
        .python = "take",
        .parameters = "data, indices, axis: int = 0",
        .more = "from_end: bool = True",
        .cls = OpClass::Transform,
        .summary =
            "x with the dimension `axis` replaced by those of the indices into it; NaN or 0 where an index is outside",
        .example = "hidet.ops.take(hidet.randn([5, 3]), hidet.asarray([4, 0, -1]), axis=0)",
        .define =
            [](const OpCall& call) {
                return define_take(call, "take", axis_attribute(call, "axis", rank_of(call)),
                                   is_from_end(call) ? IndexOrigin::Either : IndexOrigin::Start);
            },
        .indexes = [](const OpCall& call) -> std::vector<Indexing> {
            std::vector<Indexing> indexing = indexed<axis_name>(call);
            indexing[0].is_from_end = is_from_end(call);
            return indexing;
        },
    };
    return info;
}

const OpInfo& op_info::IdxSel() {
    static const OpInfo info = {
        .id = OpId::IdxSel,
        .python = "index_select",
        .parameters = "data, index, dim: int = 0",
        .cls = OpClass::Transform,
        .summary = "the slices of x along `dim` that a vector of indices names; NaN or 0 where an index is outside",
        .example = "hidet.ops.index_select(hidet.randn([5, 3]), hidet.asarray([4, 0]), dim=0)",
        .define = define_idx_sel,
        .indexes = indexed<dim_name>,
    };
    return info;
}

const OpInfo& op_info::Gather() {
    static const OpInfo info = {
        .id = OpId::Gather,
        .python = "gather",
        .parameters = "data, indices, axis: int = 0",
        .cls = OpClass::Transform,
        .summary = "for each index the element of x at its place, but along `axis` at the index; NaN or 0 where one is "
                   "outside",
        .example = "hidet.ops.gather(hidet.randn([2, 3]), hidet.asarray([[0, 2], [1, 1]]), axis=1)",
        .define = define_gather,
        .indexes = indexed<axis_name>,
    };
    return info;
}
} // namespace hidet::graph
