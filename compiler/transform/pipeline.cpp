// SPDX-License-Identifier: Apache-2.0
// The order of the passes: the table of contents of the compiler.
#include <algorithm>
#include <chrono>
#include <utility>

#include "compiler/ir/module_options.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/verify.h"
#include "compiler/transform/passes.h"
#include "lang/base/check.h"

namespace hidet::compiler {
namespace {

struct Step {
    Pass pass;
    LowerTo end; // the first that needs it
};

constexpr Step steps[] = {
    // What the script says is made explicit; the module still has mappings, slices and protected accesses.
    {Pass::FreezeLoops, LowerTo::Fusion},    // first: every later pass relies on loop variables that only the loop sets
    {Pass::GenerateLaunch, LowerTo::Fusion}, // before inlining, which may empty the functions the launch rules look at
    {Pass::InlineFunction,
     LowerTo::Fusion},                     // before workers are checked: an inlined worker expression has known bounds
    {Pass::DeclareToLet, LowerTo::Fusion}, // value ranges see through lets only
    {Pass::FlattenTensorSlice, LowerTo::Fusion},
    {Pass::LowerProtectedAccess, LowerTo::Fusion}, // after slices: the bounds are those of the tensor, not of the slice
    // Here fusion takes a schedule: its device functions are inlined where they can be, and all accesses are of one kind.
    {Pass::LiftLet, LowerTo::Emulation}, // of lets that protected accesses became; from here expressions may be copied
    {Pass::CheckWorkers, LowerTo::Emulation}, // just before expansion, which relies on workers being in range
    {Pass::ExpandTaskMapping, LowerTo::Emulation},
    // From here only For and While loops.
    {Pass::Simplify, LowerTo::Emulation},       // decides extents that depend on constants of the script
    {Pass::ExplicitUnroll, LowerTo::Emulation}, // so this sees every constant extent
    {Pass::Simplify, LowerTo::Emulation},
    {Pass::FlattenRegisterTensor, LowerTo::Emulation}, // while the indices of unrolled copies are at hand
    {Pass::LicmCse, LowerTo::Emulation},               // after unrolling, which copies what the copies could share
    {Pass::InlineLet, LowerTo::Emulation},             // and this, for what was not worth a name
    {Pass::VectorizeMemoryAccess, LowerTo::Emulation}, // once lets say what indices are made of, and no more
    {Pass::HoistLoads, LowerTo::Emulation},            // of those vectors
    {Pass::DeadCode, LowerTo::Emulation},
    {Pass::InstantiateSymbols, LowerTo::Emulation}, // late: the symbols that are left are those that are needed
    {Pass::CheckLaunch, LowerTo::Emulation},
    {Pass::InstrumentTimeline, LowerTo::Emulation}, // last: what is timed is what runs
    // Here the emulator takes the module: its findings name tensors and indices.
    {Pass::LoopOverThreads, LowerTo::Kernel}, // the last that knows threads, the first that knows the CPU
    {Pass::FlattenTensorIndex, LowerTo::Kernel},
    {Pass::InstantiateSymbols,
     LowerTo::Kernel}, // for the dimensions of public functions' tensors, which are arithmetic now
    // From here pointers and arrays, one index each.
    {Pass::PackSubbyte, LowerTo::Kernel}, // before the arithmetic of layouts is simplified, of which units are part
    {Pass::LowerFloatFloor, LowerTo::Kernel},
    {Pass::Simplify, LowerTo::Kernel}, // the arithmetic of layouts
    {Pass::Reassociate, LowerTo::Kernel},
    {Pass::LicmCse, LowerTo::Kernel},
    {Pass::InlineLet, LowerTo::Kernel},
    {Pass::DeadCode, LowerTo::Kernel},
    {Pass::AddHints, LowerTo::Kernel},
};

// A pass raises the level of a module, it never lowers it.
ir::ModuleRef at_level(const ir::ModuleRef& module, ir::Level level) {
    if (module->level >= level)
        return module;
    ir::Module raised = *module;
    raised.level = level;
    ir::ModuleRef result = ir::make<ir::Module>(std::move(raised));
    result->origin = module->origin;
    return result;
}

void check_well_formed(const PassInfo& pass, const ir::Module& module) {
    std::vector<std::string> violations = ir::verify(module);
    if (!violations.empty())
        throw InternalError(cat("the pass '", pass.name, "' broke the module: ", violations.front()));
}

// What passes rely on beyond what the verifier knows, a person who edits the text in between may break.
ir::ModuleRef run_pass_on_text(const PassInfo& pass, const ir::ModuleRef& module, LowerOptions options,
                               DiagnosticSink& sink, const std::vector<PassInstrument*>& instruments) {
    const bool verifies = std::exchange(options.verify, false);
    try {
        ir::ModuleRef result = run_pass(pass, module, options, sink, instruments);
        return result && verifies && !ir::is_well_formed(*result, sink) ? nullptr : result;
    } catch (const InternalError& error) {
        const std::string_view what = error.what();
        sink.report(DiagId::IrInvalid, module->origin.span,
                    cat("the pass '", pass.name, "' cannot go on from this IR: ", what.substr(0, what.find('\n'))));
        return nullptr;
    }
}

void check_parameters(const ir::Module& emulated, const ir::Module& lowered) {
    for (const ir::FunctionRef& kernel : lowered.functions) {
        const ir::Function* before = ir::find_function(emulated, kernel->name);
        bool is_called = kernel->func_kind == ir::FuncKind::CudaKernel && before;
        HIDET_CHECK(!is_called || kernel->params.size() == before->params.size(), kernel->name);
    }
}

using Clock = std::chrono::steady_clock;

} // namespace

ir::ModuleRef run_pass(const PassInfo& pass, const ir::ModuleRef& module, const LowerOptions& options,
                       DiagnosticSink& sink, const std::vector<PassInstrument*>& instruments) {
    HIDET_CHECK(module->level >= pass.in, pass.name);
    for (PassInstrument* instrument : instruments)
        instrument->before(pass, *module);
    PassContext context{.diagnostics = sink,
                        .target = options.target,
                        .pass = pass.id,
                        .checks_bounds = options.checks_bounds,
                        .cancelled = options.cancelled,
                        .launch_rule = options.launch_rule,
                        .marks = options.marks};
    auto start = Clock::now();
    ir::ModuleRef result = pass.run(module, context);
    double milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (!result)
        return nullptr;
    result = at_level(result, pass.out);
    if (options.verify && result != module)
        check_well_formed(pass, *result);
    for (PassInstrument* instrument : instruments)
        instrument->after(pass, *module, *result, milliseconds);
    return result;
}

std::vector<PassId> pipeline(LowerTo to, LowerFrom from, int done) {
    std::vector<PassId> result;
    for (const Step& step : steps) {
        const bool is_behind = done-- > 0;
        const bool is_done = is_behind || (from == LowerFrom::Emulation && step.end <= LowerTo::Emulation);
        if (!is_done && step.end <= to)
            result.push_back(static_cast<PassId>(step.pass));
    }
    return result;
}

ir::Level level_after(int passes) {
    ir::Level level = ir::Level::Script;
    for (const PassId id : pipeline(LowerTo::Kernel))
        if (passes-- > 0)
            level = std::max(level, all_passes()[id - 1].out);
    return level;
}

ir::ModuleRef with_passes_done(const ir::ModuleRef& module, int passes) {
    ir::ModuleOptions options = ir::options_of(*module);
    options.passes = passes;
    ir::Module changed = *module;
    changed.options = ir::text_of(options);
    ir::ModuleRef result = ir::make<ir::Module>(std::move(changed));
    result->origin = module->origin;
    return result;
}

ir::ModuleRef lower(const ir::ModuleRef& module, const LowerOptions& options, DiagnosticSink& sink,
                    const std::vector<PassInstrument*>& instruments) {
    int errors_before = sink.error_count();
    ir::ModuleRef current = module;
    const int done = ir::options_of(*module).passes;
    std::vector<PassId> passes = pipeline(options.to, options.from, done);
    if (done > 0 && !passes.empty())
        current = with_passes_done(module, 0); // it is about to be more than that
    // A pass that occurs twice is done after its last occurrence.
    auto wanted = std::count_if(passes.begin(), passes.end(),
                                [&](PassId id) { return options.stop_after == all_passes()[id - 1].name; });
    std::ptrdiff_t met = 0;
    for (PassId id : passes) {
        if (options.cancelled && options.cancelled->load(std::memory_order_relaxed))
            return nullptr;
        const PassInfo& pass = all_passes()[id - 1];
        current = done > 0 ? run_pass_on_text(pass, current, options, sink, instruments)
                           : run_pass(pass, current, options, sink, instruments);
        if (!current || sink.error_count() > errors_before)
            return nullptr;
        if (options.stop_after == pass.name && ++met == wanted)
            break;
    }
    if (options.from == LowerFrom::Emulation)
        check_parameters(*module, *current);
    return current;
}

} // namespace hidet::compiler
