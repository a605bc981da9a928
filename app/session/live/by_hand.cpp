// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "app/session/live/stages.h"
#include "app/session/preview/compiled_text.h"
#include "app/session/request/edited_stage.h"

namespace hidet::session {

namespace {

// What compilers make of the text, each from the one before it.
std::vector<Form> made_of(Form text) {
    if (text == Form::Ptx)
        return {Form::Cubin, Form::Sass};
    return {Form::Ptx, Form::Cubin, Form::Sass};
}

LiveModule module_of(const Revision& revision) {
    const Source& source = revision.request().source;
    const Form own = *source.by_hand;
    auto snapshot = std::make_shared<ModuleSnapshot>();
    snapshot->number = 1;
    for (const std::string& kernel : edited_stage(source.text, own).kernels)
        snapshot->functions.push_back({kernel, "cuda_kernel", {}});
    LiveModule module;
    module.snapshot = std::move(snapshot);
    module.lowering = Progress::Failed;
    module.reason = cat("this is ", info(own).label, " that was changed by hand: IR is of its script");
    for (const FormInfo& row : all_forms())
        module.forms[static_cast<std::size_t>(row.form)] = {
            Progress::Missing,
            row.form == own ? cat("this text is ", row.label, ": the editor has it") : module.reason};
    for (const Form form : made_of(own))
        if (revision.wants(form) || form == Form::Cubin)
            module.forms[static_cast<std::size_t>(form)] = {Progress::Pending, ""};
    if (!revision.preview().tools)
        for (const Form form : made_of(own))
            module.forms[static_cast<std::size_t>(form)] = {Progress::Missing, "nothing is compiled here"};
    return module;
}

FormProgress& progress_of(LiveSnapshot& state, Form form) {
    return state.modules.front().forms[static_cast<std::size_t>(form)];
}

void add(LiveSnapshot& state, Form form, const std::shared_ptr<const FormSnapshot>& made, double ms) {
    if (!made || form_of(*state.modules.front().snapshot, form))
        return;
    ModuleSnapshot snapshot = *state.modules.front().snapshot;
    snapshot.forms.push_back(made);
    state.modules.front().snapshot = std::make_shared<const ModuleSnapshot>(std::move(snapshot));
    progress_of(state, form) = {Progress::Made, "", ms};
    state.latency.of(form) = ms;
}

// The machine code itself is nobody's concern here; what ptxas says of its kernels is.
std::shared_ptr<const FormSnapshot> figures_in(const CompiledTextResult& result) {
    if (result.kernels.empty())
        return nullptr;
    auto cubin = std::make_shared<FormSnapshot>();
    cubin->name = info(Form::Cubin).name;
    cubin->kernels = result.kernels;
    return cubin;
}

// What was said of the text before stays until compilers have something to say.
void begin(const Revision& revision, LiveSnapshot& state) {
    if (std::exchange(state.evaluated, true))
        return;
    state.modules = {module_of(revision)};
}

void show(Revision& revision, Form own, const CompiledTextResult& result) {
    const double ms = revision.elapsed();
    revision.publish([&](LiveSnapshot& state) {
        begin(revision, state);
        if (own == Form::Cuda)
            add(state, Form::Ptx, result.ptx, ms);
        add(state, Form::Cubin, figures_in(result), ms);
        add(state, Form::Sass, result.sass, ms);
    });
}

// Of what was not made. A tool that is missing is no mistake of the text.
FormProgress why_not(const CompiledTextResult& result) {
    const bool is_missing = result.status == Status::Environment;
    for (const DiagnosticView& diagnostic : result.diagnostics)
        if (diagnostic.severity == Severity::Error)
            return {is_missing ? Progress::Missing : Progress::Failed,
                    diagnostic.place.known() ? cat("line ", diagnostic.place.line, ": ", diagnostic.message)
                                             : diagnostic.message};
    return {Progress::Failed, "it does not compile"};
}

} // namespace

AnalysedScript analyse_by_hand(const std::shared_ptr<Revision>& revision) {
    if (!revision->preview().tools)
        revision->publish([&](LiveSnapshot& state) { begin(*revision, state); });
    AnalysedScript out;
    out.revision = revision;
    return out;
}

void compile_by_hand(Revision& revision) {
    const LiveRequest& asked = revision.request();
    const Form own = *asked.source.by_hand;
    CompiledTextRequest request;
    request.source = asked.source;
    request.form = own;
    request.arch = own == Form::Ptx ? "" : revision.preview().arch; // PTX says itself what it is for
    request.explains = asked.explains_machine;
    request.disassembles = revision.wants(Form::Sass);
    request.tools = revision.preview().tools;
    request.cancelled = &revision.cancelled();
    request.published = [&](const CompiledTextResult& part) { show(revision, own, part); };
    const CompiledTextResult result = compile_text(request);
    if (revision.stopped())
        return;
    const bool is_missing = result.status == Status::Environment;
    revision.set_script_diagnostics(is_missing ? std::vector<DiagnosticView>() : result.diagnostics,
                                    is_missing ? Status::Ok : result.status);
    const FormProgress reason = why_not(result);
    show(revision, own, result);
    revision.publish([&](LiveSnapshot& state) {
        for (const Form form : made_of(own))
            if (progress_of(state, form).state == Progress::Pending)
                progress_of(state, form) = reason;
        state.broken = state.has_errors;
    });
}

} // namespace hidet::session
