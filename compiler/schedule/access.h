// SPDX-License-Identifier: Apache-2.0
// How a value walks through memory when one of its axes moves on by one.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/ir/expr.h"

namespace hidet::graph {

// By how much the expression grows with the variable; nothing when it is no multiple of it.
std::optional<std::int64_t> step_of(const ir::ExprRef& expr, const ir::Var& var);
// By how many elements the element moves on in its tensor.
std::optional<std::int64_t> step_of_element(const ir::TensorElement& element, const ir::Var& var);
bool depends_on(const ir::ExprRef& expr, const ir::Var& var);

struct Walk {
    int still = 0; // reads that stay where they are
    int dense = 0; // that go to the next element
    int far = 0;   // that go anywhere else
};
Walk walk_of(const ir::ExprRef& value, const ir::Var& var);
// What neighbours along `rows` share when lanes run along `lane`: reads that do not move with the row, those that fill
// vectors counting more than single elements.
int shared_by_rows(const ir::ExprRef& value, const ir::Var& rows, const ir::Var& lane);

} // namespace hidet::graph
