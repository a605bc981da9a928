// SPDX-License-Identifier: Apache-2.0
// Tensors for operators that run on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/core/op.h"

namespace hidet::graph {

lang::TensorRef host_tensor(ir::DType dtype, std::vector<std::int64_t> shape); // zeros
lang::TensorRef host_tensor(ir::DType dtype, std::vector<std::int64_t> shape, const std::vector<double>& values);
lang::TensorRef host_tensor(ir::DType dtype, std::vector<std::int64_t> shape, const std::vector<std::int64_t>& values);

// Elements as what their type is computed in. Floats have both: their integers are truncated.
std::vector<double> doubles_of(const lang::TensorRef& tensor);
std::vector<std::int64_t> integers_of(const lang::TensorRef& tensor);
double scalar_double(const lang::TensorRef& tensor); // OpError unless it has one element
std::int64_t scalar_integer(const lang::TensorRef& tensor);

// A tensor as [outer, extent, inner] around one dimension.
struct AxisView {
    std::int64_t outer = 1;
    std::int64_t extent = 1;
    std::int64_t inner = 1;
};
AxisView view_along(const std::vector<std::int64_t>& shape, std::size_t axis);

// The tensor of the elements along the dimension at the given places.
lang::TensorRef taken(const lang::TensorRef& tensor, std::size_t axis, const std::vector<std::int64_t>& places);

} // namespace hidet::graph
