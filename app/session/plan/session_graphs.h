// SPDX-License-Identifier: Apache-2.0
// Graphs and single operators of scripts, run on an engine.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "app/session/plan/graph_runner.h"

namespace hidet::session {

// Finds schedules for a graph on a GPU; what is wrong is told to the sink.
using GraphTuner = std::function<graph::Partition(
    lang::Engine& engine, const graph::CompiledGraph& compiled, const artifact::TargetSpec& target,
    const graph::TemplateProvider& templates, int level, DiagnosticSink& sink)>;

class SessionGraphs : public graph::GraphEngine {
public:
    explicit SessionGraphs(lang::Engine& engine, GraphTuner tuner = {}, std::shared_ptr<graph::GraphStore> store = {})
        : m_engine(engine), m_tuner(std::move(tuner)), m_store(std::move(store)) {}

    const artifact::TargetSpec& gpu() const override;
    const artifact::TargetSpec& cpu() const override;
    graph::Partition tuned(const graph::CompiledGraph& compiled, const artifact::TargetSpec& target,
                           const graph::TemplateProvider& templates, int level, DiagnosticSink& sink) override;
    std::unique_ptr<graph::RunnableGraph> runnable(std::shared_ptr<const graph::CompiledGraph> compiled) override;
    // What was built for one call serves all that are alike: same operator, attributes, dtypes and shapes.
    std::optional<Tensors> run_operator(const graph::OpCall& call, const Tensors& inputs,
                                        const graph::TemplateProvider* templates, Span site,
                                        DiagnosticSink& sink) override;
    graph::GraphStore* store() override { return m_store.get(); }
    std::size_t built() const { return m_runners.size(); } // different operators

private:
    std::shared_ptr<GraphRunner> runner_of(const graph::OpCall& call, const Tensors& inputs,
                                           const graph::TemplateProvider* templates, Span site, DiagnosticSink& sink);

    lang::Engine& m_engine;
    const GraphTuner m_tuner;
    const std::shared_ptr<graph::GraphStore> m_store;
    std::map<std::string, std::shared_ptr<GraphRunner>> m_runners;
};

// For make_graph_language. Without a store, scripts save nothing and load nothing.
graph::GraphEngineMaker graph_engines(GraphTuner tuner, std::shared_ptr<graph::GraphStore> store = {});

} // namespace hidet::session
