// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/host_tensor.h"

#include "lang/tensor/elements.h"

namespace hidet::graph {

lang::TensorRef host_tensor(ir::DType dtype, std::vector<std::int64_t> shape) {
    lang::TensorRef tensor(new lang::Tensor);
    tensor->dtype = dtype;
    tensor->shape = std::move(shape);
    const auto bytes = static_cast<std::size_t>(ir::bytes_of(dtype));
    tensor->storage = std::make_shared<lang::Storage>(static_cast<std::size_t>(tensor->count()) * bytes);
    return tensor;
}

lang::TensorRef host_tensor(ir::DType dtype, std::vector<std::int64_t> shape, const std::vector<double>& values) {
    lang::TensorRef tensor = host_tensor(dtype, std::move(shape));
    if (ir::is_float(dtype))
        lang::write_doubles(*tensor, values);
    else
        lang::write_integers(*tensor, std::vector<std::int64_t>(values.begin(), values.end()));
    return tensor;
}

} // namespace hidet::graph
