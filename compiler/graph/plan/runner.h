// SPDX-License-Identifier: Apache-2.0
// Runs compiled graphs. An engine (lang/host/engine.h) builds and calls the programs, so the same graph runs on a GPU, in
// the emulator, or as C++ on the CPU.
//
//     Runner runner(compiled, engine);
//     if (runner.build(sink)) {
//         Execution execution(runner, inputs);   // checks the inputs: OpError
//         if (execution.run(sink))
//             use(execution.outputs());
//     }
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/graph/plan/plan.h"
#include "lang/host/engine.h"

namespace hidet::graph {

using Tensors = std::vector<lang::TensorRef>;

struct CompiledGraph {
    Graph graph;
    Partition partition;
    Plan plan;
};

struct RunnerOptions {
    Span site;                           // of what asked for it in a script
    std::size_t kernels_per_module = 16; // at most
    const std::atomic<bool>* cancelled = nullptr;
    PlanProgress progress; // of building
};

class Runner {
public:
    Runner(std::shared_ptr<const CompiledGraph> compiled, lang::Engine& engine, RunnerOptions options = {});

    // False: the sink says why, or it was cancelled.
    bool build(DiagnosticSink& sink);
    // Nothing: the sink says why. OpError when the inputs do not fit.
    std::optional<Tensors> run(const Tensors& inputs, DiagnosticSink& sink);

    const CompiledGraph& compiled() const { return *m_compiled; }
    lang::Device device() const;
    void set_site(Span site) { m_options.site = site; } // of the runs that follow

private:
    friend class Execution;
    struct Extents { // that have to be equal for the operators to mean what they say
        Dim have;
        Dim want;
        NodeId node;
    };
    struct Condition { // that an operator's definition stands on
        Requirement requirement;
        NodeId node;
    };
    void collect_checks();

    std::shared_ptr<const CompiledGraph> m_compiled;
    lang::Engine& m_engine;
    RunnerOptions m_options;
    std::vector<Ref<lang::BuiltModule>> m_modules;        // by program; one module may hold many
    std::vector<lang::TensorRef> m_constants;             // by value, on the device
    std::vector<std::shared_ptr<lang::Storage>> m_arenas; // by section, kept from run to run
    std::vector<Extents> m_checks;
    std::vector<Condition> m_conditions;
};

// A step, ready to be made.
struct ProgramCall {
    Ref<lang::BuiltModule> module;
    std::string function;
    std::vector<lang::CallArgument> arguments;
};

// One set of inputs. Its tensors stay the same from run to run; only one execution of a runner may be used at a time,
// because they share arenas.
class Execution {
public:
    Execution(Runner& runner, const Tensors& inputs);

    std::size_t step_count() const { return m_plan.steps.size(); }
    bool has_host_steps() const;
    bool run(DiagnosticSink& sink); // false: the sink says why, or it was cancelled
    bool run_step(std::uint32_t step, DiagnosticSink& sink);
    // Nothing when all of its results are empty. A launch step, whose section must have begun.
    std::optional<ProgramCall> call_of(std::uint32_t step);
    lang::TensorRef tensor(ValueId value); // null: not made yet, or gone
    Tensors outputs();
    const SymbolValues& symbols() const { return m_symbols; }

private:
    void bind(const Tensors& inputs);
    void check_input(ValueId id, const lang::Tensor& given) const;
    void check_extents() const;
    void begin_section(std::uint32_t section);
    void run_host(const Step& step);
    void bind_result(ValueId id, lang::TensorRef result, const Node& node);
    void forget_unread(std::uint32_t step);
    void forget_results();
    lang::TensorRef make(ValueId id);
    lang::TensorRef view(const std::shared_ptr<lang::Storage>& storage, std::size_t offset, ValueId id) const;
    std::vector<std::int64_t> extents_of(ValueId id) const;
    std::string name_of(ValueId id) const;

    Runner& m_runner;
    const Graph& m_graph;
    const Plan& m_plan;
    SymbolValues m_symbols;
    Tensors m_tensors;                     // by value
    std::vector<std::size_t> m_workspaces; // by step: bytes into its section's arena
};

} // namespace hidet::graph
