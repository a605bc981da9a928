// SPDX-License-Identifier: Apache-2.0
// Runs graphs that this process has planned: builds their programs on an engine, and their plan runs on a PlanRunner.
#pragma once

#include "app/session/plan/plan_runner.h"
#include "compiler/graph/script/graph_engine.h"

namespace hidet::session {

struct GraphRunOptions {
    Span site;                           // of what asked for it in a script
    std::size_t kernels_per_module = 16; // at most
    const std::atomic<bool>* cancelled = nullptr;
    graph::PlanProgress progress; // of building
    bool checks_indices = false;  // of inputs, on a GPU too
};

class GraphRunner : public graph::RunnableGraph {
public:
    GraphRunner(std::shared_ptr<const graph::CompiledGraph> compiled, lang::Engine& engine,
                GraphRunOptions options = {});

    // False: the sink says why, or it was cancelled.
    bool build(DiagnosticSink& sink);
    // OpError when the inputs do not fit; where no real GPU runs it, or it is asked for, also when they are indices that
    // lie outside.
    void bind(const Tensors& inputs);
    // Builds it, unless it has been built.
    std::optional<Tensors> run(const Tensors& inputs, DiagnosticSink& sink) override;
    std::optional<Tensors> run_again(DiagnosticSink& sink) override;
    Result<std::size_t> run_into(const Tensors& inputs, const Tensors& results, std::size_t most) override;
    Result<bool> run_at(std::size_t number) override;

    const graph::CompiledGraph& compiled() const { return *m_compiled; }
    PlanRunner& plan_runner() { return *m_runner; } // once it is built

private:
    Tensors outputs(); // of the last run; in the place of inputs where the graph says so
    bool looks_into_inputs() const;
    void check(const Tensors& inputs) const; // of what lies in them

    std::shared_ptr<const graph::CompiledGraph> m_compiled;
    lang::Engine& m_engine;
    GraphRunOptions m_options;
    std::unique_ptr<PlanRunner> m_runner;
    Tensors m_inputs; // of the last run
};

} // namespace hidet::session
