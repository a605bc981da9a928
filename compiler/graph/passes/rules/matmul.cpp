// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/passes/packed_weight.h"
#include "compiler/graph/passes/rules/rules.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

bool is_transposed(const Rewriting& rewriting, NodeId matmul) {
    return rewriting.graph.node(matmul).get<bool>("transpose_b");
}

// A product with a constant matrix [k, n].
bool has_matrix(const Rewriting& rewriting, NodeId matmul) {
    const ValueId w = rewriting.input(matmul, 1);
    return rewriting.is_constant(w) && rewriting.spec(w).shape.size() == 2 && !is_transposed(rewriting, matmul);
}

// The sum with a constant [n] that is all that reads a product.
struct Biased {
    NodeId sum;
    ValueId bias;
};
std::optional<Biased> bias_of(const Rewriting& rewriting, NodeId matmul) {
    const ValueId y = rewriting.output(matmul);
    const Value& value = rewriting.graph.value(y);
    if (value.uses.size() != 1 || rewriting.graph.is_output(y) || !rewriting.is(value.uses[0].node, OpId::Add))
        return std::nullopt;
    const NodeId sum = value.uses[0].node;
    const auto operand = constant_operand(rewriting, sum);
    if (!operand || rewriting.spec(operand->constant).shape.size() != 1 ||
        !same_dim(rewriting.spec(operand->constant).shape[0], rewriting.spec(y).shape.back()) ||
        !same_shape(rewriting.spec(rewriting.output(sum)).shape, rewriting.spec(y).shape))
        return std::nullopt;
    return Biased{sum, operand->constant};
}

} // namespace

bool scale_into_matmul(Rewriting& rewriting, NodeId root) {
    const auto scaled = constant_operand(rewriting, root);
    const NodeId matmul = scaled ? rewriting.made_by(scaled->x, OpId::Matmul) : NodeId();
    if (!matmul.valid() || !rewriting.only_reader(scaled->x, root) || !has_matrix(rewriting, matmul))
        return false;
    const ValueId w = rewriting.input(matmul, 1);
    const TensorSpec result = rewriting.spec(scaled->x);
    const auto at = dimension_of(rewriting.spec(scaled->constant).shape, result.shape.size());
    if (!at || (*at >= 0 && *at + 1 != static_cast<std::int64_t>(result.shape.size())) || !ir::is_float(result.dtype) ||
        rewriting.spec(w).dtype != rewriting.spec(scaled->constant).dtype ||
        !same_shape(rewriting.spec(rewriting.output(root)).shape, result.shape))
        return false;
    const Shape shape = *at >= 0 ? Shape{result.shape.back()} : Shape{};
    const ValueId factor = rewriting.reshaped(scaled->constant, shape);
    const ValueId weights = rewriting.add(OpId::Multiply, {w, factor});
    if (!rewriting.is_constant(weights) || !is_finite(*rewriting.graph.value(weights).data))
        return false;
    rewriting.graph.value(weights).name = rewriting.graph.value(w).name;
    return rewriting.becomes(
        root, rewriting.add(OpId::Matmul, {rewriting.input(matmul, 0), weights}, rewriting.attributes(matmul)));
}

bool transpose_into_matmul(Rewriting& rewriting, NodeId root) {
    const ValueId b = rewriting.input(root, 1);
    const ir::DType dtype = rewriting.spec(b).dtype;
    if (!is_half(dtype) || rewriting.spec(b).shape.size() != 2 || is_transposed(rewriting, root))
        return false;
    NodeId transpose = rewriting.made_by(b, OpId::TransposeOp2D);
    if (!transpose.valid()) {
        transpose = rewriting.made_by(b, OpId::PermuteDims);
        const Ints axes = transpose.valid() ? rewriting.graph.node(transpose).get<Ints>("axes") : Ints();
        if (axes != Ints{1, 0})
            return false;
    }
    Attributes attributes = rewriting.attributes(root);
    attributes.set("transpose_b", true);
    rewriting.replace(
        rewriting.output(root),
        rewriting.add(OpId::Matmul, {rewriting.input(root, 0), rewriting.input(transpose, 0)}, std::move(attributes)));
    return true;
}

// PyTorch multiplies stacks of matrices with their batch dimensions joined, and splits them again behind: between the products of
// an attention that hides that they are one.
bool split_batches(Rewriting& rewriting, NodeId root) {
    const ValueId y = rewriting.input(root, 0);
    const NodeId product = rewriting.made_by(y, OpId::Matmul);
    const Shape to = rewriting.spec(rewriting.output(root)).shape;
    const Shape from = rewriting.spec(y).shape;
    constexpr std::size_t joined = 3;
    if (!product.valid() || from.size() != joined || to.size() <= joined || !rewriting.only_reader(y, root) ||
        !same_dim(from[1], to[to.size() - 2]) || !same_dim(from[2], to.back()))
        return false;
    std::vector<ValueId> operands;
    for (const ValueId each : rewriting.graph.node(product).inputs) {
        const Shape matrices = rewriting.spec(each).shape;
        if (matrices.size() != joined || !same_dim(matrices[0], from[0]))
            return false;
        Shape shape(to.begin(), to.end() - 2);
        shape.insert(shape.end(), matrices.begin() + 1, matrices.end());
        operands.push_back(rewriting.reshaped(each, std::move(shape)));
    }
    return rewriting.becomes(root, rewriting.add(OpId::Matmul, std::move(operands), rewriting.attributes(product)));
}

bool flatten_matmul(Rewriting& rewriting, NodeId root) {
    const ValueId a = rewriting.input(root, 0);
    const Shape shape = rewriting.spec(a).shape;
    if (shape.size() < 3 || rewriting.spec(rewriting.input(root, 1)).shape.size() != 2)
        return false;
    const Dim rows = element_count(Shape(shape.begin(), shape.end() - 1));
    const ValueId flat = rewriting.reshaped(a, {rows, shape.back()});
    const ValueId product = rewriting.add(OpId::Matmul, {flat, rewriting.input(root, 1)}, rewriting.attributes(root));
    return rewriting.becomes(root, rewriting.reshaped(product, rewriting.spec(rewriting.output(root)).shape));
}

namespace {

constexpr std::size_t most_between = 32; // operators between a product and attention

// Whether all that comes of it goes element by element to attention by tensor cores, or into a cache, which is a copy anyway:
// there the part of a larger product costs nothing.
bool feeds_attention(const Rewriting& rewriting, ValueId product) {
    std::vector<ValueId> ways = {product};
    for (std::size_t i = 0; i < ways.size(); ++i) {
        if (ways.size() > most_between)
            return false;
        const std::vector<Use>& uses = rewriting.graph.value(ways[i]).uses;
        const bool is_cache =
            rewriting.made_by(ways[i], OpId::Concat).valid() || rewriting.made_by(ways[i], OpId::ScatterND).valid();
        if (rewriting.graph.is_output(ways[i]) ? !is_cache : uses.empty())
            return false;
        for (const Use& use : uses) {
            const Node& reader = rewriting.graph.node(use.node);
            if (reader.is_any_of({OpId::Attn, OpId::AttnMaskAdd}))
                continue;
            const bool is_update = reader.is(OpId::ScatterND) && use.input == 2;
            if (!reader.task || (!reader.task->is_injective() && !is_update) || reader.outputs.size() != 1)
                return false;
            if (std::ranges::find(ways, reader.outputs[0]) == ways.end())
                ways.push_back(reader.outputs[0]);
        }
    }
    return true;
}

bool is_worth_merging(const Rewriting& rewriting, const std::vector<NodeId>& products) {
    const auto& on = rewriting.options.on;
    if (std::ranges::find(on, "merge-matmuls") != on.end())
        return true;
    const ir::DType dtype = rewriting.spec(rewriting.output(products[0])).dtype;
    return rewriting.options.target.is_cuda() && is_half(dtype) && std::ranges::all_of(products, [&](NodeId each) {
               return feeds_attention(rewriting, rewriting.output(each));
           });
}

// A product whose other operands can be put together with those of more products.
bool has_weights(const Rewriting& rewriting, NodeId product) {
    const std::vector<ValueId>& inputs = rewriting.graph.node(product).inputs;
    return rewriting.is(product, OpId::PackedMatmul)
               ? std::all_of(inputs.begin() + 1, inputs.end(),
                             [&](ValueId each) { return rewriting.is_constant(each); })
               : rewriting.is(product, OpId::Matmul) && has_matrix(rewriting, product);
}

// Of two of which each has_weights().
bool are_alike(const Rewriting& rewriting, NodeId a, NodeId b) {
    const Node& left = rewriting.graph.node(a);
    const Node& right = rewriting.graph.node(b);
    if (left.op != right.op || left.inputs.size() != right.inputs.size())
        return false;
    if (left.is(OpId::Matmul))
        return rewriting.spec(left.inputs[1]).dtype == rewriting.spec(right.inputs[1]).dtype &&
               permits_tf32(left) == permits_tf32(right);
    for (std::size_t i = 1; i < left.inputs.size(); ++i) {
        const TensorSpec& one = rewriting.spec(left.inputs[i]);
        const TensorSpec& other = rewriting.spec(right.inputs[i]);
        if (one.dtype != other.dtype || !same_dim(one.shape[1], other.shape[1]))
            return false;
    }
    return left.get<std::int64_t>("bits") == right.get<std::int64_t>("bits") &&
           left.get<std::int64_t>("group_size") == right.get<std::int64_t>("group_size");
}

} // namespace

bool merge_matmuls(Rewriting& rewriting, NodeId root) {
    const ValueId x = rewriting.input(root, 0);
    if (!has_weights(rewriting, root) || rewriting.spec(x).shape.size() < 2)
        return false;
    std::vector<NodeId> products;
    for (const Use& use : rewriting.graph.value(x).uses)
        if (use.input == 0 && has_weights(rewriting, use.node) && are_alike(rewriting, use.node, root))
            products.push_back(use.node);
    std::ranges::sort(products);
    if (products.size() < 2 || products.front() != root || !is_worth_merging(rewriting, products))
        return false;

    const std::int64_t columns = rewriting.is(root, OpId::PackedMatmul) ? 0 : 1; // of the result, in a weight
    std::vector<std::vector<ValueId>> weights(rewriting.graph.node(root).inputs.size() - 1);
    std::vector<ValueId> biases;
    std::vector<ValueId> results;
    for (NodeId each : products) {
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i].push_back(rewriting.input(each, i + 1));
        if (const auto biased = bias_of(rewriting, each)) {
            biases.push_back(biased->bias);
            results.push_back(rewriting.output(biased->sum));
        }
    }
    const bool has_biases = biases.size() == products.size();
    std::vector<ValueId> operands = {x};
    for (const std::vector<ValueId>& each : weights)
        operands.push_back(rewriting.add(OpId::Concat, each, {{"axis", columns}}));
    ValueId y = rewriting.add(rewriting.graph.node(root).op->id, operands, rewriting.attributes(root));
    if (has_biases)
        y = rewriting.add(OpId::Add, {y, rewriting.add(OpId::Concat, biases, {{"axis", std::int64_t(0)}})});
    const auto axis = static_cast<std::int64_t>(rewriting.spec(y).shape.size()) - 1;
    Dim start = dim(0);
    for (std::size_t i = 0; i < products.size(); ++i) {
        const Dim end =
            simplified(ir::add(start, rewriting.spec(weights[0][i]).shape[static_cast<std::size_t>(columns)]));
        rewriting.replace(
            has_biases ? results[i] : rewriting.output(products[i]),
            rewriting.add(
                OpId::StridedSlice, {y},
                {{"starts", Shape{start}}, {"ends", Shape{end}}, {"axes", Ints{axis}}, {"strides", Ints{1}}}));
        start = end;
    }
    return true;
}

bool unpack_weight(Rewriting& rewriting, NodeId root) {
    const Node& node = rewriting.graph.node(root);
    const ir::DType dtype = rewriting.spec(node.inputs[0]).dtype;
    const bool is_known = std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                                      [&](ValueId input) { return rewriting.is_constant(input); });
    const auto k = constant_of(rewriting.spec(node.inputs[0]).shape.back());
    const bool is_read = is_form_of_kernels(*k, node.get<std::int64_t>("bits"), node.get<std::int64_t>("group_size"));
    if (!is_known || (has_kernels_for_few_bits(rewriting.options, dtype) && is_read))
        return false;
    const ValueId x = node.inputs[0];
    const ValueId weight = rewriting.constant(unpacked(rewriting.graph, node));
    const ValueId cast = rewriting.add(OpId::Cast, {weight}, {{"dtype", dtype}});
    rewriting.graph.value(cast).name = rewriting.graph.value(rewriting.input(root, 1)).name;
    return rewriting.becomes(root, rewriting.add(OpId::Matmul, {x, cast}, {{"transpose_b", true}}));
}

} // namespace hidet::graph
