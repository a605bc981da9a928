// SPDX-License-Identifier: Apache-2.0
#include "app/session/preview/lowering.h"

#include "app/session/forms/maker.h"
#include "app/session/preview/launch_fix.h"
#include "app/session/work/steps.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/text/print.h"
#include "compiler/transform/pass.h"
#include "lang/base/check.h"
#include "lang/host/evaluator.h"

namespace hidet::session {

namespace {

std::shared_ptr<const TextSnapshot> print(const Work& work, const PreviewRequest& request, const ir::Module& module) {
    const ir::Function* function = request.function.empty() ? nullptr : ir::find_function(module, request.function);
    if (!function && !request.function.empty())
        return std::make_shared<TextSnapshot>();
    ir::PrintedText printed = function ? ir::print_function(*function) : ir::print_module(module);
    return std::make_shared<TextSnapshot>(snapshot_of(work, std::move(printed)));
}

// Keeps a snapshot of each pass as it ends, and tells the work which stage it is in.
class PassRecorder : public compiler::PassInstrument {
public:
    PassRecorder(Work& work, const PreviewRequest& request, ModuleSnapshot& snapshot)
        : m_work(work), m_request(request), m_snapshot(snapshot) {}

    void before(const compiler::PassInfo& pass, const ir::Module&) override {
        m_work.enter(cat("lowering (pass '", pass.name, "')"));
    }
    void after(const compiler::PassInfo& pass, const ir::Module& before, const ir::Module& after, double ms) override {
        PassSnapshot out;
        out.number = static_cast<int>(m_snapshot.passes.size());
        out.name = pass.name;
        out.summary = pass.summary;
        out.changed = &before != &after;
        out.ms = ms;
        if (m_request.texts == Keep::Everything && out.changed)
            out.module = print(m_work, m_request, after);
        m_snapshot.passes.push_back(std::move(out));
    }

private:
    Work& m_work;
    const PreviewRequest& m_request;
    ModuleSnapshot& m_snapshot;
};

compiler::LowerOptions lower_options(const Work& work, const PreviewRequest& request, const ir::Module& module) {
    compiler::LowerOptions options;
    options.target = request.for_cpu ? artifact::default_cpu() : target_of(request, module);
    options.stop_after = request.stop_after;
    options.cancelled = work.cancelled;
    options.launch_rule = compiler::LaunchRule::NotAsked;
    return options;
}

ir::ModuleRef run_one_pass(Work& work, const PreviewRequest& request, const ir::ModuleRef& module,
                           PassRecorder& recorder) {
    const compiler::PassInfo* pass = compiler::find_pass(request.only_pass);
    HIDET_CHECK(pass, request.only_pass);
    if (module->level < pass->in) {
        work.sink.report(DiagId::PassLevel, {}, pass->name, ir::level_name(pass->in), ir::level_name(module->level));
        return nullptr;
    }
    return compiler::run_pass(*pass, module, lower_options(work, request, *module), work.sink, {&recorder});
}

LoweredModule lowered(Work& work, const PreviewRequest& request, const ir::ModuleRef& module, PassRecorder& recorder) {
    if (!request.lower)
        return {module, nullptr};
    if (!request.only_pass.empty())
        return {run_one_pass(work, request, module, recorder), nullptr};
    Work::Clock clock(work, "lower");
    compiler::LowerOptions options = lower_options(work, request, *module);
    if (!request.stop_after.empty())
        return {compiler::lower(module, options, work.sink, {&recorder}), nullptr};
    options.to = compiler::LowerTo::Emulation;
    ir::ModuleRef emulated = compiler::lower(module, options, work.sink, {&recorder});
    if (!emulated)
        return {};
    options.from = compiler::LowerFrom::Emulation;
    options.to = compiler::LowerTo::Kernel;
    return {compiler::lower(emulated, options, work.sink, {&recorder}), emulated};
}

// A module is shown without the function; building it is what needs one. Where something is wrong with the script that
// function may be there, and be what is wrong.
void report_missing_launch(Work& work, const RecordedSite& recorded) {
    if (recorded.state == lang::ModuleState::Defined && work.sink.has_errors())
        return;
    std::optional<Diagnostic> missing = compiler::missing_launch(*recorded.module);
    if (!missing)
        return;
    if (recorded.state == lang::ModuleState::Defined)
        missing->severity = Severity::Warning;
    offer_launch(*missing, *recorded.module, work.sources);
    work.sink.report(std::move(*missing));
}

} // namespace

LoweredModule run_passes(Work& work, const PreviewRequest& request, const RecordedSite& recorded,
                         ModuleSnapshot& snapshot) {
    work.enter("printing the script's IR");
    PassSnapshot script;
    script.name = "script";
    script.summary = "as the script made it";
    script.changed = true;
    if (request.texts == Keep::Everything || (request.texts == Keep::Last && !request.lower))
        script.module = print(work, request, *recorded.module);
    snapshot.passes.push_back(std::move(script));
    PassRecorder recorder(work, request, snapshot);
    if (request.lower)
        report_missing_launch(work, recorded);
    if (request.arch.empty() && !gpu_of(*recorded.module, artifact::default_gpu(), recorded.site, work.sink))
        return {};
    work.enter("lowering");
    LoweredModule result = lowered(work, request, recorded.module, recorder);
    snapshot.lowered = result.end && request.lower;
    if (result.end && request.texts == Keep::Last && request.lower) {
        work.enter("printing the lowered IR");
        snapshot.passes.back().module = print(work, request, *result.end);
    }
    return result;
}

LoweredModule lower_to_snapshot(Work& work, const PreviewRequest& request, const RecordedSite& recorded,
                                ModuleSnapshot& snapshot) {
    LoweredModule result = run_passes(work, request, recorded, snapshot);
    if (result.end && !request.forms.empty()) {
        FormContext context(work, request, recorded.module, request.lower ? result.end : nullptr, result.emulated);
        make_forms(context, snapshot);
    }
    return result;
}

} // namespace hidet::session
