// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/composed/arrange.h"

#include <numbers>
#include <numeric>

#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

const Shape& shape_in(const Graph& graph, ValueId id) {
    return graph.value(id).spec.shape;
}

ValueId sliced(Graph& graph, ValueId x, const Dim& start, const Dim& end, std::int64_t axis, const NodeOrigin& origin) {
    return graph.add_one(op_info::StridedSlice(), {x},
                         {{"starts", Shape{start}}, {"ends", Shape{end}}, {"axes", Ints{axis}}, {"strides", Ints{1}}},
                         origin);
}

} // namespace

std::vector<ValueId> split(Graph& graph, ValueId x, const Shape& parts, std::int64_t axis, const NodeOrigin& origin) {
    const Shape shape = shape_in(graph, x);
    axis = normalise_axis(axis, shape.size(), "axis");
    const Dim& extent = shape[static_cast<std::size_t>(axis)];
    Dim start = dim(0);
    std::vector<std::pair<Dim, Dim>> ranges;
    for (const Dim& part : parts) {
        if (constant_of(part) && *constant_of(part) < 0)
            throw OpError("split into parts " + text_of(parts));
        const Dim end = simplified(ir::add(start, part));
        ranges.emplace_back(start, end);
        start = end;
    }
    if (constant_of(start) && constant_of(extent) && !same_dim(start, extent))
        throw OpError("split of an extent " + text_of(extent) + " into parts " + text_of(parts));
    // A reshape to what the parts sum up to requires that it is all there is.
    if (!same_dim(start, extent)) {
        Shape summed = shape;
        summed[static_cast<std::size_t>(axis)] = start;
        x = graph.add_one(op_info::Reshape(), {x}, {{"shape", summed}}, origin);
    }
    std::vector<ValueId> pieces;
    for (const auto& [first, last] : ranges)
        pieces.push_back(sliced(graph, x, first, last, axis, origin));
    return pieces;
}

std::vector<ValueId> split_evenly(Graph& graph, ValueId x, std::int64_t sections, std::int64_t axis,
                                  const NodeOrigin& origin) {
    const Shape& shape = shape_in(graph, x);
    const Dim extent = shape[static_cast<std::size_t>(normalise_axis(axis, shape.size(), "axis"))];
    const auto known = constant_of(extent);
    if (sections < 1 || (known && *known % sections != 0))
        throw OpError("split of an extent " + text_of(extent) + " into " + std::to_string(sections) + " equal parts");
    const Dim part = simplified(ir::floor_div(extent, dim(sections)));
    return split(graph, x, Shape(static_cast<std::size_t>(sections), part), axis, origin);
}

ValueId transpose(Graph& graph, ValueId x, const Ints& axes, const NodeOrigin& origin) {
    return graph.add_one(op_info::PermuteDims(), {x}, {{"axes", axes}}, origin);
}

ValueId expand_dims(Graph& graph, ValueId x, std::int64_t axis, const NodeOrigin& origin) {
    return graph.add_one(op_info::Unsqueeze(), {x}, {{"dims", Ints{axis}}}, origin);
}

std::vector<ValueId> meshgrid(Graph& graph, const std::vector<ValueId>& vectors, const std::string& indexing,
                              const NodeOrigin& origin) {
    if (indexing != "ij" && indexing != "xy")
        throw OpError("meshgrid indexes by ij or xy, not '" + indexing + "'");
    std::vector<std::size_t> places(vectors.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    if (indexing == "xy" && places.size() >= 2)
        std::swap(places[0], places[1]);
    Shape whole(vectors.size());
    for (std::size_t i = 0; i < vectors.size(); ++i)
        whole[places[i]] = element_count(shape_in(graph, vectors[i]));
    std::vector<ValueId> grids;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        Shape along(vectors.size(), dim(1));
        along[places[i]] = whole[places[i]];
        const ValueId standing = graph.add_one(op_info::Reshape(), {vectors[i]}, {{"shape", along}}, origin);
        grids.push_back(graph.add_one(op_info::Broadcast(), {standing}, {{"shape", whole}}, origin));
    }
    return grids;
}

ValueId conv_pad(Graph& graph, ValueId x, const Ints& padding, double value, const NodeOrigin& origin) {
    const std::size_t rank = shape_in(graph, x).size();
    const std::size_t spatial = rank < 2 ? 0 : rank - 2;
    Ints pads = padding;
    if (pads.size() == 1)
        pads.assign(2 * spatial, padding[0]);
    else if (pads.size() == spatial)
        pads.insert(pads.end(), padding.begin(), padding.end());
    if (pads.size() != 2 * spatial)
        throw OpError("conv_pad: padding " + text_of(Attribute(padding)) + " of a tensor of shape " +
                      text_of(shape_in(graph, x)));
    return graph.add_one(op_info::Pad(), {x}, {{"pads", pads}, {"mode", std::string("constant")}, {"value", value}},
                         origin);
}

// Where both are equal, infinities too, it is one of them and log(2); else the larger one and a little.
ValueId logaddexp(Graph& graph, ValueId x, ValueId y, const NodeOrigin& origin) {
    const auto add = [&](const OpInfo& op, std::vector<ValueId> inputs) {
        return graph.add_one(op, std::move(inputs));
    };
    const ValueId distance = add(op_info::Abs(), {add(op_info::Subtract(), {x, y})});
    const ValueId rest = add(op_info::Log1p(), {add(op_info::Exp(), {add(op_info::Negative(), {distance})})});
    const ValueId apart = add(op_info::Add(), {add(op_info::Max(), {x, y}), rest});
    const ValueId twice = graph.add_one(op_info::AddScalar(), {x}, {{"scalar", std::numbers::ln2}}, origin);
    return add(op_info::Where(), {add(op_info::Equal(), {x, y}), twice, apart});
}

ValueId relu6(Graph& graph, ValueId x, const NodeOrigin& origin) {
    return graph.add_one(op_info::Clip(), {x}, {{"min_val", 0.0}, {"max_val", 6.0}}, origin);
}

} // namespace hidet::graph
