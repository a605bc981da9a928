// SPDX-License-Identifier: Apache-2.0
// The one analysis of a text: it is read once and evaluated once, without data, and everybody else takes what that found:
// the editor's questions the document, the window the mistakes, the lowering the modules, the run panel the preview. It
// is published in two stages: the document as soon as the text was read, then everything that the evaluation showed.
#pragma once

#include <algorithm>

#include "app/session/live/revision.h"
#include "app/session/preview/mistake_repairs.h"
#include "app/session/preview/sites.h"
#include "app/session/script/import_fixes.h"
#include "app/session/script/read_document.h"

namespace hidet::session {

// What the lowering goes on with.
struct AnalysedScript {
    std::shared_ptr<Revision> revision;
    Work work; // with the texts and the mistakes
    std::vector<RecordedSite> sites;
    std::vector<ModuleSnapshot> described;          // the same, before any pass
    std::shared_ptr<const PreviewedScript> preview; // null: of IR
};

// What a module looks like before anything was made of it.
inline LiveModule fresh(const Revision& revision, ModuleSnapshot snapshot) {
    LiveModule module;
    module.snapshot = std::make_shared<const ModuleSnapshot>(std::move(snapshot));
    for (Form form : revision.request().forms)
        module.forms[static_cast<std::size_t>(form)].state = Progress::Pending;
    if (revision.wants(Form::Sass)) // its facts are there before its text is
        module.forms[static_cast<std::size_t>(Form::Cubin)].state = Progress::Pending;
    return module;
}

// Of the revisions of one script, one after the other.
class AnalysisStage {
public:
    AnalysedScript run(const std::shared_ptr<Revision>& revision) {
        AnalysedScript out;
        out.revision = revision;
        out.work = work_for("lower", revision->preview());
        Work& work = out.work;
        assist::DocumentRef document;
        std::shared_ptr<const PreviewedScript> preview;
        guarded(work, [&] { preview = analyse(*revision, out, document); });
        if (revision->stopped())
            return out;
        if (document)
            m_last = document;
        for (const RecordedSite& site : out.sites)
            out.described.push_back(describe(work, site, static_cast<int>(out.described.size()) + 1));
        out.preview = preview;
        publish_modules(*revision, out, document, std::move(preview));
        try_repairs(*revision, work, std::move(document));
        return out;
    }

private:
    static bool has_names(const ModuleSnapshot& module, const std::vector<std::string>& names) {
        return std::equal(
            module.functions.begin(), module.functions.end(), names.begin(), names.end(),
            [](const FunctionSnapshot& function, const std::string& name) { return function.name == name; });
    }

    static void publish_modules(Revision& revision, AnalysedScript& script, assist::DocumentRef document,
                                std::shared_ptr<const PreviewedScript> preview) {
        Work& work = script.work;
        auto looked_at =
            std::find_if(script.described.begin(), script.described.end(), [&](const ModuleSnapshot& module) {
                return has_names(module, revision.request().first_module);
            });
        revision.first =
            looked_at == script.described.end() ? 0 : static_cast<std::size_t>(looked_at - script.described.begin());
        bool broken = work.sink.has_errors() || work.status != Status::Ok;
        revision.set_script_diagnostics(views_of(work), work.status);
        revision.publish([&](LiveSnapshot& state) {
            state.evaluated = true;
            state.broken = broken;
            state.document = std::move(document);
            state.preview = std::move(preview);
            for (const ModuleSnapshot& module : script.described)
                state.modules.push_back(fresh(revision, module));
        });
    }

    // What is wrong is said before anybody knows whether an edit would mend it.
    static void try_repairs(Revision& revision, Work& work, assist::DocumentRef document) {
        const auto fixes = [&] {
            return std::ranges::count_if(work.sink.all(), [](const Diagnostic& each) { return !each.fixes.empty(); });
        };
        const auto before = fixes();
        const LiveRequest& request = revision.request();
        if (document)
            guarded(work, [&] {
                offer_repairs(work, {request.source, request.calls, request.buffers, std::move(document)});
            });
        if (fixes() == before || revision.stopped())
            return;
        revision.set_script_diagnostics(views_of(work), work.status);
        revision.publish([](LiveSnapshot&) {});
    }

    std::shared_ptr<const PreviewedScript> analyse(Revision& revision, AnalysedScript& out,
                                                   assist::DocumentRef& document) {
        if (!can_be_asked(out.work, revision.preview()))
            return nullptr;
        const LiveRequest& request = revision.request();
        if (request.source.is_ir) {
            out.sites = build_script(out.work, revision.preview()).sites;
            return nullptr;
        }
        const Source& source = request.source;
        ReadDocument read =
            read_document(out.work, {source.text, source.name, source.folder, request.calls, m_last, request.buffers});
        document = read.document;
        revision.publish([&](LiveSnapshot& state) { state.document = document; });
        if (revision.stopped())
            return nullptr;
        EvaluatedScript script = evaluate_document(out.work, read, source.folder);
        document = read.document;
        if (!script.evaluator)
            return nullptr;
        offer_imports(out.work, *document);
        out.sites = sites_of(script.result);
        return std::make_shared<const PreviewedScript>(
            PreviewedScript{out.work.sources, std::move(script.result), script.evaluator->global_functions()});
    }

    assist::DocumentRef m_last; // the newest that was evaluated
};

} // namespace hidet::session
