// SPDX-License-Identifier: Apache-2.0
// Tensors of NumPy, PyTorch and everything that speaks DLPack, and ours: the same memory, on either side.
#pragma once

#include <tvm/ffi/container/tensor.h>

#include "lang/tensor/tensor.h"

namespace hidet::python {

// Of memory of the host, dense and row-major, of a dtype that we have; else a TypeError or ValueError that says what is not so.
lang::TensorRef shared_tensor(const tvm::ffi::Tensor& tensor);
tvm::ffi::Tensor exported_tensor(const lang::TensorRef& tensor);

} // namespace hidet::python
