// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/ops/microsoft/parts.h"

#include <algorithm>
#include <limits>

#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Parameter {
    const char* name; // of our operator; null: there is none
    double otherwise;
};
struct FunctionRow {
    const char* name;
    OpId op;
    std::array<Parameter, 3> parameters;
};
const FunctionRow functions[] = {
    {"Relu", OpId::Relu, {}},
    {"Sigmoid", OpId::Sigmoid, {}},
    {"Tanh", OpId::Tanh, {}},
    {"Softplus", OpId::SoftPlus, {}},
    {"Softsign", OpId::SoftSign, {}},
    {"HardSwish", OpId::HardSwish, {}},
    {"Gelu", OpId::Gelu, {}},
    {"Elu", OpId::Elu, {{{"alpha", 1}}}},
    {"LeakyRelu", OpId::LeakyRelu, {{{"alpha", 0.01}}}},
    {"ThresholdedRelu", OpId::ThresholdedRelu, {{{"alpha", 1}}}},
    {"HardSigmoid", OpId::HardSigmoid, {{{"alpha", 0.2}, {"beta", 0.5}}}},
    {"Clip", OpId::Clip, {{{"min_val", -infinity}, {"max_val", infinity}}}},
    {"Selu", OpId::Selu, {{{"alpha", 1.67326319217681884765625}, {"gamma", 1.05070102214813232421875}}}},
};

std::string called(std::size_t i, const char* name) {
    return "input " + std::to_string(i) + " (" + name + ")";
}

} // namespace

void refuse_input(const NodeCall& node, std::size_t i, const char* name) {
    if (node.has(i))
        throw OpError(called(i, name), " is not supported");
}

void refuse_result(const NodeCall& node, std::size_t i, const char* name) {
    if (node.wants_output(i))
        throw OpError("output ", i, " (", name, ") is not supported");
}

void refuse_attribute(const NodeCall& node, const char* name, std::int64_t otherwise) {
    if (const std::int64_t value = node.i(name, otherwise); value != otherwise)
        throw OpError(name, " ", value, " is not supported");
}

Val one_number(NodeCall& node, std::size_t i, const char* name) {
    const Val& value = node.in(i);
    for (const Dim& each : value->spec.shape)
        if (differ(each, dim(1)))
            throw OpError(called(i, name), " is of shape ", text_of(value->spec.shape), ", not one number");
    return node.reshape(value, {});
}

ir::DType wide_type(ir::DType dtype) {
    if (!ir::is_float(dtype))
        throw OpError("elements of ", ir::info(dtype).name, " are no floats");
    return dtype == ir::DType::F64 ? dtype : ir::DType::F32;
}

Val widened(NodeCall& node, const Val& x) {
    return node.cast(x, wide_type(x->spec.dtype));
}

Val biased(NodeCall& node, const Val& x, const Val& bias, const char* name) {
    if (!bias)
        return x;
    const Shape& shape = bias->spec.shape;
    if (x->spec.shape.empty() || shape.size() != 1 || differ(shape[0], x->spec.shape.back()))
        throw OpError("the ", name, " is of shape ", text_of(shape), " for the last dimension of a tensor of shape ",
                      text_of(x->spec.shape));
    return node.add(OpId::Add, {x, node.cast(bias, x->spec.dtype)});
}

Val sum_of_one_shape(NodeCall& node, const Val& x, const Val& addend, const char* name) {
    const Val sum = node.add(OpId::Add, {x, addend});
    const Shape& shape = x->spec.shape;
    if (differ(sum->spec.shape, shape))
        throw OpError(name, " is of shape ", text_of(addend->spec.shape), " for a tensor of shape ", text_of(shape));
    return sum;
}

Val activated(NodeCall& node, const Val& x, const Activation& activation) {
    if (activation.name.empty())
        return x;
    const auto* found =
        std::ranges::find_if(functions, [&](const FunctionRow& f) { return activation.name == f.name; });
    if (found == std::end(functions))
        throw OpError("activation '", activation.name, "' is not supported");
    Attributes attributes;
    for (std::size_t k = 0; k < found->parameters.size(); ++k) {
        const Parameter& each = found->parameters[k];
        const std::optional<double>& given = activation.parameters[k];
        if (each.name)
            attributes.set(each.name, given.value_or(each.otherwise));
        else if (given)
            throw OpError("activation '", activation.name, "' takes ", k, " parameters");
    }
    return node.add(found->op, {x}, std::move(attributes));
}

Val channels_first(NodeCall& node, const Val& x) {
    const auto rank = static_cast<std::int64_t>(x->spec.shape.size());
    if (rank < 3)
        throw OpError("channels stand last in a tensor with spatial dimensions, not in one of shape ",
                      text_of(x->spec.shape));
    Ints axes = {0, rank - 1};
    for (std::int64_t d = 1; d < rank - 1; ++d)
        axes.push_back(d);
    return node.transpose(x, axes);
}

Val channels_last(NodeCall& node, const Val& x) {
    const auto rank = static_cast<std::int64_t>(x->spec.shape.size());
    Ints axes = {0};
    for (std::int64_t d = 2; d < rank; ++d)
        axes.push_back(d);
    axes.push_back(1);
    return node.transpose(x, axes);
}

Val rows_at(NodeCall& node, const Val& table, std::size_t i) {
    if (table->spec.shape.size() != 2)
        throw OpError("a table of embeddings is of shape ", text_of(table->spec.shape), ", not a matrix");
    node.check_indices(i, table->spec.shape[0]);
    return node.add(OpId::Take, {table, node.in(i)}, {{"axis", std::int64_t{0}}});
}

} // namespace hidet::graph::onnx
