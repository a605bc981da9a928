// SPDX-License-Identifier: Apache-2.0
// Follows the accesses of lowered modules, beside the compilers. What an edit left alone is taken over.
#pragma once

#include <algorithm>
#include <chrono>

#include "app/session/explain/access_fix.h"
#include "app/session/explain/bounds_view.h"
#include "app/session/explain/explained_source.h"
#include "app/session/explain/found_kernel.h"
#include "app/session/explain/tried_fixes.h"
#include "app/session/forms/maker.h"
#include "app/session/live/analysis.h"
#include "app/session/live/explanation.h"
#include "app/session/prove/contracts.h"
#include "app/session/script/previewed_script.h"

namespace hidet::session {

// A module that was lowered. Owns all it needs: the front goes on to other modules.
struct ExplainTask {
    std::shared_ptr<Revision> revision;
    std::size_t module = 0, modules = 0; // its index, and how many there are
    ir::ModuleRef script;
    ir::ModuleRef emulated;                         // null: it could not be lowered
    std::shared_ptr<const PreviewedScript> preview; // null: of IR
    std::shared_ptr<const SourceMap> sources;
    bool tries_fixes = false; // of all modules of the revision, which were explained before
    std::chrono::steady_clock::time_point due{};
};

class Explainer {
public:
    // Whether that was the last module, and there may be fixes.
    bool explain(const ExplainTask& task) {
        Revision& revision = *task.revision;
        begin(task);
        Known now;
        now.module = task.module;
        now.emulated = task.emulated;
        now.sources = task.sources;
        if (task.emulated)
            follow(task, now);
        if (revision.stopped())
            return false;
        const artifact::TargetSpec target =
            task.emulated ? target_of(revision.preview(), *task.script) : artifact::TargetSpec();
        m_now.push_back(std::move(now));
        m_is_whole = m_now.size() == task.modules;
        const bool wants_fixes =
            m_is_whole && !revision.request().source.is_ir && std::ranges::any_of(m_now, [](const Known& known) {
                return !known.are_fixes_tried && has_findings(known.views);
            });
        revision.publish([&](LiveSnapshot& state) {
            revision.explanation().set_kernels(task.module, task.modules, m_now.back().views,
                                               sources_of(m_now.back().kernels, target, task.sources), target);
            if (m_is_whole && !wants_fixes)
                revision.explanation().end_fixes();
            if (m_is_whole && !state.latency.explained)
                state.latency.explained = revision.elapsed();
        });
        if (m_is_whole)
            for (Known& known : m_now)
                prove(revision, known);
        return wants_fixes;
    }

    // The kernels of the whole revision, for the proofs that follow.
    std::vector<FoundKernel> kernels() const {
        std::vector<FoundKernel> out;
        for (const Known& known : m_now)
            out.insert(out.end(), known.kernels.begin(), known.kernels.end());
        return out;
    }
    bool is_whole() const { return m_is_whole; }

    // Each is tried on the script, which takes an evaluation of it and a lowering.
    void try_fixes(const ExplainTask& task) {
        Revision& revision = *task.revision;
        for (Known& known : m_now) {
            if (known.are_fixes_tried || revision.stopped())
                continue;
            ExplainRequest request;
            request.preview = revision.preview();
            request.preview.module = static_cast<int>(known.module) + 1;
            Work work = work_for("explain", revision.preview());
            work.sources = *task.sources;
            guarded(work, [&] {
                for (std::size_t i = 0; i < known.kernels.size() && !work.stopped(); ++i)
                    offer_fixes(work, request, known.kernels, known.kernels[i], known.views[i]);
            });
            known.are_fixes_tried = !revision.stopped();
        }
        revision.publish([&](LiveSnapshot&) {
            for (const Known& known : m_now)
                revision.explanation().set_fixes(known.module, known.views);
            revision.explanation().end_fixes();
        });
    }

private:
    static constexpr FileId file_of_text = 1;
    static constexpr std::ptrdiff_t most_known = 32; // modules of texts that were overtaken
    // What a contract says must be readable, but keeps nobody from running the script.
    static std::vector<DiagnosticView> views_of_mistakes(DiagnosticSink& sink, const SourceMap& sources) {
        std::vector<DiagnosticView> out;
        for (Diagnostic diagnostic : sink.take()) {
            diagnostic.severity = Severity::Warning;
            out.push_back(view_of(diagnostic, sources));
        }
        return out;
    }

    static bool same_launches(const std::vector<FoundKernel>& before, const std::vector<FoundKernel>& now) {
        return std::ranges::equal(before, now, [](const FoundKernel& a, const FoundKernel& b) {
            return a.kernel == b.kernel && a.launches == b.launches;
        });
    }

    // The lines that the edits replace are what they were.
    static bool fits(const std::vector<FixView>& fixes, const SourceFile& before, const SourceFile& now) {
        return std::ranges::all_of(fixes, [&](const FixView& fix) {
            for (int line = fix.place.line; line <= fix.place.end_line; ++line)
                if (line > before.line_count() || line > now.line_count() || before.line(line) != now.line(line))
                    return false;
            return true;
        });
    }

    static std::vector<std::shared_ptr<const ExplainedSource>>
    sources_of(const std::vector<FoundKernel>& kernels, const artifact::TargetSpec& target,
               const std::shared_ptr<const SourceMap>& sources) {
        std::vector<std::shared_ptr<const ExplainedSource>> out;
        for (const FoundKernel& found : kernels)
            out.push_back(std::make_shared<ExplainedSource>(
                ExplainedSource{found.script, found.module, found.kernel, found.sizes, target, sources}));
        return out;
    }

    static bool has_findings(const std::vector<KernelExplained>& kernels) {
        return std::ranges::any_of(kernels, [](const KernelExplained& kernel) {
            return std::ranges::any_of(kernel.accesses, [](const AccessView& view) { return !view.finding.empty(); });
        });
    }

    struct Known {
        std::size_t module = 0; // index
        ir::ModuleRef emulated;
        std::vector<FoundKernel> kernels;
        std::vector<KernelExplained> views;
        std::shared_ptr<const SourceMap> sources;
        bool are_fixes_tried = false;
    };
    void begin(const ExplainTask& task) {
        Revision& revision = *task.revision;
        if (revision.request().revision == m_revision)
            return;
        m_revision = revision.request().revision;
        // What an edit interrupted knows a part; what was known before it may come back.
        if (m_is_whole)
            m_before.clear();
        m_before.insert(m_before.end(), std::make_move_iterator(m_now.begin()), std::make_move_iterator(m_now.end()));
        m_now.clear();
        m_is_whole = false;
        if (std::ssize(m_before) > most_known)
            m_before.erase(m_before.begin(), m_before.end() - most_known);
        if (revision.request().source.is_ir || task.sources->size() == 0)
            return;
        DiagnosticSink sink;
        std::vector<ContractClause> clauses = read_contracts(*task.sources, file_of_text, sink);
        std::vector<DiagnosticView> mistakes = views_of_mistakes(sink, *task.sources);
        if (clauses.empty() && mistakes.empty())
            return;
        revision.set_contract_diagnostics(std::move(mistakes));
        revision.publish(
            [&](LiveSnapshot&) { revision.explanation().set_contracts(std::move(clauses), task.sources); });
    }

    bool take_over(const ExplainTask& task, Known& now) const {
        const auto known =
            std::ranges::find(m_before, task.emulated.get(), [](const Known& each) { return each.emulated.get(); });
        if (known == m_before.end() || !same_launches(known->kernels, now.kernels))
            return false;
        for (std::size_t i = 0; i < now.kernels.size(); ++i)
            now.kernels[i].accesses = known->kernels[i].accesses;
        now.views = known->views;
        now.are_fixes_tried = known->are_fixes_tried;
        for (KernelExplained& kernel : now.views) {
            kernel.module = static_cast<int>(task.module) + 1;
            for (AccessView& view : kernel.accesses)
                if (!view.fixes.empty() &&
                    !fits(view.fixes, known->sources->file(file_of_text), task.sources->file(file_of_text))) {
                    view.fixes.clear();
                    now.are_fixes_tried = false;
                }
        }
        return true;
    }

    void follow(const ExplainTask& task, Known& now) const {
        static const std::vector<lang::RecordedCall> none;
        const Revision& revision = *task.revision;
        Work work = work_for("explain", revision.preview());
        guarded(work, [&] {
            now.kernels = kernels_in(static_cast<int>(task.module) + 1, task.script, task.emulated,
                                     task.preview ? task.preview->result.calls : none);
            if (take_over(task, now))
                return;
            add_maps(work, now.kernels);
            for (const FoundKernel& found : now.kernels)
                now.views.push_back(
                    explained_kernel(found, *task.sources, target_of(revision.preview(), *found.script), true));
        });
    }

    // What accesses cost does not wait for it, in no module.
    static void prove(Revision& revision, Known& now) {
        Work work = work_for("explain", revision.preview());
        bool is_new = false;
        guarded(work, [&] {
            for (std::size_t i = 0; i < now.views.size(); ++i) {
                if (now.views[i].bounds)
                    continue;
                BoundsView bounds = bounds_of(*now.kernels[i].module, *now.kernels[i].kernel, now.kernels[i].sizes,
                                              *now.sources, work.cancelled);
                if (revision.stopped()) // which left it unfinished
                    return;
                now.views[i].bounds = std::move(bounds);
                is_new = true;
            }
        });
        if (is_new)
            revision.publish([&](LiveSnapshot&) { revision.explanation().set_bounds(now.module, now.views); });
    }

    std::uint64_t m_revision = 0;
    std::vector<Known> m_before, m_now;
    bool m_is_whole = false; // m_now
};

} // namespace hidet::session
