// SPDX-License-Identifier: Apache-2.0
// Passes and the pipeline. A pass is a function from module to module; passes.def has a row for each, pipeline.cpp the
// order. Timing, verification, snapshots and dumps are instruments outside of passes.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/marks.h"
#include "compiler/artifact/target_spec.h"
#include "compiler/ir/func.h"
#include "lang/base/diagnostic.h"

namespace hidet::compiler {

// What runs needs a function that launches its kernels; what is looked at does not.
enum class LaunchRule : std::uint8_t { Enforced, NotAsked };

struct PassContext {
    DiagnosticSink& diagnostics;        // for what only lowering can see to be the user's mistake
    const artifact::TargetSpec& target; // what kernels are lowered for
    PassId pass = 0;                    // for the origins of what the pass invents
    bool checks_bounds = false;         // of what runs as C++
    const std::atomic<bool>* cancelled = nullptr;
    LaunchRule launch_rule = LaunchRule::Enforced;
    artifact::MarkTable* marks = nullptr; // of what is marked; null: nothing is

    bool is_cancelled() const { return cancelled && cancelled->load(std::memory_order_relaxed); }
};

// Null when the module cannot be lowered, which has been reported.
using PassFunction = ir::ModuleRef (*)(const ir::ModuleRef& module, PassContext& context);

struct PassInfo {
    PassId id;        // 1-based row
    const char* name; // "expand-task-mapping"
    PassFunction run;
    ir::Level in;  // the lowest level it takes
    ir::Level out; // the level afterwards, unless the module was already further
    const char* summary;
};
const std::vector<PassInfo>& all_passes();
const PassInfo* find_pass(std::string_view name);

class PassInstrument {
public:
    virtual ~PassInstrument() = default;
    virtual void before(const PassInfo&, const ir::Module&) {}
    virtual void after(const PassInfo&, const ir::Module& before, const ir::Module& after, double milliseconds) = 0;
};

// Where to stop, each further than the one before: fusion takes a schedule as soon as its accesses can be rewritten, the
// emulator takes the module with its multi-dimensional tensors, the code generators take the end.
enum class LowerTo : std::uint8_t { Fusion, Emulation, Kernel };
// Where to begin: with a script's module, or with one that was lowered for the emulator.
enum class LowerFrom : std::uint8_t { Script, Emulation };

struct LowerOptions {
    LowerFrom from = LowerFrom::Script;
    LowerTo to = LowerTo::Kernel;
    artifact::TargetSpec target = artifact::default_gpu(); // what kernels are lowered for
    bool checks_bounds =
        false;          // each access that is not proven to lie inside of its tensor: for C++ that is not trusted
    bool verify = true; // after each pass
    LaunchRule launch_rule = LaunchRule::Enforced;
    std::string stop_after = {}; // name of a pass, its last occurrence; empty: all
    const std::atomic<bool>* cancelled = nullptr;
    artifact::MarkTable* marks = nullptr; // gets the sites of kernels that say when they do what; null: they do not
};

// What is wrong with a module of several kernels that has no public function; nothing otherwise.
std::optional<Diagnostic> missing_launch(const ir::Module& module);

// The passes from there to there, in order (a pass may occur twice), without so many that are behind a module already.
std::vector<PassId> pipeline(LowerTo to, LowerFrom from = LowerFrom::Script, int done = 0);
// The level that a module has at least after so many passes.
ir::Level level_after(int passes);
// The module as one that so many passes are behind; lower() then goes on from there.
ir::ModuleRef with_passes_done(const ir::ModuleRef& module, int passes);

// One pass, verified if the options say so, at the level that it leads to.
ir::ModuleRef run_pass(const PassInfo& pass, const ir::ModuleRef& module, const LowerOptions& options,
                       DiagnosticSink& sink, const std::vector<PassInstrument*>& instruments = {});

// Null after user mistakes, which are in the sink. A violated invariant throws InternalError naming the pass; where the module
// says that passes are behind it, a person may have broken what they promise, and it is a mistake of the text. From the module
// of the emulator on, kernels keep their parameters: host code of that module calls them.
ir::ModuleRef lower(const ir::ModuleRef& module, const LowerOptions& options, DiagnosticSink& sink,
                    const std::vector<PassInstrument*>& instruments = {});

} // namespace hidet::compiler
