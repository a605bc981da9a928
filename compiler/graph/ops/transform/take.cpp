// SPDX-License-Identifier: Apache-2.0
// Elements by index: Take and IdxSel replace a dimension by the indices, Gather has an index for every element of the result,
// GatherND a tuple of them. An index counts from the end when it is negative; one that is outside finds NaN (0 where the type
// has none), because a kernel cannot stop and must not read there.
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
    return builder.finish(name, dtype, shape, [&](const Indices& axes) {
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
}

Task define_idx_sel(const OpCall& call) {
    if (call.inputs[1].shape.size() != 1)
        throw OpError("index_select wants a vector of indices, not ", text_of(call.inputs[1]));
    return define_take(call, "index_select", axis_attribute(call, "dim", rank_of(call)));
}

Task define_gather(const OpCall& call) {
    want_integers(call, 1, "gather");
    const auto [dtype, from] = call.inputs[0];
    const Shape& shape = call.inputs[1].shape;
    if (shape.size() != from.size())
        throw OpError("gather from ", text_of(from), " with indices of shape ", text_of(shape));
    const std::size_t axis = axis_attribute(call, "axis", from.size());
    TaskBuilder builder("gather");
    const ir::VarRef x = builder.input("x", dtype, from);
    const ir::VarRef chosen = builder.input("indices", call.inputs[1].dtype, shape);
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (i != axis)
            builder.require(ir::less_equal(shape[i], from[i]),
                            "gather from " + text_of(from) + " with indices of shape " + text_of(shape));
    return builder.finish("gather", dtype, shape, [&](const Indices& axes) {
        return with_index(at(chosen, axes), from[axis], IndexOrigin::Either,
                          [&](const ExprRef& position, const ExprRef& is_inside) {
                              Indices index = axes;
                              index[axis] = position;
                              return guarded_read(x, index, is_inside, nothing_of(dtype));
                          });
    });
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

// The last extent of the indices: how many dimensions of x they name.
std::size_t tuple_length(const OpCall& call, std::size_t batch_dims) {
    const Shape& from = call.inputs[0].shape;
    const Shape& indices = call.inputs[1].shape;
    const auto length = indices.empty() ? std::nullopt : constant_of(indices.back());
    const bool fits = length && *length >= 0 && batch_dims < indices.size() &&
                      batch_dims + static_cast<std::size_t>(*length) <= from.size();
    if (!fits)
        throw OpError("gather_nd from ", text_of(from), " with indices of shape ", text_of(indices), " and ",
                      batch_dims, " batch dimensions");
    return static_cast<std::size_t>(*length);
}

struct Names {
    const ir::VarRef& x;
    const ir::VarRef& indices;
    Indices tuple; // of the indices, without the last dimension
    std::size_t length;
    std::size_t batch_dims;
};

// Names the dimensions one by one, each inside of the Let of the one before.
ExprRef read(const Names& names, Indices found, const ExprRef& is_inside, const Indices& rest) {
    const std::size_t next = found.size() - names.batch_dims;
    if (next == names.length) {
        found.insert(found.end(), rest.begin(), rest.end());
        return guarded_read(names.x, found, is_inside, nothing_of(dtype_of(names.x)));
    }
    Indices place = names.tuple;
    place.push_back(dim(static_cast<std::int64_t>(next)));
    return with_index(at(names.indices, place), shape_of(names.x)[found.size()], IndexOrigin::Either,
                      [&](const ExprRef& position, const ExprRef& is_found) {
                          Indices more = found;
                          more.push_back(position);
                          return read(names, more, ir::logical_and(is_inside, is_found), rest);
                      });
}

Task define_gather_nd(const OpCall& call) {
    want_integers(call, 1, "gather_nd");
    const auto [dtype, from] = call.inputs[0];
    const Shape& indices = call.inputs[1].shape;
    const std::int64_t given = call.attributes.get<std::int64_t>("batch_dims");
    if (given < 0)
        throw OpError("gather_nd: batch_dims is ", given);
    const auto batch_dims = static_cast<std::size_t>(given);
    const std::size_t length = tuple_length(call, batch_dims);
    TaskBuilder builder("gather_nd");
    const ir::VarRef x = builder.input("x", dtype, from);
    const ir::VarRef chosen = builder.input("indices", call.inputs[1].dtype, indices);
    for (std::size_t i = 0; i < batch_dims; ++i)
        builder.require_equal(from[i], indices[i],
                              "gather_nd from " + text_of(from) + " with indices of shape " + text_of(indices));
    Shape shape(indices.begin(), indices.end() - 1);
    shape.insert(shape.end(), from.begin() + static_cast<std::ptrdiff_t>(batch_dims + length), from.end());
    return builder.finish("gather_nd", dtype, shape, [&](const Indices& axes) {
        const auto split = axes.begin() + static_cast<std::ptrdiff_t>(indices.size()) - 1;
        const Names names{x, chosen, Indices(axes.begin(), split), length, batch_dims};
        const Indices batch(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(batch_dims));
        return read(names, batch, ir::bool_constant(true), Indices(split, axes.end()));
    });
}

std::vector<Indexing> indexed_by_tuples(const OpCall& call) {
    const auto batch_dims = static_cast<std::size_t>(call.attributes.get<std::int64_t>("batch_dims"));
    const auto first = call.inputs[0].shape.begin() + static_cast<std::ptrdiff_t>(batch_dims);
    return {
        {.operand = 1, .extents = Shape(first, first + static_cast<std::ptrdiff_t>(tuple_length(call, batch_dims)))}};
}

} // namespace

std::span<const OpInfo> op_tables::take() {
    static const OpInfo table[] = {
        {.id = OpId::Take,
         .python = "take",
         .parameters = "data, indices, axis: int = 0",
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
         .more = "from_end: bool = True"},
        {OpId::IdxSel, "index_select", "data, index, dim: int = 0", OpClass::Transform,
         "the slices of x along `dim` that a vector of indices names; NaN or 0 where an index is outside",
         "hidet.ops.index_select(hidet.randn([5, 3]), hidet.asarray([4, 0]), dim=0)", define_idx_sel,
         indexed<dim_name>},
        {OpId::Gather, "gather", "data, indices, axis: int = 0", OpClass::Transform,
         "for each index the element of x at its place, but along `axis` at the index; NaN or 0 where one is outside",
         "hidet.ops.gather(hidet.randn([2, 3]), hidet.asarray([[0, 2], [1, 1]]), axis=1)", define_gather,
         indexed<axis_name>},
        {OpId::GatherND, "gather_nd", "data, indices, batch_dims: int = 0", OpClass::Transform,
         "the elements or slices of x at the tuples of indices in the last dimension; NaN or 0 where an index is "
         "outside",
         "hidet.ops.gather_nd(hidet.randn([2, 3, 4]), hidet.asarray([[0, 2], [1, 0]]))", define_gather_nd,
         indexed_by_tuples},
    };
    return table;
}

} // namespace hidet::graph
