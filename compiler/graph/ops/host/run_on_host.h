// SPDX-License-Identifier: Apache-2.0
// The functions of operators on host memory, which programs without this tree run too (runtime/operators).
#pragma once

#include "compiler/graph/core/op.h"

namespace hidet::graph {

std::vector<lang::TensorRef> run_on_host(const HostCall& host); // OpError

// The row of an operator that is such a function.
OpInfo host_op(OpId id, const char* python, Parameters parameters, const char* summary, const char* example,
               std::vector<TensorSpec> (*infer)(const OpCall& call, FreshSymbols& symbols));

// Of zeros.
lang::TensorRef host_tensor(ir::DType dtype, std::vector<std::int64_t> shape);

// Whether one that stands for an operator of ONNX is there.
bool runs_on_host(const std::string& onnx_op);

// Of a recurrent layer.
bool is_activation(const std::string& name);

} // namespace hidet::graph
