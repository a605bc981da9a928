// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/passes/channel_last_gain.h"

#include <algorithm>

#include "compiler/graph/core/product_precision.h"

namespace hidet::graph {

namespace {

// The least capability with templates for channels last, of half precision, of tf32 and without tensor cores.
constexpr int halves_from = 90, tf32_from = 80, any_from = 70;

bool has_convolution(const PassState& state, const auto& is_one) {
    return std::ranges::any_of(state.graph.topological(), [&](NodeId id) {
        const Node& node = state.graph.node(id);
        return node.is_any_of({OpId::Conv1d, OpId::Conv2d, OpId::Conv3d}) &&
               is_one(node, state.graph.value(node.inputs[0]).spec.dtype);
    });
}

// In the precision in which it will be computed.
bool has_half_convolution(const PassState& state) {
    const std::string& precision = state.options.precision;
    return has_convolution(state, [&](const Node&, ir::DType dtype) {
        return is_half(dtype) || (dtype == ir::DType::F32 && (precision == "float16" || precision == "bfloat16"));
    });
}

// Of the whole model, or of an operator whose name is the model's: the key of any other changes with the order of channels.
bool has_tf32_convolution(const PassState& state) {
    const auto is_chosen = [&](const Node& node) {
        return !node.name.empty() && std::ranges::any_of(state.options.precisions, [&](const NodeChoice& choice) {
            return choice.what == tf32 && choice.node == node.name;
        });
    };
    return has_convolution(state, [&](const Node& node, ir::DType dtype) {
        return dtype == ir::DType::F32 && has_products(node) &&
               (state.options.precision == tf32 || permits_tf32(node) || is_chosen(node));
    });
}

// Of four channels or more, which a thread takes at once (product_simt).
bool has_wide_convolution(const PassState& state) {
    return has_convolution(state, [&](const Node& node, ir::DType dtype) {
        const auto channels = constant_of(state.graph.value(node.inputs[0]).spec.shape[1]);
        return (dtype == ir::DType::F32 || is_half(dtype)) && node.get<std::int64_t>("groups") == 1 && channels &&
               *channels % 4 == 0;
    });
}

// Whose kernels of a CPU have no other order.
bool has_convolution_of_bytes(const PassState& state) {
    return std::ranges::any_of(state.graph.topological(),
                               [&](NodeId id) { return state.graph.node(id).is(OpId::IntegerConv2d); });
}

// All of them over all channels, of each channel for itself, or of groups that are vectors, perhaps several as one.
bool is_worth_it_on_cpu(const PassState& state) {
    const std::string& precision = state.options.precision;
    const auto fills_vectors = [](std::int64_t channels, std::int64_t results) {
        return channels == results && (channels % 16 == 0 || channels == 8 || channels == 4 || channels == 2);
    };
    const auto is_in_place = [&](const Node& node) {
        const auto channels = constant_of(state.graph.value(node.inputs[0]).spec.shape[1]);
        const auto results = constant_of(state.graph.value(node.outputs[0]).spec.shape[1]);
        const auto groups = node.get<std::int64_t>("groups");
        return node.is(OpId::Conv2d) && channels && results &&
               (groups == 1 || (groups == *channels && results == channels) ||
                fills_vectors(*channels / groups, *results / groups)) &&
               state.graph.value(node.inputs[0]).spec.dtype == ir::DType::F32 &&
               state.graph.value(node.inputs[1]).is_constant();
    };
    const auto is_wide = [&](const Node& node, ir::DType) {
        return constant_of(state.graph.value(node.inputs[0]).spec.shape[1]).value_or(0) >= least_channels_on_cpu;
    };
    return (precision.empty() || precision == "float32") && has_convolution(state, is_wide) &&
           !has_convolution(state, [&](const Node& node, ir::DType) { return !is_in_place(node); });
}

} // namespace

bool gains_from_channel_last(const PassState& state) {
    const artifact::TargetSpec& target = state.options.target;
    if (!target.is_cuda() && has_convolution_of_bytes(state))
        return true;
    if (!target.is_cuda())
        return is_worth_it_on_cpu(state);
    const int capability = target.arch.number;
    return (capability >= halves_from && has_half_convolution(state)) ||
           (capability >= tf32_from && has_tf32_convolution(state)) ||
           (capability >= any_from && has_wide_convolution(state));
}

} // namespace hidet::graph
