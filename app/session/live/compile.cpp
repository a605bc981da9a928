// SPDX-License-Identifier: Apache-2.0
#include "app/session/forms/maker.h"
#include "app/session/live/stages.h"

namespace hidet::session {

namespace {

class Compilation {
public:
    explicit Compilation(const CompileTask& task)
        : m_task(task), m_revision(*task.revision), m_work(work_for("emit", m_revision.preview())),
          m_context(m_work, m_revision.preview(), task.script, nullptr) {
        m_work.sources = *task.sources;
        m_context.use_cuda(task.cuda);
    }

    // What one form cannot be made from the next ones cannot either. NVRTC looks at the text before it compiles it, so a mistake
    // in it is known as soon as if it had been asked for that alone.
    void run() {
        for (const FormInfo& row : all_forms()) {
            if (!is_wanted(row))
                continue;
            const bool is_made = make(row.form);
            if (!is_made || m_revision.stopped())
                return;
        }
    }

private:
    // Of those that a compiler makes; each follows from the ones before it in the table.
    bool is_wanted(const FormInfo& row) const {
        return row.needs != Needs::Nothing &&
               (m_revision.wants(row.form) || (row.form == Form::Cubin && m_revision.wants(Form::Sass)));
    }

    bool make(Form form) {
        std::size_t before = m_work.sink.all().size();
        std::shared_ptr<const FormSnapshot> made;
        guarded(m_work, [&] { made = make_form(m_context, form); });
        if (m_revision.stopped())
            return false;
        if (!made)
            return give_up(form, verdict(before));
        const FormProgress now{Progress::Made, "", m_revision.elapsed()};
        publish([&](LiveSnapshot& state) {
            progress(state, form) = now;
            if (form == Form::Cubin)
                m_revision.explanation().set_facts(m_task.module, facts_in(*made));
            LiveModule& module = state.modules[m_task.module];
            ModuleSnapshot snapshot = *module.snapshot;
            snapshot.forms.push_back(made);
            module.snapshot = std::make_shared<const ModuleSnapshot>(std::move(snapshot));
            if (is_first())
                state.latency.of(form) = now.ms;
        });
        return true;
    }

    bool give_up(Form first, const FormProgress& why) {
        publish([&](LiveSnapshot& state) {
            for (const FormInfo& row : all_forms())
                if (is_wanted(row) && row.form >= first)
                    progress(state, row.form) = why;
        });
        return false;
    }

    // By the names that the script has for the kernels.
    std::vector<KernelFacts> facts_in(const FormSnapshot& cubin) const {
        std::vector<KernelFacts> out;
        for (const artifact::EntryPoint& entry : m_task.cuda->entries)
            for (const KernelFacts& facts : cubin.kernels)
                if (facts.name == entry.symbol) {
                    out.push_back(facts);
                    out.back().name = entry.name;
                }
        return out;
    }

    // A tool that is not there is no mistake of the script: it is said where its form would be, and nowhere else.
    FormProgress verdict(std::size_t first) const {
        const auto& all = m_work.sink.all();
        for (std::size_t i = first; i < all.size(); ++i)
            if (is_missing_tool(all[i].id))
                return {Progress::Missing, all[i].message};
        return {Progress::Failed, reason_in(m_work, first)};
    }
    static bool is_missing_tool(DiagId id) { return id == DiagId::NvrtcMissing || id == DiagId::NvdisasmMissing; }

    template <class F>
    void publish(F&& change) {
        std::vector<DiagnosticView> views;
        for (DiagnosticView& view : views_of(m_work))
            if (view.id != info(DiagId::NvrtcMissing).id && view.id != info(DiagId::NvdisasmMissing).id)
                views.push_back(std::move(view));
        m_revision.set_compiler_diagnostics(m_task.module, std::move(views));
        m_revision.publish([&](LiveSnapshot& state) {
            if (m_work.status == Status::Internal)
                state.status = Status::Internal;
            change(state);
        });
    }
    FormProgress& progress(LiveSnapshot& state, Form form) {
        return state.modules[m_task.module].forms[static_cast<std::size_t>(form)];
    }
    bool is_first() const { return m_task.module == m_revision.first; }

    const CompileTask& m_task;
    Revision& m_revision;
    Work m_work;
    FormContext m_context;
};

} // namespace

void compile(const CompileTask& task) {
    if (task.revision->request().source.by_hand)
        return compile_by_hand(*task.revision);
    Compilation(task).run();
}

} // namespace hidet::session
