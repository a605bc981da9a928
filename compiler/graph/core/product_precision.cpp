// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/product_precision.h"

#include <algorithm>

namespace hidet::graph {

bool has_products(const Node& node) {
    if (node.is_any_of({OpId::Conv2d, OpId::Conv2dChannelLast}))
        return node.get<std::int64_t>("groups") == 1; // groups are for other kernels than those of whole matrices
    return node.is(OpId::Matmul);
}

bool permits_tf32(const Node& node) {
    return has_products(node) && node.get<std::string>("precision") == tf32;
}

bool reads_float32(const Graph& graph, const Node& node) {
    return std::ranges::all_of(node.inputs,
                               [&](ValueId input) { return graph.value(input).spec.dtype == ir::DType::F32; });
}

bool is_of_bytes(const OpInfo& op) {
    return is_any_of(op.id, {OpId::IntegerMatmul, OpId::IntegerConv2d, OpId::IntegerConv2dChannelLast});
}

std::optional<ir::DType> dtype_of_product(const OpCall& call) {
    if (!is_of_bytes(*call.op))
        return ir::promote(call.inputs[0].dtype, call.inputs[1].dtype);
    const auto is_byte = [](const TensorSpec& input) {
        return input.dtype == ir::DType::I8 || input.dtype == ir::DType::U8;
    };
    return is_byte(call.inputs[0]) && is_byte(call.inputs[1]) ? std::optional(ir::DType::I32) : std::nullopt;
}

std::string precision_of(const Graph& graph, const Node& node) {
    return permits_tf32(node) ? tf32 : ir::info(graph.value(node.inputs.front()).spec.dtype).name;
}

void check_precision(const OpCall& call) {
    const std::string& precision = call.attributes.get<std::string>("precision");
    if (precision.empty())
        return;
    if (precision != tf32)
        throw OpError(call.op->python, ": '", precision, "' is not a precision of products; it is '', or 'tf32'");
    if (const Attribute* groups = call.attributes.find("groups"); groups && as<std::int64_t>("groups", *groups) != 1)
        throw OpError(call.op->python, ": 'tf32' is a precision of whole products, not of groups of channels");
    for (const TensorSpec& input : call.inputs)
        if (input.dtype != ir::DType::F32)
            throw OpError(call.op->python, ": 'tf32' is a precision of float32, not of ", text_of(input));
}

} // namespace hidet::graph
