// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/composed/norms.h"

#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/host/run_on_host.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

ValueId scaled(Graph& graph, ValueId x, std::optional<ValueId> scale, std::optional<ValueId> bias,
               const NodeOrigin& origin) {
    if (scale)
        x = graph.add_one(op_info::Multiply(), {x, *scale}, {}, origin);
    return bias ? graph.add_one(op_info::Add(), {x, *bias}, {}, origin) : x;
}

std::optional<ValueId> channels(Graph& graph, std::optional<ValueId> value, std::size_t rank,
                                const NodeOrigin& origin) {
    return value ? std::optional(per_channel(graph, *value, rank, origin)) : std::nullopt;
}

Ints last_dimensions(std::int64_t count, std::size_t rank) {
    if (count < 1 || count > static_cast<std::int64_t>(rank))
        throw OpError("a tensor of " + std::to_string(rank) + " dimensions has no last " + std::to_string(count));
    Ints dims;
    for (std::int64_t d = -count; d < 0; ++d)
        dims.push_back(d);
    return dims;
}

Ints from_second(std::size_t rank) {
    Ints dims;
    for (std::size_t d = 2; d < rank; ++d)
        dims.push_back(static_cast<std::int64_t>(d));
    return dims;
}

void require_channels(Graph& graph, ValueId x, const char* what) {
    if (graph.value(x).spec.shape.size() < 2)
        throw OpError(std::string(what) + " wants a tensor [n, c, ...], not " + text_of(graph.value(x).spec));
}

} // namespace

ValueId per_channel(Graph& graph, ValueId value, std::size_t rank, const NodeOrigin& origin) {
    if (rank <= 2)
        return value;
    Ints dims;
    for (std::size_t d = 1; d + 1 < rank; ++d)
        dims.push_back(static_cast<std::int64_t>(d));
    return graph.add_one(op_info::Unsqueeze(), {value}, {{"dims", dims}}, origin);
}

ValueId batch_norm_infer(Graph& graph, ValueId x, ValueId mean, ValueId variance, std::optional<ValueId> scale,
                         std::optional<ValueId> bias, double epsilon, const NodeOrigin& origin) {
    require_channels(graph, x, "batch_norm");
    const std::size_t rank = graph.value(x).spec.shape.size();
    // All that is per channel is computed per channel, and folds when it is constant: x times a factor plus a shift.
    const ir::DType dtype = graph.value(variance).spec.dtype;
    const ValueId tiny = graph.add_constant(host_tensor(dtype, {}, std::vector<double>{epsilon}));
    const ValueId spread = graph.add_one(op_info::Add(), {variance, tiny}, {}, origin);
    ValueId factor = graph.add_one(op_info::Rsqrt(), {spread}, {}, origin);
    if (scale)
        factor = graph.add_one(op_info::Multiply(), {factor, *scale}, {}, origin);
    const ValueId moved = graph.add_one(op_info::Multiply(), {mean, factor}, {}, origin);
    const ValueId shift = bias ? graph.add_one(op_info::Subtract(), {*bias, moved}, {}, origin)
                               : graph.add_one(op_info::Negative(), {moved}, {}, origin);
    return scaled(graph, x, per_channel(graph, factor, rank, origin), per_channel(graph, shift, rank, origin), origin);
}

ValueId layer_norm(Graph& graph, ValueId x, std::int64_t dims, std::optional<ValueId> scale,
                   std::optional<ValueId> bias, double epsilon, const NodeOrigin& origin) {
    const Ints last = last_dimensions(dims, graph.value(x).spec.shape.size());
    const ValueId y = graph.add_one(op_info::Normalize(), {x}, {{"dims", last}, {"epsilon", epsilon}}, origin);
    return scaled(graph, y, scale, bias, origin);
}

ValueId rms_norm(Graph& graph, ValueId x, std::int64_t dims, std::optional<ValueId> scale, double epsilon,
                 const NodeOrigin& origin) {
    const Ints last = last_dimensions(dims, graph.value(x).spec.shape.size());
    const ValueId y = graph.add_one(op_info::RmsNormalize(), {x}, {{"dims", last}, {"epsilon", epsilon}}, origin);
    return scaled(graph, y, scale, std::nullopt, origin);
}

ValueId instance_norm(Graph& graph, ValueId x, std::optional<ValueId> scale, std::optional<ValueId> bias,
                      double epsilon, const NodeOrigin& origin) {
    require_channels(graph, x, "instance_norm");
    const std::size_t rank = graph.value(x).spec.shape.size();
    if (rank < 3)
        throw OpError("instance_norm wants spatial dimensions, not " + text_of(graph.value(x).spec));
    const ValueId y =
        graph.add_one(op_info::Normalize(), {x}, {{"dims", from_second(rank)}, {"epsilon", epsilon}}, origin);
    return scaled(graph, y, channels(graph, scale, rank, origin), channels(graph, bias, rank, origin), origin);
}

ValueId group_norm(Graph& graph, ValueId x, std::int64_t groups, std::optional<ValueId> scale,
                   std::optional<ValueId> bias, double epsilon, const NodeOrigin& origin) {
    require_channels(graph, x, "group_norm");
    const Shape shape = graph.value(x).spec.shape;
    const auto count = constant_of(shape[1]);
    if (groups < 1 || (count && *count % groups != 0))
        throw OpError("group_norm: the channels of " + text_of(graph.value(x).spec) + " do not form " +
                      std::to_string(groups) + " groups");
    Shape grouped = {shape[0], dim(groups), simplified(ir::floor_div(shape[1], dim(groups)))};
    grouped.insert(grouped.end(), shape.begin() + 2, shape.end());
    const ValueId split = graph.add_one(op_info::Reshape(), {x}, {{"shape", grouped}}, origin);
    const ValueId normal = graph.add_one(op_info::Normalize(), {split},
                                         {{"dims", from_second(grouped.size())}, {"epsilon", epsilon}}, origin);
    const ValueId y = graph.add_one(op_info::Reshape(), {normal}, {{"shape", shape}}, origin);
    return scaled(graph, y, channels(graph, scale, shape.size(), origin), channels(graph, bias, shape.size(), origin),
                  origin);
}

} // namespace hidet::graph
