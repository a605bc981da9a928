// SPDX-License-Identifier: Apache-2.0
// Tensors with data, for who makes constants of a graph.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/tensor/tensor.h"

namespace hidet::graph {

// Zeros; InternalError for dtypes of less than a byte. std::bad_alloc when there is no memory.
lang::TensorRef new_tensor(ir::DType dtype, const std::vector<std::int64_t>& shape, Device device = Device::Cpu);
// Rounded to the dtype.
lang::TensorRef tensor_of(ir::DType dtype, const std::vector<std::int64_t>& shape, const std::vector<double>& values);
inline lang::TensorRef scalar_tensor(ir::DType dtype, double value) {
    return tensor_of(dtype, {}, {value});
}
std::size_t bytes_of(const lang::Tensor& tensor);

} // namespace hidet::graph
