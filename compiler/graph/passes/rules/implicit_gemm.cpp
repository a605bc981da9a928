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
        columns = rewriting.add(OpId::Reshape, {columns},
                                {{"shape", Shape{extents.batch, dim(extents.groups), sums, extents.positions}}});
    }
    const ValueId w = rewriting.add(OpId::Reshape, {rewriting.input(conv, 1)}, {{"shape", weights}});
    if (rewriting.is_constant(w))
        rewriting.graph.value(w).name = rewriting.graph.value(rewriting.input(conv, 1)).name;
    Attributes attributes;
    if (permits_tf32(rewriting.graph.node(conv)))
        attributes.set("precision", std::string(tf32));
    const ValueId y = rewriting.add(OpId::Matmul, {w, columns}, std::move(attributes));
    rewriting.replace(rewriting.output(conv), rewriting.add(OpId::Reshape, {y}, {{"shape", result}}));
}

} // namespace

bool pointwise_convolution(Rewriting& rewriting, NodeId root) {
    const auto extents = extents_of(rewriting, root);
    if (!extents || constant_of(extents->taps) != 1 || !is_all(rewriting, root, "stride", 1) ||
        !is_all(rewriting, root, "padding", 0))
        return false;
    const Dim channels = rewriting.spec(rewriting.input(root, 0)).shape[1];
    const ValueId columns = rewriting.add(OpId::Reshape, {rewriting.input(root, 0)},
                                          {{"shape", Shape{extents->batch, channels, extents->positions}}});
    replace_by_product(rewriting, root, *extents, columns);
    return true;
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
