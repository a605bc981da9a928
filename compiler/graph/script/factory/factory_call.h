// SPDX-License-Identifier: Apache-2.0
// A function with a space that a script calls itself: a factory of kernels, and no template of an operator.
//
//   @hidet.tune.space(1, block=[64, 128, 256])
//   def softmax(m: int, n: int, block=128): ...
//
//   module = softmax(1024, 512)
//
// To tuning a call is a graph of one operator that has no tensors: its kernels are what the function returns for these
// arguments, its schedules the points of the space that the arguments leave open.
#pragma once

#include "compiler/graph/script/templates.h"

namespace hidet::graph {

// What the function returns with the schedule that is chosen for its arguments and the machine.
lang::Value call_factory(ScriptGraphs& graphs, lang::Evaluator& evaluator, const TunedFunction& tuned, lang::Args& args,
                         Span span);

bool is_factory_call(const Graph& graph);

} // namespace hidet::graph
