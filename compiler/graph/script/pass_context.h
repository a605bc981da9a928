// SPDX-License-Identifier: Apache-2.0
// PassContext: how graphs are optimised inside of its `with` block.
#pragma once

#include "compiler/graph/passes/pass.h"
#include "compiler/graph/script/script_graphs.h"

namespace hidet::graph {

struct PassSettings {
    GraphOptions options;
    bool is_verbose = false;      // what rules have made is printed
    bool prints_profile = false;  // and how long each pass has taken
    lang::Value instruments = {}; // a list of objects of the script
};

// Of the innermost context; with what hidet.option says where it says nothing.
PassSettings pass_settings(ScriptGraphs& graphs, lang::Evaluator& evaluator, Span span);

// What graphs on a GPU are made for: the one that hidet.option.cuda.arch names, or that is there, or that is emulated.
artifact::TargetSpec gpu_of(ScriptGraphs& graphs, lang::Evaluator& evaluator, Span span);

// Optimises as the settings say, and tells of it.
Optimised optimise(lang::Evaluator& evaluator, Graph& graph, const PassSettings& settings, Span span);

lang::Value make_pass_context(ScriptGraphs& graphs, lang::Evaluator& evaluator);

} // namespace hidet::graph
