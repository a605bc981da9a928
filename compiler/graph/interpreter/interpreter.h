// SPDX-License-Identifier: Apache-2.0
// Operators evaluated natively: constants of a model fold with it, and it is the reference that compiled programs are
// compared with. Compute definitions run through an interpreter that works on rows of elements (lanes.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/core/graph.h"
#include "lang/base/symbol_values.h"

namespace hidet::graph {

using Tensors = std::vector<lang::TensorRef>;

lang::TensorRef make_tensor(ir::DType dtype, const std::vector<std::int64_t>& shape); // zeros
lang::TensorRef make_ints(const std::vector<std::int64_t>& values);                   // i64[n]
lang::TensorRef make_int(std::int64_t value);                                         // i64[]
lang::TensorRef make_scalar(ir::DType dtype, double value);
TensorSpec spec_of(const lang::Tensor& tensor);
std::vector<std::int64_t> integers_of(const lang::Tensor& tensor); // of an integer or bool tensor
std::vector<double> numbers_of(const lang::Tensor& tensor);        // of any real type

// The results of a task whose extents are constants, or depend on the symbols. OpError when an element outside of a tensor
// is read.
Tensors run_task(const Task& task, const Tensors& inputs, const SymbolValues& symbols = {});

// One application of an operator. The specs in the call are those of the tensors, its attributes without symbols.
Tensors evaluate(const OpCall& call, const Tensors& inputs);

// The same for who would rather keep the node: nothing when it is random, cannot be evaluated, or makes more elements.
std::optional<Tensors> fold(const OpCall& call, const Tensors& inputs, std::int64_t max_elements);

// A whole graph on the host, node by node. `seen`, if given, is called with every value that is computed.
using Observer = void (*)(void* context, ValueId value, const lang::TensorRef& tensor);
Tensors evaluate_graph(const Graph& graph, const Tensors& inputs, Observer seen = nullptr, void* context = nullptr);

// Binds the symbols that stand alone as an extent; OpError when extents do not fit.
void bind_symbols(const Shape& shape, const std::vector<std::int64_t>& extents, SymbolValues& symbols,
                  const std::string& what);
std::int64_t value_of(const Dim& dim, const SymbolValues& symbols);
Attributes with_values(const Attributes& attributes, const SymbolValues& symbols); // Shapes become constants

} // namespace hidet::graph
