// SPDX-License-Identifier: Apache-2.0
// Operators on tensors that hold data, computed at once.
#pragma once

#include <vector>

#include "compiler/graph/core/op.h"
#include "lang/host/evaluator.h"

namespace hidet::graph {

class ScriptGraphs;

bool compiles_operators(lang::Evaluator& evaluator); // hidet.option.execution_mode

// hidet.option.execution_mode: "interpreter" evaluates the compute definition here; "compilation" compiles a kernel and
// runs it on the evaluation's engine. Extents without data, in a preview: the results have none either.
std::vector<lang::TensorRef> run_eager(ScriptGraphs& graphs, lang::Evaluator& evaluator, const OpCall& call,
                                       const std::vector<lang::TensorRef>& inputs, Span span);

} // namespace hidet::graph
