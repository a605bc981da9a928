// SPDX-License-Identifier: Apache-2.0
// Indices that a model is run on, such as the tokens of a text (compiler/graph/core/indices.h says why).
#pragma once

#include "app/session/plan/plan_runner.h"
#include "compiler/graph/core/graph.h"
#include "lang/base/symbol_values.h"

namespace hidet::session {

// OpError names the input, the place and the index. Inputs that reach an operator as they are, cast or under another shape,
// are looked at; what the model computes is not.
void check_indices(const graph::Graph& graph, const Tensors& inputs, const SymbolValues& symbols);

// Says so in the plan, before whose runs whoever runs it looks at the inputs (runtime/package/input_check.h).
void add_input_checks(const graph::Graph& graph, artifact::LaunchPlan& plan);

} // namespace hidet::session
