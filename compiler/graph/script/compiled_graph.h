// SPDX-License-Identifier: Apache-2.0
// What scripts run: a graph that the script has compiled, or one that was compiled before and saved.
#pragma once

#include <memory>
#include <string>

#include "compiler/graph/script/values.h"

namespace hidet::graph {

GraphSignature signature_of(const Graph& graph);
bool is_on_gpu(const GraphSignature& signature); // a part of it

class Compiled {
public:
    Compiled(lang::Evaluator& evaluator, const ScriptGraph& source, Span span);
    Compiled(LoadedGraph loaded, std::string file);

    Tensors run(lang::Evaluator& evaluator, const Tensors& inputs, Span span);
    Tensors run_again(lang::Evaluator& evaluator, const Tensors& inputs,
                      Span span); // into the results of the run before
    std::size_t run_into(const Tensors& inputs, const Tensors& results, std::size_t most,
                         Span span); // as RunnableGraph's; after a run
    bool run_at(std::size_t number, Span span);
    void save(lang::Evaluator& evaluator, const std::string& path, Span span) const;

    // Those of the graph's that it computes there, without another copy.
    std::vector<InPlace> in_place() const;

    const Graph* source() const; // that it was compiled from; null: it was loaded
    const GraphSignature& signature() const { return m_signature; }
    bool is_on_gpu() const;

private:
    Tensors without_data(lang::Evaluator& evaluator, const Tensors& inputs, Span span) const;

    std::shared_ptr<const CompiledGraph> m_compiled; // null: it was loaded
    std::string m_file;                              // from which
    GraphSignature m_signature;
    std::unique_ptr<RunnableGraph> m_runnable; // null in a preview
};
using CompiledRef = std::shared_ptr<Compiled>;

// What a store has found; the last of its mistakes ends the statement, as any error does.
void hand_on(lang::Evaluator& evaluator, DiagnosticSink& found, bool is_ok);

// Of graphs and of calls of factories: what hidet.option.search_space says, or who runs the script, if that is higher.
int tuning_level(ScriptGraphs& graphs, lang::Evaluator& evaluator);

// Where this evaluation keeps graphs; null: a preview, which reads and writes nothing. Others have none: "bad-value".
GraphStore* graph_store(lang::Evaluator& evaluator, Span span);

// Tensors from f(x, y) and from f([x, y]).
Tensors tensors_of(lang::Evaluator& evaluator, const lang::Args& args, Span span);
// One is itself, unless a list is wanted.
lang::Value results_of(lang::Evaluator& evaluator, Tensors tensors, bool as_list);
lang::Value run_value(lang::Evaluator& evaluator, Compiled& compiled, const Tensors& inputs, bool as_list, Span span);
// Zeros of the shapes that the graph takes.
Tensors dummy_inputs(lang::Evaluator& evaluator, const GraphSignature& signature, Span span);

lang::Value compiled_graph_value(CompiledRef compiled);
const Compiled* compiled_graph_of(const lang::Value& value);  // null: it is something else
lang::Value compiled_graph_class(lang::Evaluator& evaluator); // for isinstance() and annotations
// Captured once and replayed: inputs and outputs stay where they are.
lang::Value make_cuda_graph(lang::Evaluator& evaluator, CompiledRef compiled, Span span);

} // namespace hidet::graph
