// SPDX-License-Identifier: Apache-2.0
// What symbolic tensors can be asked for: the methods that hidet's tensors have, and indexing.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "compiler/graph/script/symbolic.h"

namespace hidet::graph {

std::vector<const char*> symbolic_method_names();
std::unique_ptr<lang::Value> symbolic_method(lang::Evaluator& evaluator, SymbolicTensor& self, std::string_view name,
                                             Span span); // null: there is none
// Integers, slices, None and ... as NumPy has them; one tensor of integers takes along the first dimension.
lang::Value symbolic_index(lang::Evaluator& evaluator, SymbolicTensor& self, const lang::Value& index, Span span);
// tensor.op
lang::Value operator_value(ScriptGraphs& graphs, NodeId node);
const OpInfo* operator_of(const lang::Value& value); // of what operator_value() made; null: it is something else
const OpInfo* operator_of(lang::ast::BinaryOp op);   // null: there is none
// A dictionary of them; what a script has no value for is None.
lang::Value attributes_value(lang::Evaluator& evaluator, const Attributes& attributes, Span span);

} // namespace hidet::graph
