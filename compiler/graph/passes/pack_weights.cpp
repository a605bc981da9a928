// SPDX-License-Identifier: Apache-2.0
// Products with a constant that a file has in few bits read it so where kernels do: fold-constants would make floats of it. The scales are of
// the whole matrix, of each column of the result, or of blocks along the sum.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "compiler/graph/core/data.h"
#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/passes/packed_weight.h"
#include "compiler/graph/passes/passes.h"

namespace hidet::graph {

namespace {

// The second factor of a product: a constant that is dequantised and then transposed or not.
struct StoredFactor {
    NodeId dequantise;
    bool is_transposed = false; // [n, k]
};

std::optional<StoredFactor> stored_factor(const Graph& graph, const Node& matmul) {
    bool is_transposed = matmul.get<bool>("transpose_b");
    NodeId maker = graph.value(matmul.inputs[1]).producer;
    if (!maker.valid())
        return std::nullopt;
    const Node* node = &graph.node(maker);
    if (node->is(OpId::TransposeOp2D) || (node->is(OpId::PermuteDims) && node->get<Ints>("axes") == Ints{1, 0})) {
        is_transposed = !is_transposed;
        maker = graph.value(node->inputs[0]).producer;
        node = maker.valid() ? &graph.node(maker) : nullptr;
    }
    if (!node || !node->is(OpId::DequantizeLinear))
        return std::nullopt;
    for (const ValueId input : node->inputs)
        if (const lang::TensorRef& data = graph.value(input).data; !data || !data->has_data())
            return std::nullopt;
    const lang::Tensor& numbers = *graph.value(node->inputs[0]).data;
    const bool is_one =
        numbers.dtype == ir::DType::I8 || numbers.dtype == ir::DType::U8 || numbers.dtype == ir::DType::F8E4M3;
    return is_one && numbers.shape.size() == 2 ? std::optional(StoredFactor{maker, is_transposed}) : std::nullopt;
}

// Kernels take the bits of a float as they are, and the highest ones for one more number.
bool has_nan(const lang::Tensor& numbers) {
    if (numbers.dtype != ir::DType::F8E4M3)
        return false;
    constexpr std::byte highest{0x7F};
    const std::byte* bytes = numbers.read();
    return std::any_of(bytes, bytes + numbers.count(), [&](std::byte each) { return (each & highest) == highest; });
}

std::optional<PackedWeight> packed_factor(const Graph& graph, const StoredFactor& factor) {
    const Node& node = graph.node(factor.dequantise);
    const lang::Tensor& numbers = *graph.value(node.inputs[0]).data;
    const lang::Tensor& scale = *graph.value(node.inputs[1]).data;
    const std::int64_t n = numbers.shape[factor.is_transposed ? 0 : 1];
    const std::int64_t k = numbers.shape[factor.is_transposed ? 1 : 0];
    std::int64_t group = node.get<std::int64_t>("block_size");
    const std::int64_t axis = (node.get<std::int64_t>("axis") % 2 + 2) % 2;
    const bool is_along_sum = (axis == 1) == factor.is_transposed;
    const bool is_one = scale.count() == 1 && group == 0;
    if (n * k == 0 || has_nan(numbers) || (!is_one && is_along_sum != (group > 0)))
        return std::nullopt;
    const std::int64_t groups = group == 0 ? 1 : (k + group - 1) / group;
    // Of [n, groups], from what lies as the numbers do.
    const auto by_rows = [&](const lang::Tensor& parameter) {
        const std::vector<double> given = numbers_of(parameter);
        std::vector<double> out(static_cast<std::size_t>(n * groups));
        for (std::int64_t row = 0; row < n; ++row)
            for (std::int64_t g = 0; g < groups; ++g) {
                const std::int64_t place = given.size() == 1      ? 0
                                           : factor.is_transposed ? row * groups + g
                                                                  : g * n + row;
                out[static_cast<std::size_t>(row * groups + g)] = given[static_cast<std::size_t>(place)];
            }
        return out;
    };
    std::vector<double> zeros;
    if (node.inputs.size() > 2)
        zeros = by_rows(*graph.value(node.inputs[2]).data);
    if (numbers.dtype == ir::DType::F8E4M3 && std::ranges::any_of(zeros, [](double zero) { return zero != 0; }))
        return std::nullopt;
    return packed(numbers, factor.is_transposed, tensor_of(scale.dtype, {n, groups}, by_rows(scale)), zeros, group);
}

} // namespace

void pack_weights(PassState& state) {
    Graph& graph = state.graph;
    std::unordered_map<std::uint32_t, PackedOperands> made; // by the value that several products may read
    for (const NodeId id : graph.topological()) {
        if (state.is_cancelled())
            return;
        if (!graph.is_live(id) || !graph.node(id).is(OpId::Matmul))
            continue;
        const ValueId factor_value = graph.node(id).inputs[1];
        const TensorSpec& a = graph.value(graph.node(id).inputs[0]).spec;
        const auto factor = stored_factor(graph, graph.node(id));
        if (!factor || !has_kernels_for_few_bits(state.options, a.dtype) ||
            a.dtype != graph.value(factor_value).spec.dtype || !constant_of(a.shape.back()))
            continue;
        if (!made.contains(factor_value.index)) {
            auto weight = packed_factor(graph, *factor);
            if (!weight)
                continue;
            const std::string name = graph.value(graph.node(factor->dequantise).inputs[0]).name;
            made.emplace(factor_value.index, add_packed(graph, *weight, name));
        }
        take_place_of_matmul(state, id, made.at(factor_value.index), "pack-weights", {});
    }
}

} // namespace hidet::graph
