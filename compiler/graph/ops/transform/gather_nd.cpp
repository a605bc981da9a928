// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;

// The last extent of the indices: how many dimensions of x they name.
std::size_t tuple_length(const OpCall& call, std::size_t batch_dims) {
    const Shape& from = call.inputs[0].shape;
    const Shape& indices = call.inputs[1].shape;
    const auto length = indices.empty() ? std::nullopt : constant_of(indices.back());
    const bool fits = length && *length >= 0 && batch_dims < indices.size() &&
                      batch_dims + static_cast<std::size_t>(*length) <= from.size();
    if (!fits)
        throw OpError("gather_nd from " + text_of(from) + " with indices of shape " + text_of(indices) + " and " +
                      std::to_string(batch_dims) + " batch dimensions");
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
        throw OpError("gather_nd: batch_dims is " + std::to_string(given));
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
    const ir::VarRef y = builder.compute("gather_nd", dtype, shape, [&](const Indices& axes) {
        const auto split = axes.begin() + static_cast<std::ptrdiff_t>(indices.size()) - 1;
        const Names names{x, chosen, Indices(axes.begin(), split), length, batch_dims};
        const Indices batch(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(batch_dims));
        return read(names, batch, ir::bool_constant(true), Indices(split, axes.end()));
    });
    return builder.finish({y});
}

std::vector<Indexing> indexed_by_tuples(const OpCall& call) {
    const auto batch_dims = static_cast<std::size_t>(call.attributes.get<std::int64_t>("batch_dims"));
    const auto first = call.inputs[0].shape.begin() + static_cast<std::ptrdiff_t>(batch_dims);
    return {
        {.operand = 1, .extents = Shape(first, first + static_cast<std::ptrdiff_t>(tuple_length(call, batch_dims)))}};
}

} // namespace

const OpInfo& op_info::GatherND() {
    static const OpInfo info = {
        .id = OpId::GatherND,
        .python = "gather_nd",
        .parameters = "data, indices, batch_dims: int = 0",
        .cls = OpClass::Transform,
        .summary =
            "the elements or slices of x at the tuples of indices in the last dimension; NaN or 0 where an index is "
            "outside",
        .example = "hidet.ops.gather_nd(hidet.randn([2, 3, 4]), hidet.asarray([[0, 2], [1, 0]]))",
        .define = define_gather_nd,
        .indexes = indexed_by_tuples,
    };
    return info;
}

} // namespace hidet::graph
