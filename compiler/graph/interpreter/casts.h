// SPDX-License-Identifier: Apache-2.0
// Casts between float32 and half precision without the interpreter: those of weights, of which models have hundreds of
// millions. The bits are the interpreter's.
#pragma once

#include "compiler/graph/interpreter/interpreter.h"

namespace hidet::graph {

// Null: the interpreter does it.
lang::TensorRef cast_natively(const OpCall& call, const Tensors& inputs);

// Of a float32 tensor with data, dense: an element has a larger magnitude. A NaN has none.
bool has_larger(const lang::Tensor& tensor, float limit);

} // namespace hidet::graph
