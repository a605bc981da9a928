// SPDX-License-Identifier: Apache-2.0
// Operators of the domain ai.onnx.ml that are plain arithmetic.
#include "compiler/graph/onnx/conversions.h"

namespace hidet::graph::onnx {

// Columns of a matrix, or elements of a vector as a row.
Vals array_feature_extractor(NodeCall& node) {
    const std::size_t last = node.rank() - 1;
    if (node.rank() == 0)
        throw OpError("columns of a scalar");
    node.check_indices(1, node.shape()[last]);
    const Val columns = node.reshape(node.in(1), {element_count(node.shape(1))});
    const Val taken = node.add(OpId::Take, {node.in(0), columns}, {{"axis", static_cast<std::int64_t>(last)}});
    return {last == 0 ? node.unsqueeze(taken, {0}) : taken};
}

Vals binarizer(NodeCall& node) {
    const Val threshold = node.scalar(node.dtype(), node.f("threshold", 0));
    return {node.cast(node.add(OpId::Greater, {node.in(), threshold}), node.dtype())};
}

} // namespace hidet::graph::onnx
