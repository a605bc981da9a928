// SPDX-License-Identifier: Apache-2.0
// Runs launch plans on tensors, through the interpreter of packages (runtime/package). An engine (lang/host/engine.h) calls
// the functions, so the same plan runs on a GPU, in the emulator, or as C++ on the CPU.
//
//     PlanRunner runner(parts, engine, options);
//     runner.bind(inputs);                        // checks them: OpError
//     if (runner.run(sink))
//         use(runner.outputs());
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/launch_plan.h"
#include "lang/base/result.h"
#include "lang/base/symbol_values.h"
#include "lang/host/engine.h"

namespace hidet::session {

using Tensors = std::vector<lang::TensorRef>;

// A plan with all that it names.
struct PlanParts {
    std::shared_ptr<const artifact::LaunchPlan> plan;
    Tensors weights;                             // by row
    std::vector<Ref<lang::BuiltModule>> modules; // by row; one may stand for many
};

struct PlanRunOptions {
    Span site; // of what asked for it in a script
    const std::atomic<bool>* cancelled = nullptr;
    bool is_poisoned = false; // what no kernel writes is no number
};

class PlacedReplays;
class Replay;

// A step, ready to be made.
struct ProgramCall {
    Ref<lang::BuiltModule> module;
    std::string function;
    std::vector<lang::CallArgument> arguments;
};

class PlanRunner {
public:
    PlanRunner(PlanParts parts, lang::Engine& engine, PlanRunOptions options);
    ~PlanRunner();

    // The tensors of a run stay the same until others are bound, unless their extents depend on data. OpError when the
    // inputs do not fit.
    void bind(const Tensors& inputs);
    bool run(DiagnosticSink& sink); // false: the sink says why, or it was cancelled
    // After a run of what is bound, as one CUDA graph. Null: it is not on a GPU, or a step goes through the host.
    Replay* replay();
    bool run_again(DiagnosticSink& sink); // after a run of what is bound: by its graph, or as run() does it
    // Likewise, but from these inputs and into these results, which have the shapes and dtypes of the others (PlacedReplays).
    // The number of its graph; 0: nothing has run, as it cannot, or does so in `most` places already.
    Result<std::size_t> run_into(const Tensors& inputs, const Tensors& results, std::size_t most);
    Result<bool> run_at(std::size_t number); // by that graph again; false: it is gone, or something is copied behind it
    bool run_step(artifact::Row step, DiagnosticSink& sink);
    // Nothing when all of its results are empty, or it calls nothing.
    std::optional<ProgramCall> call_of(artifact::Row step);
    bool has_copied_inputs() const;              // what the tensors that were bound hold by now is not seen
    lang::TensorRef tensor(artifact::Row value); // null: not made yet, or gone
    Tensors outputs();

    const artifact::LaunchPlan& plan() const;
    const Tensors& weights() const;
    // No step goes through the host, or those alone that exchange tensors with other processes.
    bool only_calls() const;
    // Of a step that exchanges tensors; nothing: it is none.
    struct Exchanged {
        artifact::Row step = 0;
        lang::TensorRef from, into;
    };
    std::optional<Exchanged> exchange_of(artifact::Row step);
    Result<void> record(const Exchanged& exchanged); // into the CUDA graph that is being recorded
    SymbolValues symbols() const;
    std::vector<artifact::ExprValue> expressions() const; // by row
    std::string where() const;                            // who made the calls, for people; empty: there were none
    bool is_emulated() const;                             // they were
    void set_site(Span site);                             // of the runs that follow

private:
    lang::TensorRef made(artifact::Row value);

    class Backend;
    std::unique_ptr<Backend> m_backend;
    std::unique_ptr<Replay> m_replay; // of what is bound
    bool m_is_recorded = false;       // or found to be nothing that can be
    std::unique_ptr<PlacedReplays> m_placed;
};

} // namespace hidet::session
