// SPDX-License-Identifier: Apache-2.0
// Tensors of floats, and an operator whose result has an extent that depends on them.
#pragma once

#include <cstring>
#include <vector>

#include "compiler/graph/core/graph.h"

namespace hidet::test {

using FloatList = std::vector<float>;

inline lang::TensorRef float_tensor(std::vector<std::int64_t> shape, const FloatList& values) {
    lang::TensorRef tensor(new lang::Tensor());
    tensor->shape = std::move(shape);
    tensor->storage = std::make_shared<lang::Storage>(values.size() * sizeof(float));
    if (!values.empty())
        std::memcpy(tensor->data(), values.data(), values.size() * sizeof(float));
    return tensor;
}

inline FloatList floats_of(const lang::TensorRef& tensor) {
    FloatList values(static_cast<std::size_t>(tensor->count()));
    if (!values.empty())
        std::memcpy(values.data(), tensor->read(), values.size() * sizeof(float));
    return values;
}

inline graph::TensorSpec f32(graph::Shape shape) {
    return {ir::DType::F32, std::move(shape)};
}

// The elements greater than zero: how many there are depends on data.
inline graph::ValueId positive_elements(graph::Graph& graph, graph::ValueId x) {
    const graph::ValueId zero = graph.add_constant(float_tensor({1}, {0}));
    return graph.add_one(graph::op_info::Compress(), {x, graph.add_one(graph::op_info::Less(), {zero, x})});
}

} // namespace hidet::test
