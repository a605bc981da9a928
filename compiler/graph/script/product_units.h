// SPDX-License-Identifier: Apache-2.0
// PassContext.set_mma: which units of a GPU multiply.
#pragma once

#include <vector>

#include "compiler/graph/passes/pass.h"
#include "lang/host/evaluator.h"

namespace hidet::graph {

// Schedules without matrix units for the operators that would take them: those on half precision.
std::vector<NodeChoice> without_matrix_units(const Graph& graph);

// Warns of the products for which 'mma' changes nothing, and of tf32 where it changes none.
void check_products(lang::Evaluator& evaluator, const Graph& graph, const GraphOptions& options, Span span);

} // namespace hidet::graph
