// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/graph/core/data.h"
#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/passes/rules/rules.h"

namespace hidet::graph {

namespace {

constexpr std::int64_t most_rows = 8;
constexpr std::int64_t most_elements = 16384; // of all rows, which every block reads
constexpr std::int64_t longest_row = 8192;    // that fits into shared memory beside weights
constexpr std::int64_t most_columns = 32768;  // of more, blocks come one after the other, and each would normalise

// What a product reads, as far as it is a normalisation over whole rows.
struct NormalisedRows {
    ValueId x; // in half precision
    ValueId gain;
    double epsilon = 0;
};

// Of few rows in half precision with a constant matrix: there a template normalises them in each block.
bool takes_rows(const Rewriting& rewriting, NodeId product) {
    if (!rewriting.is_any_of(product, {OpId::Matmul, OpId::PackedMatmul}))
        return false;
    const Node& node = rewriting.graph.node(product);
    const TensorSpec& a = rewriting.spec(node.inputs[0]);
    const TensorSpec& b = rewriting.spec(node.inputs[1]);
    const auto extents = constant_shape(a.shape);
    const auto n = constant_of(rewriting.spec(node.outputs[0]).shape.back());
    const bool are_constant = std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                                          [&](ValueId each) { return rewriting.is_constant(each); });
    if (!is_half(a.dtype) || !extents || extents->size() < 2 || !n || !are_constant || b.shape.size() != 2 ||
        (node.is(OpId::Matmul) && b.dtype != a.dtype))
        return false;
    const std::int64_t k = extents->back();
    const std::int64_t elements = *constant_of(element_count(a.shape));
    return k > 0 && k % 8 == 0 && k <= longest_row && *n > 0 && *n % 8 == 0 && *n <= most_columns && elements > 0 &&
           elements <= most_elements && elements <= most_rows * k;
}

ValueId before_reshapes(const Rewriting& rewriting, ValueId value) {
    const Dim& k = rewriting.spec(value).shape.back();
    for (;;) {
        const NodeId reshape = rewriting.made_by(value, OpId::Reshape);
        if (!reshape.valid())
            return value;
        const ValueId before = rewriting.input(reshape, 0);
        if (rewriting.spec(before).shape.empty() || !same_dim(rewriting.spec(before).shape.back(), k))
            return value;
        value = before;
    }
}

// Takes the multiplication by a constant of the last dimension from a value.
ValueId taken_gain(const Rewriting& rewriting, ValueId& value) {
    const NodeId multiply = rewriting.made_by(value, OpId::Multiply);
    const auto operand = multiply.valid() ? constant_operand(rewriting, multiply) : std::nullopt;
    if (!operand)
        return {};
    const TensorSpec& x = rewriting.spec(operand->x);
    const auto rank = static_cast<std::int64_t>(x.shape.size());
    if (dimension_of(rewriting.spec(operand->constant).shape, x.shape.size()) != rank - 1 ||
        !same_shape(x.shape, rewriting.spec(value).shape))
        return {};
    value = operand->x;
    return operand->constant;
}

// Casts there and back stand around a normalisation in float32; a gain is before the cast back, or behind it.
std::optional<NormalisedRows> normalised_rows(Rewriting& rewriting, ValueId value) {
    const TensorSpec rows = rewriting.spec(value);
    NormalisedRows out;
    out.gain = taken_gain(rewriting, value);
    const NodeId back = rewriting.made_by(value, OpId::Cast);
    if (!back.valid())
        return std::nullopt;
    value = rewriting.input(back, 0);
    if (!out.gain.valid())
        out.gain = taken_gain(rewriting, value);
    const NodeId node = rewriting.made_by(value, OpId::RmsNormalize);
    if (!node.valid() || rewriting.spec(value).dtype != ir::DType::F32 ||
        dims_attribute(rewriting, node, "dims") != Ints{static_cast<std::int64_t>(rows.shape.size()) - 1} ||
        rewriting.attributes(node).get_or("accumulate_dtype", ir::DType::F32) != ir::DType::F32)
        return std::nullopt;
    const NodeId there = rewriting.made_by(rewriting.input(node, 0), OpId::Cast);
    if (!there.valid() || rewriting.spec(rewriting.input(there, 0)).dtype != rows.dtype)
        return std::nullopt;
    out.x = rewriting.input(there, 0);
    out.epsilon = rewriting.graph.node(node).get<double>("epsilon");
    if (!out.gain.valid())
        out.gain = rewriting.constant(
            tensor_of(ir::DType::F32, {*constant_of(rows.shape.back())},
                      std::vector<double>(static_cast<std::size_t>(*constant_of(rows.shape.back())), 1.0)));
    return out;
}

// Whether nothing but such products reads it: else it is computed anyway.
bool is_for_products_alone(const Rewriting& rewriting, ValueId value) {
    return !rewriting.graph.is_output(value) &&
           std::ranges::all_of(rewriting.graph.value(value).uses, [&](const Use& use) {
               if (rewriting.is(use.node, OpId::Reshape))
                   return is_for_products_alone(rewriting, rewriting.output(use.node));
               return use.input == 0 && takes_rows(rewriting, use.node);
           });
}

} // namespace

bool normalise_in_product(Rewriting& rewriting, NodeId root) {
    const GraphOptions& options = rewriting.options;
    if (!options.target.is_cuda() || options.target.arch.number < 90 || options.mma == "simt" ||
        !takes_rows(rewriting, root))
        return false;
    const Node node = rewriting.graph.node(root);
    const TensorSpec a = rewriting.spec(node.inputs[0]);
    const ValueId rows = before_reshapes(rewriting, node.inputs[0]);
    const auto found = normalised_rows(rewriting, rows);
    if (!found || !is_for_products_alone(rewriting, rows))
        return false;
    const bool is_packed = node.is(OpId::PackedMatmul);
    std::vector<ValueId> inputs = node.inputs;
    inputs[0] = reshaped_to(rewriting, found->x, a.shape);
    inputs.insert(inputs.begin() + (is_packed ? 3 : 2), reshaped_to(rewriting, found->gain, {a.shape.back()}));
    const auto product = [&] {
        if (is_packed)
            return rewriting.add(OpId::RmsPackedMatmul, inputs,
                                 {{"bits", node.get<std::int64_t>("bits")},
                                  {"group_size", node.get<std::int64_t>("group_size")},
                                  {"epsilon", found->epsilon}});
        return rewriting.add(OpId::RmsMatmul, inputs,
                             {{"transpose_b", node.get<bool>("transpose_b")}, {"epsilon", found->epsilon}});
    };
    return rewriting.becomes(root, product());
}

} // namespace hidet::graph
