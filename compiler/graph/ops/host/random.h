// SPDX-License-Identifier: Apache-2.0
// What the random operators share. The numbers depend on the seed alone, and are the same in every run; without the
// attribute `seed` (a float) it is 0.
#pragma once

#include <functional>

#include "compiler/graph/ops/host/host_tensor.h"
#include "lang/tensor/random.h"

namespace hidet::graph {

lang::Random random_of(const Attributes& attributes);
lang::TensorRef random_tensor_of(ir::DType dtype, const std::vector<std::int64_t>& shape,
                                 const std::function<double()>& next);

// The constant attribute `shape`; OpError otherwise.
std::vector<std::int64_t> shape_attribute(const Attributes& attributes);
ir::DType dtype_attribute(const Attributes& attributes, ir::DType otherwise);

// What the operators make of `mean`, `scale`, `low`, `high` and `seed`.
lang::TensorRef normal_tensor(const Attributes& attributes, ir::DType dtype, const std::vector<std::int64_t>& shape);
lang::TensorRef uniform_tensor(const Attributes& attributes, ir::DType dtype, const std::vector<std::int64_t>& shape);

} // namespace hidet::graph
