// SPDX-License-Identifier: Apache-2.0
// What element-wise operators share: one expression on the elements at an index, broadcasting, inverse maps. The elements
// are handed to it as variables; those that it reads more than once stay variables (of a Let), so that a chain of operators
// is as long as its operators and no longer.
#pragma once

#include <functional>
#include <string>

#include "compiler/graph/ops/elementwise/values.h"

namespace hidet::graph {

using Binary = std::function<ir::ExprRef(const ir::ExprRef&, const ir::ExprRef&)>;
using Variadic = std::function<ir::ExprRef(const ir::ExprVec&)>;

// The result has the dtype of the expression.
Task define_unary(const OpCall& call, const std::string& name, const Unary& value);
// OpError unless the shapes broadcast. dtypes are promoted as the expression does.
Task define_binary(const OpCall& call, const std::string& name, const Binary& value);
Task define_pointwise(const OpCall& call, const std::string& name, const Variadic& value);

// A run checks the extents of an operand that were taken to be those of the result.
void require_broadcast(TaskBuilder& builder, const Shape& operand, const Shape& result, const std::string& name);

} // namespace hidet::graph
