// SPDX-License-Identifier: Apache-2.0
// Closed forms: what the elements of a tensor are, as an expression over their indices and over symbols, where no data decides
// it. Models with open sizes compute such tensors from their shapes, first of all the masks of attention. Found by inlining the
// definitions of the operators and by deciding what the ranges of indices decide.
#pragma once

#include <optional>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

struct ClosedForm {
    Shape indices; // symbols that stand for them, one an axis
    // A constant, an i64 in one form, a condition `0 <= i64`, or `Select`s, `and`s and `not`s of these.
    ir::ExprRef element;
};

// Nothing: data decides, or the expression would be long. Integers are taken to be so small that they do not wrap.
std::optional<ClosedForm> closed_form(const Graph& graph, ValueId value);

} // namespace hidet::graph
