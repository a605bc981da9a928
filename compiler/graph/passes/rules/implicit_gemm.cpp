// SPDX-License-Identifier: Apache-2.0
// Convolutions as products: [out, channels * taps] x [batch, channels * taps, positions], where the columns are moved
// elements of the input, which the product reads in its prologue. With groups, a product for each. Where each channel is
// convolved for itself there is nothing to share, and the convolution stays.
#include <algorithm>

#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/passes/rules/rules.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

struct Extents {
    Dim batch, outputs, inputs, taps, positions;
    std::int64_t groups = 1;
};

bool is_all(const Rewriting& rewriting, NodeId node, std::string_view name, std::int64_t wanted) {
    const Ints& values = rewriting.graph.node(node).get<Ints>(name);
    return std::ranges::all_of(values, [&](std::int64_t each) { return each == wanted; });
}

// Nothing: it is no product.
std::optional<Extents> extents_of(const Rewriting& rewriting, NodeId conv) {
    const Shape& w = rewriting.spec(rewriting.input(conv, 1)).shape;
    const TensorSpec& result = rewriting.spec(rewriting.output(conv));
    Extents extents;
    extents.groups = rewriting.graph.node(conv).get<std::int64_t>("groups");
    const auto per_group = constant_of(w[1]);
    const auto outputs = constant_of(w[0]);
    if (!per_group || !outputs || rewriting.spec(rewriting.input(conv, 0)).dtype != result.dtype ||
        rewriting.spec(rewriting.input(conv, 1)).dtype != result.dtype)
        return std::nullopt;
    if (extents.groups > 1 && (*per_group == 1 || *outputs == extents.groups))
        return std::nullopt;
    extents.batch = result.shape[0];
    extents.outputs = w[0];
    extents.inputs = w[1];
    extents.taps = element_count(Shape(w.begin() + 2, w.end()));
    extents.positions = element_count(Shape(result.shape.begin() + 2, result.shape.end()));
    return extents;
}

// The product of the weight with columns [batch, groups * inputs * taps, positions].
void replace_by_product(Rewriting& rewriting, NodeId conv, const Extents& extents, ValueId columns) {
    const Dim sums = simplified(ir::mul(extents.inputs, extents.taps));
    const Shape result = rewriting.spec(rewriting.output(conv)).shape;
    Shape weights = {extents.outputs, sums};
    if (extents.groups > 1) {
        weights = {dim(extents.groups), dim(*constant_of(extents.outputs) / extents.groups), sums};
        columns = rewriting.reshaped(columns, {extents.batch, dim(extents.groups), sums, extents.positions});
    }
    const ValueId w = rewriting.reshaped(rewriting.input(conv, 1), weights);
    if (rewriting.is_constant(w))
        rewriting.graph.value(w).name = rewriting.graph.value(rewriting.input(conv, 1)).name;
    Attributes attributes;
    if (permits_tf32(rewriting.graph.node(conv)))
        attributes.set("precision", std::string(tf32));
    const ValueId y = rewriting.add(OpId::Matmul, {w, columns}, std::move(attributes));
    rewriting.replace(rewriting.output(conv), rewriting.reshaped(y, result));
}

} // namespace

bool pointwise_convolution(Rewriting& rewriting, NodeId root) {
    const auto extents = extents_of(rewriting, root);
    if (!extents || constant_of(extents->taps) != 1 || !is_all(rewriting, root, "stride", 1) ||
        !is_all(rewriting, root, "padding", 0))
        return false;
    const Dim channels = rewriting.spec(rewriting.input(root, 0)).shape[1];
    const ValueId columns =
        rewriting.reshaped(rewriting.input(root, 0), {extents->batch, channels, extents->positions});
    replace_by_product(rewriting, root, *extents, columns);
    return true;
}

// As vision transformers begin. The patches of all channels are rows of one matrix: a permutation that is a copy, after which
// the product reads whole rows. With many channels the convolution reads them well as they are.
bool patches_to_product(Rewriting& rewriting, NodeId root) {
    constexpr std::int64_t most_channels = 32, least_taps = 8;
    const ValueId x = rewriting.input(root, 0), w = rewriting.input(root, 1);
    const auto extents = constant_shape(Shape(rewriting.spec(x).shape.begin() + 1, rewriting.spec(x).shape.end()));
    const auto weights = constant_shape(rewriting.spec(w).shape);
    const ir::DType dtype = rewriting.spec(x).dtype;
    if (!rewriting.options.target.is_cuda() || !is_half(dtype) || !extents || !weights ||
        rewriting.spec(w).dtype != dtype || rewriting.spec(rewriting.output(root)).dtype != dtype ||
        rewriting.graph.node(root).get<std::int64_t>("groups") != 1 || !is_all(rewriting, root, "padding", 0) ||
        !is_all(rewriting, root, "dilations", 1))
        return false;
    const std::int64_t outputs = (*weights)[0], channels = (*weights)[1], high = (*weights)[2], wide = (*weights)[3];
    Ints strides = rewriting.graph.node(root).get<Ints>("stride");
    strides.resize(2, strides.empty() ? 1 : strides[0]);
    if (strides != Ints{high, wide} || (*extents)[0] % high != 0 || (*extents)[1] % wide != 0 ||
        channels > most_channels || channels * high * wide % least_taps != 0)
        return false;
    const Dim batch = rewriting.spec(x).shape[0];
    const std::int64_t rows = (*extents)[0] / high, columns = (*extents)[1] / wide, sums = channels * high * wide;
    const Shape cut = {batch, dim(rows), dim(high), dim(columns), dim(wide), dim(channels)};
    const bool is_cut = high * wide > 1;
    const ValueId patches =
        rewriting.reshaped(is_cut ? rewriting.permuted(rewriting.reshaped(x, cut), {0, 1, 3, 5, 2, 4}) : x,
                           {simplified(ir::mul(batch, dim(rows * columns))), dim(sums)});
    const ValueId matrix = rewriting.permuted(rewriting.reshaped(w, {dim(outputs), dim(sums)}), {1, 0});
    if (rewriting.is_constant(matrix))
        rewriting.graph.value(matrix).name = rewriting.graph.value(w).name;
    const ValueId y = rewriting.add(OpId::Matmul, {patches, matrix});
    return rewriting.becomes(root, rewriting.reshaped(y, rewriting.spec(rewriting.output(root)).shape));
}

bool implicit_gemm(Rewriting& rewriting, NodeId root) {
    const auto extents = extents_of(rewriting, root);
    const Shape& w = rewriting.spec(rewriting.input(root, 1)).shape;
    const auto kernel = constant_shape(Shape(w.begin() + 2, w.end()));
    if (!extents || !kernel)
        return false;
    Attributes attributes = {{"kernel_size", Ints(*kernel)}};
    for (const char* name : {"dilations", "padding", "stride"})
        if (const Attribute* given = rewriting.attributes(root).find(name))
            attributes.set(name, *given);
    replace_by_product(rewriting, root, *extents,
                       rewriting.add(OpId::Im2Col, {rewriting.input(root, 0)}, std::move(attributes)));
    return true;
}

} // namespace hidet::graph
