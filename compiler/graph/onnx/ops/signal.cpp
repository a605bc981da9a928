// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/conversions.h"

namespace hidet::graph::onnx {

// The axis is an attribute up to version 19, then an operand.
Vals dft(NodeCall& node) {
    std::int64_t axis = node.i("axis", 1);
    if (node.opset() >= 20)
        axis = node.has(2) ? node.int_in(2) : -2;
    Attributes attributes = {
        {"axis", axis}, {"inverse", node.i("inverse", 0) != 0}, {"onesided", node.i("onesided", 0) != 0}};
    if (node.has(1))
        attributes.set("dft_length", node.dims_in(1));
    return {node.add(OpId::DFT, {node.in()}, std::move(attributes))};
}

Vals stft(NodeCall& node) {
    Attributes attributes = {{"frame_step", node.int_in(1)}, {"onesided", node.i("onesided", 1) != 0}};
    if (node.has(3))
        attributes.set("frame_length", node.int_in(3));
    Vals operands = {node.in(0)};
    if (node.has(2))
        operands.push_back(node.in(2));
    return {node.add(OpId::STFT, operands, std::move(attributes))};
}

Vals window_function(NodeCall& node, OpId op) {
    return {node.add(op, {},
                     {{"size", node.int_in(0)},
                      {"periodic", node.i("periodic", 1) != 0},
                      {"dtype", node.type("output_datatype", Float)}})};
}

Vals mel_weight_matrix(NodeCall& node) {
    return {node.add(OpId::MelWeightMatrix, {},
                     {{"num_mel_bins", node.int_in(0)},
                      {"dft_length", node.int_in(1)},
                      {"sample_rate", node.int_in(2)},
                      {"lower_edge_hertz", node.number_in(3)},
                      {"upper_edge_hertz", node.number_in(4)},
                      {"dtype", node.type("output_datatype", Float)}})};
}

} // namespace hidet::graph::onnx
