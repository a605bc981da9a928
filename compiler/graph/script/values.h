// SPDX-License-Identifier: Apache-2.0
// Graphs as values of scripts: hidet.FlowGraph, what it builds, and its CUDA graph.
#pragma once

#include <memory>

#include "compiler/graph/script/script_graphs.h"
#include "lang/host/value.h"

namespace hidet::graph {

lang::Value trace_from(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::Args& args, Span span);
lang::Value flow_graph_value(lang::Evaluator& evaluator, std::shared_ptr<ScriptGraph> graph);
const ScriptGraph* flow_graph_of(const lang::Value& value); // null: it is something else
lang::Value flow_graph_class(lang::Evaluator& evaluator);   // for isinstance() and annotations

} // namespace hidet::graph
