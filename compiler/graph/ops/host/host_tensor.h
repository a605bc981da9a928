// SPDX-License-Identifier: Apache-2.0
// Tensors that the host makes.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/core/op.h"

namespace hidet::graph {

lang::TensorRef host_tensor(ir::DType dtype, std::vector<std::int64_t> shape); // zeros
lang::TensorRef host_tensor(ir::DType dtype, std::vector<std::int64_t> shape, const std::vector<double>& values);

} // namespace hidet::graph
