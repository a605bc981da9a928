// SPDX-License-Identifier: Apache-2.0
// Runs launch plans. An engine (lang/host/engine.h) builds and calls the programs, so the same plan runs on a GPU, in the
// emulator, or as C++ on the CPU.
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

// A plan with all that it names; it has no operators of another process.
struct LoadedPlan {
    std::shared_ptr<const artifact::LaunchPlan> plan;
    Tensors weights;                             // by row
    std::vector<Ref<lang::BuiltModule>> modules; // by row
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
    Runner(LoadedPlan loaded, lang::Engine& engine, RunnerOptions options = {}); // is built

    // False: the sink says why, or it was cancelled.
    bool build(DiagnosticSink& sink);
    // Nothing: the sink says why. OpError when the inputs do not fit.
    std::optional<Tensors> run(const Tensors& inputs, DiagnosticSink& sink);

    const artifact::LaunchPlan& plan() const { return *m_plan; }
    const CompiledGraph& compiled() const { return *m_compiled; }                    // of a plan that was not loaded
    const std::vector<Ref<lang::BuiltModule>>& modules() const { return m_modules; } // by row; one may stand for many
    lang::Device device() const;
    void set_site(Span site) { m_options.site = site; } // of the runs that follow

private:
    friend class Execution;
    void prepare(const Tensors& weights);

    std::shared_ptr<const CompiledGraph> m_compiled; // null: the plan was loaded
    std::shared_ptr<const artifact::LaunchPlan> m_plan;
    lang::Engine& m_engine;
    RunnerOptions m_options;
    std::vector<ir::DType> m_dtypes; // by value
    std::vector<Ref<lang::BuiltModule>> m_modules;
    Tensors m_weights;                                    // on the device
    Tensors m_host_weights;                               // as they were given
    std::vector<std::shared_ptr<lang::Storage>> m_arenas; // by section, kept from run to run
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
    // Nothing when all of its results are empty, or it calls nothing. Its section must have begun.
    std::optional<ProgramCall> call_of(std::uint32_t step);
    lang::TensorRef tensor(artifact::Row value); // null: not made yet, or gone
    Tensors outputs();
    SymbolValues symbols() const;

private:
    using Row = artifact::Row;
    const artifact::PlanValue& value(Row row) const { return m_plan.values[row]; }
    void bind(const Tensors& inputs);
    void bind_symbol(Row symbol, std::int64_t extent, const std::string& where);
    void check_input(Row row, const lang::Tensor& given) const;
    void check_requirements() const;
    void begin_section(std::uint32_t section);
    std::int64_t arena_bytes(std::uint32_t section) const;
    void run_host(const artifact::PlanStep& step, std::uint32_t number);
    Tensors results_of(const artifact::PlanStep& step, std::uint32_t number);
    void bind_results(const artifact::PlanStep& step, const Tensors& results);
    void copy(const artifact::PlanStep& step);
    void choose(const artifact::PlanStep& step);
    void forget_unread(std::uint32_t step);
    void forget_results();
    lang::TensorRef make(Row row);
    lang::TensorRef make_argument(const artifact::PlanArgument& argument);
    lang::TensorRef view(const std::shared_ptr<lang::Storage>& storage, std::size_t offset, Row row) const;
    std::vector<std::int64_t> extents_of(Row row) const;
    std::int64_t known(Row expression, const std::string& what) const;

    Runner& m_runner;
    const artifact::LaunchPlan& m_plan;
    std::vector<artifact::ExprValue> m_symbols;     // by row
    std::vector<artifact::ExprValue> m_expressions; // by row
    Tensors m_tensors;                              // by value
    std::vector<bool> m_is_skipped;                 // by step: it was not chosen
};

} // namespace hidet::graph
