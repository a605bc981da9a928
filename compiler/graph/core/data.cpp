// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/data.h"

#include "lang/tensor/elements.h"

namespace hidet::graph {

lang::TensorRef new_tensor(ir::DType dtype, const std::vector<std::int64_t>& shape, Device device) {
    lang::TensorRef tensor(new lang::Tensor);
    tensor->dtype = dtype;
    tensor->shape = shape;
    tensor->device = device;
    tensor->storage = std::make_shared<lang::Storage>(bytes_of(*tensor));
    return tensor;
}

lang::TensorRef tensor_of(ir::DType dtype, const std::vector<std::int64_t>& shape, const std::vector<double>& values) {
    lang::TensorRef tensor = new_tensor(dtype, shape);
    lang::write_doubles(*tensor, values);
    return tensor;
}

std::size_t bytes_of(const lang::Tensor& tensor) {
    return static_cast<std::size_t>(tensor.count()) * static_cast<std::size_t>(ir::bytes_of(tensor.dtype));
}

} // namespace hidet::graph
