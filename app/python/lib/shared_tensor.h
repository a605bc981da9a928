// SPDX-License-Identifier: Apache-2.0
// Tensors of NumPy, PyTorch and everything that speaks DLPack, and ours: the same memory, on either side.
#pragma once

#include <tvm/ffi/container/tensor.h>

#include "app/python/lib/python_session.h"
#include "lang/tensor/tensor.h"

namespace hidet::python {

// Of memory of the host or of the GPU that is computed on, dense and row-major, of a dtype that we have; else a TypeError or
// ValueError that says what is not so. What is computed with a tensor of a GPU comes behind what the caller's stream has to do.
lang::TensorRef shared_tensor(PythonSession& session, const tvm::ffi::Tensor& tensor);
bool is_dense(const DLTensor& tensor); // and row-major
// What is launched from now on comes behind what the stream of the call has to do.
void follow_caller(session::SharedDevice& device);
tvm::ffi::Tensor exported_tensor(PythonSession& session, const lang::TensorRef& tensor);

} // namespace hidet::python
