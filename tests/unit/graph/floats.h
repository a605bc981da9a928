// SPDX-License-Identifier: Apache-2.0
// Tensors of floats, and an operator whose result has an extent that depends on them.
#pragma once

#include <cstring>
#include <vector>

#include "compiler/graph/core/op.h"

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
inline const graph::OpInfo& positive_elements() {
    static const graph::OpInfo info = {
        .name = "PositiveElements",
        .python = "",
        .parameters = "x",
        .cls = graph::OpClass::Host,
        .summary = "for tests",
        .example = "",
        .infer = [](const graph::OpCall& call, graph::FreshSymbols& symbols) -> std::vector<graph::TensorSpec> {
            return {{call.inputs[0].dtype, {symbols.fresh("count")}}};
        },
        .run = [](const graph::HostCall& call) -> std::vector<lang::TensorRef> {
            FloatList kept;
            for (const float value : floats_of(call.inputs[0]))
                if (value > 0)
                    kept.push_back(value);
            return {float_tensor({static_cast<std::int64_t>(kept.size())}, kept)};
        },
    };
    return info;
}

} // namespace hidet::test
