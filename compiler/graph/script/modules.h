// SPDX-License-Identifier: Apache-2.0
// What the graph layer adds to hidet's modules.
#pragma once

#include "compiler/graph/script/script_graphs.h"
#include "lang/host/modules.h"

namespace hidet::graph {

void extend_module(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);

// One function a module, or a few that share a folder of upstream's: rows of modules.cpp.
void add_operators(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);
void add_composed(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);
void add_functional_collectives(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);
void keep_symbolic_tensors(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);
void add_tracing(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);
void add_graphs(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);
void add_frontend(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);
void add_passes(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);
void add_packages(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);
void add_graph_files(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);
void add_compute(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);
void add_build_task(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);
void add_task_class(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);
void add_opaque_class(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);
void add_operator_class(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);

} // namespace hidet::graph
