// SPDX-License-Identifier: Apache-2.0
// What scripts need from the rest of the program to run graphs; implemented by the session, as lang::Engine is.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/plan/plan.h"
#include "compiler/graph/script/traced_graph.h"
#include "lang/base/result.h"
#include "lang/host/engine.h"

namespace hidet::graph {

using Tensors = std::vector<lang::TensorRef>;

class RunnableGraph {
public:
    virtual ~RunnableGraph() = default;
    // Nothing: the sink says why. OpError when the inputs do not fit.
    virtual std::optional<Tensors> run(const Tensors& inputs, DiagnosticSink& sink) = 0;
    // After a run: on what those inputs hold now, into the same results. A GPU does it at once, where it can.
    virtual std::optional<Tensors> run_again(DiagnosticSink& sink) = 0;
    // Likewise, but from these inputs and into these results, without a copy. A number; 0: it cannot, or has done so in `most` other places lately.
    virtual Result<std::size_t> run_into(const Tensors&, const Tensors&, std::size_t) { return 0; }
    // What run_into() has run under this number, once more, where its tensors lay. False: it cannot.
    virtual Result<bool> run_at(std::size_t) { return false; }
};

// A tensor that a graph takes or gives.
struct GraphTensor {
    TensorSpec spec;
    Device device = Device::Cpu;
};
struct GraphSignature {
    std::vector<GraphTensor> inputs, outputs;
};

// A graph that was compiled before, from a package.
struct LoadedGraph {
    GraphSignature signature;
    std::unique_ptr<RunnableGraph> runnable;
};
using lang::LoadOptions;

// Where scripts keep graphs, at paths of theirs: compiled ones are packages (runtime/package/FORMAT.md), others documents with their
// weights.
class GraphStore {
public:
    virtual ~GraphStore() = default;
    // False: the sink says why.
    virtual bool save(const CompiledGraph& compiled, const std::string& path, Span site, DiagnosticSink& sink) = 0;
    virtual std::optional<LoadedGraph> load(const LoadOptions& options, DiagnosticSink& sink) = 0;
    virtual bool save_graph(const ScriptGraph& graph, const std::string& path, Span site, DiagnosticSink& sink) = 0;
    // One that was optimised has an empty partition.
    virtual std::optional<ScriptGraph> load_graph(const std::string& path, Span site, DiagnosticSink& sink) = 0;
};

class GraphEngine {
public:
    virtual ~GraphEngine() = default;
    // What graphs on a GPU are compiled for: the one that is there, or the one that is emulated.
    virtual const artifact::TargetSpec& gpu() const = 0;
    virtual const artifact::TargetSpec& cpu() const = 0; // that is there
    // With the schedules that tuning finds at a level from 1 on; at 0 as it is, but a call of a factory as records say, else as is
    // predicted.
    virtual Partition tuned(const CompiledGraph& compiled, const artifact::TargetSpec& target,
                            const TemplateProvider& templates, int level, DiagnosticSink& sink) = 0;
    // Built when it is first run.
    virtual std::unique_ptr<RunnableGraph> runnable(std::shared_ptr<const CompiledGraph> compiled) = 0;
    // A single operator, on the GPU when an input is there, by the template that takes it, if there are any. Nothing: the
    // sink says why. OpError when it refuses its inputs.
    virtual std::optional<Tensors> run_operator(const OpCall& call, const Tensors& inputs,
                                                const TemplateProvider* templates, Span site, DiagnosticSink& sink) = 0;
    virtual GraphStore* store() = 0; // null: this evaluation has none
    std::string code;                // what is asked of the code of operators (ir/module_options.h)
    std::int64_t level = 0; // graphs are tuned at this level, or at the one that the script asks for, if that is higher
};

// Of an evaluation, which runs on that engine.
using GraphEngineMaker = std::function<std::unique_ptr<GraphEngine>(lang::Engine& engine)>;

} // namespace hidet::graph
