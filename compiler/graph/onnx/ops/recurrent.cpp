// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/conversions.h"

namespace hidet::graph::onnx {

// Of the optional operands, `given` says which are there.
Vals recurrent(NodeCall& node, OpId op) {
    Vals operands = {node.in(0), node.in(1), node.in(2)};
    Ints given;
    for (std::size_t i = 3; i < node.count(); ++i)
        if (node.has(i)) {
            given.push_back(static_cast<std::int64_t>(i));
            operands.push_back(node.in(i));
        }
    Attributes attributes = {{"given", given},
                             {"direction", node.s("direction", "forward")},
                             {"layout", node.i("layout", 0)},
                             {"linear_before_reset", node.i("linear_before_reset", 0)},
                             {"input_forget", node.i("input_forget", 0)}};
    if (node.has_attribute("hidden_size")) {
        const auto hidden = node.rank(2) == 3 ? constant_of(node.shape(2)[2]) : std::nullopt;
        if (hidden && *hidden != node.i("hidden_size"))
            throw OpError("hidden_size is ", node.i("hidden_size"), ", and R is of shape ", text_of(node.shape(2)));
        attributes.set("hidden_size", node.i("hidden_size"));
    }
    if (node.has_attribute("activations"))
        attributes.set("activations", node.strings("activations"));
    if (node.has_attribute("activation_alpha"))
        attributes.set("activation_alpha", node.floats("activation_alpha"));
    if (node.has_attribute("activation_beta"))
        attributes.set("activation_beta", node.floats("activation_beta"));
    if (node.has_attribute("clip"))
        attributes.set("clip", node.f("clip", 0));
    return node.add_all(op, operands, std::move(attributes));
}

} // namespace hidet::graph::onnx
