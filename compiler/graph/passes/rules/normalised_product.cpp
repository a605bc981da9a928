// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/graph/core/data.h"
#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/passes/rules/rules.h"
#include "compiler/graph/text/contents.h"

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

// The product that makes a value which one reader alone has, behind reshapes that keep its rows.
NodeId normalised_product_of(const Rewriting& rewriting, ValueId value, NodeId reader) {
    const Dim& n = rewriting.spec(value).shape.back();
    for (;;) {
        const NodeId node = rewriting.graph.value(value).producer;
        if (!node.valid() || !rewriting.only_reader(value, reader) || !same_dim(rewriting.spec(value).shape.back(), n))
            return {};
        if (rewriting.is_any_of(node, {OpId::RmsMatmul, OpId::RmsPackedMatmul}))
            return node;
        if (!rewriting.is(node, OpId::Reshape))
            return {};
        value = rewriting.input(node, 0);
        reader = node;
    }
}

std::optional<std::string> name_of_gate(const Rewriting& rewriting, NodeId node) {
    if (rewriting.is(node, OpId::Silu))
        return "silu";
    if (rewriting.is(node, OpId::Gelu) && rewriting.graph.node(node).get<bool>("approximate"))
        return "gelu_tanh";
    return std::nullopt;
}

std::size_t place_of_gain(const Node& product) {
    return product.is(OpId::RmsPackedMatmul) ? 3 : 2;
}

// One value, or two constants of the same elements: each product has a gain of ones of its own where there was none.
bool are_equal(const Rewriting& rewriting, ValueId a, ValueId b) {
    a = before_reshapes(rewriting, a);
    b = before_reshapes(rewriting, b);
    if (a == b)
        return true;
    const TensorSpec &first = rewriting.spec(a), &second = rewriting.spec(b);
    return rewriting.is_constant(a) && rewriting.is_constant(b) && first.dtype == second.dtype &&
           same_shape(first.shape, second.shape) &&
           content_hash(*rewriting.graph.value(a).data) == content_hash(*rewriting.graph.value(b).data);
}

// Whether two products differ in nothing but the numbers of their matrices, and have no gate yet.
bool are_of_one_gate(const Rewriting& rewriting, NodeId a_node, NodeId b_node) {
    const Node& first = rewriting.graph.node(a_node);
    const Node& second = rewriting.graph.node(b_node);
    const std::size_t gain = place_of_gain(first);
    const std::size_t most = gain + (first.is(OpId::RmsPackedMatmul) ? 2 : 1); // with zero points
    if (!second.is(first.op->id) || first.inputs.size() != second.inputs.size() || first.inputs.size() > most ||
        !same_attributes(rewriting, a_node, b_node))
        return false;
    for (std::size_t i = 0; i < first.inputs.size(); ++i) {
        const TensorSpec& a = rewriting.spec(first.inputs[i]);
        const TensorSpec& b = rewriting.spec(second.inputs[i]);
        const bool is_same = i == 0 || i == gain ? are_equal(rewriting, first.inputs[i], second.inputs[i])
                                                 : a.dtype == b.dtype && same_shape(a.shape, b.shape);
        if (!is_same)
            return false;
    }
    return true;
}

} // namespace

bool gate_in_product(Rewriting& rewriting, NodeId root) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
        const ValueId let_through = rewriting.input(root, at);
        const NodeId gate = rewriting.graph.value(let_through).producer;
        const auto name = gate.valid() ? name_of_gate(rewriting, gate) : std::nullopt;
        if (!name || !rewriting.only_reader(let_through, root))
            continue;
        const NodeId of_gate = normalised_product_of(rewriting, rewriting.input(gate, 0), gate);
        const NodeId of_other = normalised_product_of(rewriting, rewriting.input(root, 1 - at), root);
        if (!of_gate.valid() || !of_other.valid())
            continue;
        const Node first = rewriting.graph.node(of_gate), second = rewriting.graph.node(of_other);
        const TensorSpec result = rewriting.spec(rewriting.output(root));
        if (!are_of_one_gate(rewriting, of_gate, of_other) || result.dtype != rewriting.spec(first.outputs[0]).dtype)
            continue;
        std::vector<ValueId> inputs = first.inputs;
        for (std::size_t i = 1; i < second.inputs.size(); ++i)
            if (i != place_of_gain(second))
                inputs.push_back(second.inputs[i]);
        Attributes attributes = first.attributes;
        attributes.set("gate", *name);
        return rewriting.becomes(root,
                                 reshaped_to(rewriting, rewriting.add(first.op->id, inputs, attributes), result.shape));
    }
    return false;
}

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
