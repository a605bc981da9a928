// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

#include "app/session/forms/maker.h"
#include "app/session/live/revision.h"
#include "app/session/live/stages.h"
#include "app/session/preview/sites.h"
#include "compiler/artifact/source.h"
#include "compiler/ir/structure.h"

namespace hidet::session {

// What was made of the modules of one revision. The next revision takes over what it builds again, exactly: equal IR, with
// the same names, from the same bytes of the same lines. So every place in what is taken over is still right.

// Where each node of a module came from, and how its variables are called. To be taken before any pass runs: passes give
// origins to nodes that have none.
class Places {
public:
    Places() = default;

    explicit Places(const RecordedSite& site) {
        m_origins.push_back({site.site, 0});
        std::unordered_set<const ir::Node*> met;
        add(*site.module, met);
        for (const Origin& origin : m_origins)
            if (origin.known()) {
                std::uint32_t& end = m_ends[origin.span.file];
                end = std::max(end, origin.span.end);
            }
    }

    // The texts that the places are in, as far as these reach, are the same.
    bool same_in(const SourceMap& before, const SourceMap& now) const {
        return std::ranges::all_of(m_ends,
                                   [&](const auto& end) { return same_up_to(before, now, end.first, end.second); });
    }

    friend bool operator==(const Places&, const Places&) = default;

private:
    static bool same_up_to(const SourceMap& a, const SourceMap& b, FileId file, std::uint32_t end) {
        if (file > a.size() || file > b.size() || a.file(file).name() != b.file(file).name())
            return false;
        // A place behind the last byte tells lines by what precedes it.
        return std::string_view(a.file(file).text()).substr(0, end) ==
               std::string_view(b.file(file).text()).substr(0, end);
    }

    void add(const ir::Node& node, std::unordered_set<const ir::Node*>& met) {
        if (!met.insert(&node).second)
            return;
        m_origins.push_back(node.origin);
        if (node.kind == ir::Kind::Var)
            m_names.push_back(static_cast<const ir::Var&>(node).name);
        ir::for_each_child(node, [&](const ir::Node* child) {
            if (child)
                add(*child, met);
        });
    }

    std::vector<Origin> m_origins; // in the order of the tree, shared nodes once
    std::vector<std::string> m_names;
    std::map<FileId, std::uint32_t> m_ends; // of the last byte that is named, by file
};

struct Kept {
    RecordedSite site;
    Places places;
    LiveModule live;        // without what compilers made
    ir::ModuleRef lowered;  // null: it could not be
    ir::ModuleRef emulated; // lowered for the emulator; null: nobody has done so
    std::shared_ptr<const artifact::Source> cuda;
    std::vector<Diagnostic> diagnostics; // of passes and generators
};

class Memory {
public:
    Memory() = default;
    Memory(const Revision& revision, std::shared_ptr<const SourceMap> sources)
        : m_arch(revision.request().arch), m_explains(revision.request().explains_machine),
          m_forms(revision.request().forms), m_with_tools(revision.preview().tools != nullptr),
          m_sources(std::move(sources)) {}

    void keep(Kept kept) { m_kept.push_back(std::move(kept)); }

    // What this memory has of an equal module of the revision that `next` is for.
    std::optional<Kept> find(const Memory& next, const RecordedSite& site, const Places& places) const {
        if (!m_sources || m_arch != next.m_arch || m_explains != next.m_explains || m_forms != next.m_forms ||
            m_with_tools != next.m_with_tools)
            return {};
        for (const Kept& kept : m_kept)
            if (kept.lowered && kept.places == places && places.same_in(*m_sources, *next.m_sources) &&
                ir::structural_equal(kept.site.module, site.module)) {
                Kept found = kept;
                found.site = site;
                return found;
            }
        return {};
    }

private:
    std::string m_arch;
    bool m_explains = false;
    std::vector<Form> m_forms;
    bool m_with_tools = false;
    std::shared_ptr<const SourceMap> m_sources;
    std::vector<Kept> m_kept;
};

namespace {

bool wants_compiler(const Revision& revision) {
    return std::ranges::any_of(
        all_forms(), [&](const FormInfo& row) { return row.needs != Needs::Nothing && revision.wants(row.form); });
}

// One module of one revision on its way to generated text.
class Lowering {
public:
    Lowering(Revision& revision, Work& work, std::size_t index, Kept& kept)
        : m_revision(revision), m_work(work), m_index(index), m_kept(kept) {}

    // `lowered`: called when the passes are over.
    void lower(const std::function<void()>& lowered) {
        begin_step();
        run_passes_of_module();
        lowered();
        publish([&](LiveSnapshot& state) {
            if (m_index == m_revision.first && m_kept.live.lowering == Progress::Made)
                state.latency.ir = m_revision.elapsed();
        });
    }

    // The text for compilers, which are not kept waiting.
    void generate(const std::function<void()>& generated) {
        if (m_revision.stopped() || !m_kept.lowered)
            return;
        begin_step();
        if (m_revision.wants(Form::Cuda))
            make(Form::Cuda);
        if (wants_compiler(m_revision))
            generate_for_compiler();
        publish([&](LiveSnapshot& state) {
            if (m_index == m_revision.first && m_kept.cuda)
                state.latency.of(Form::Cuda) = m_revision.elapsed();
        });
        generated();
    }

    void make_other_forms() {
        if (m_revision.stopped() || !m_kept.lowered)
            return;
        begin_step();
        for (const FormInfo& row : all_forms())
            if (row.needs == Needs::Nothing && row.form != Form::Cuda && m_revision.wants(row.form))
                add(row.form);
    }

private:
    FormProgress& progress(Form form) { return m_kept.live.forms[static_cast<std::size_t>(form)]; }

    // Other modules may have been at work since the last step of this one.
    void begin_step() { m_published = m_work.sink.all().size(); }

    void run_passes_of_module() {
        std::size_t before = m_work.sink.all().size();
        ModuleSnapshot snapshot = *m_kept.live.snapshot;
        guarded(m_work, [&] {
            LoweredModule lowered = run_passes(m_work, m_revision.preview(), m_kept.site, snapshot);
            m_kept.lowered = lowered.end;
            m_kept.emulated = lowered.emulated;
        });
        m_kept.live.snapshot = std::make_shared<const ModuleSnapshot>(std::move(snapshot));
        m_kept.live.lowering = m_kept.lowered ? Progress::Made : Progress::Failed;
        if (m_kept.lowered)
            return;
        m_kept.live.reason = reason_in(m_work, before);
        for (FormProgress& form : m_kept.live.forms)
            if (form.state == Progress::Pending)
                form = {Progress::Failed, m_kept.live.reason};
    }

    void make(Form form) {
        std::size_t before = m_work.sink.all().size();
        std::shared_ptr<const FormSnapshot> made;
        guarded(m_work, [&] {
            FormContext context(m_work, m_revision.preview(), m_kept.site.module,
                                form == Form::Ir ? nullptr : m_kept.lowered, m_kept.emulated);
            made = make_form(context, form);
            if (form == Form::Cuda)
                m_kept.cuda = context.shared_cuda();
        });
        if (!made) {
            progress(form) = {Progress::Failed, reason_in(m_work, before)};
            return;
        }
        ModuleSnapshot snapshot = *m_kept.live.snapshot;
        snapshot.forms.push_back(std::move(made));
        m_kept.live.snapshot = std::make_shared<const ModuleSnapshot>(std::move(snapshot));
        progress(form) = {Progress::Made, "", m_revision.elapsed()};
    }

    // Compilers are at work on the module, and publish what they make of it.
    void add(Form form) {
        make(form);
        publish_diagnostics();
        m_revision.publish([&](LiveSnapshot& state) {
            LiveModule& module = state.modules[m_index];
            module.forms[static_cast<std::size_t>(form)] = progress(form);
            if (progress(form).state != Progress::Made)
                return;
            ModuleSnapshot snapshot = *module.snapshot;
            snapshot.forms.push_back(m_kept.live.snapshot->forms.back());
            module.snapshot = std::make_shared<const ModuleSnapshot>(std::move(snapshot));
        });
    }

    void generate_for_compiler() {
        std::size_t before = m_work.sink.all().size();
        if (!m_kept.cuda && progress(Form::Cuda).state != Progress::Failed)
            guarded(m_work, [&] {
                FormContext context(m_work, m_revision.preview(), m_kept.site.module, m_kept.lowered);
                m_kept.cuda = context.shared_cuda();
            });
        std::string why = progress(Form::Cuda).reason;
        if (m_kept.cuda && m_kept.cuda->entries.empty())
            return skip({Progress::Missing, "the module has no kernel for a GPU"});
        if (!m_kept.cuda)
            return skip({Progress::Failed, why.empty() ? reason_in(m_work, before) : why});
        if (!m_revision.preview().tools)
            skip({Progress::Missing, "nothing is compiled here"});
    }

    void skip(const FormProgress& progress) {
        m_kept.cuda = nullptr;
        for (const FormInfo& row : all_forms())
            if (FormProgress& mine = this->progress(row.form);
                row.needs != Needs::Nothing && mine.state == Progress::Pending)
                mine = progress;
    }

    void publish_diagnostics() {
        const auto& all = m_work.sink.all();
        m_kept.diagnostics.insert(m_kept.diagnostics.end(), all.begin() + static_cast<std::ptrdiff_t>(m_published),
                                  all.end());
        m_published = all.size(); // putting them into the order of the script moves them
        m_revision.set_script_diagnostics(views_of(m_work), m_work.status);
    }

    template <class F>
    void publish(F&& more) {
        publish_diagnostics();
        m_revision.publish([&](LiveSnapshot& state) {
            state.modules[m_index] = m_kept.live;
            more(state);
        });
    }

    Revision& m_revision;
    Work& m_work;
    std::size_t m_index;
    Kept& m_kept;
    std::size_t m_published = 0; // diagnostics
};

// What was made of an equal module is taken over: only the times are new.
void take_over(Revision& revision, Work& work, std::size_t index, Kept& kept, const ModuleSnapshot& described) {
    ModuleSnapshot snapshot = *kept.live.snapshot;
    snapshot.number = described.number;
    kept.live.snapshot = std::make_shared<const ModuleSnapshot>(std::move(snapshot));
    for (FormProgress& form : kept.live.forms)
        if (form.state == Progress::Made)
            form.ms = revision.elapsed();
    for (const Diagnostic& diagnostic : kept.diagnostics)
        work.sink.report(diagnostic);
    revision.set_script_diagnostics(views_of(work), work.status);
    revision.publish([&](LiveSnapshot& state) {
        state.modules[index] = kept.live;
        if (index != revision.first || !kept.lowered)
            return;
        state.latency.ir = revision.elapsed();
        if (kept.cuda)
            state.latency.of(Form::Cuda) = revision.elapsed();
    });
}

} // namespace

std::string reason_in(const Work& work, std::size_t first) {
    const auto& all = work.sink.all();
    for (std::size_t i = first; i < all.size(); ++i)
        if (all[i].severity == Severity::Error) {
            Place place = place_of(all[i].span, work.sources);
            return place.known() ? cat("line ", place.line, ": ", all[i].message) : all[i].message;
        }
    return "the script has mistakes";
}

LoweringStage::LoweringStage(std::function<void(CompileTask)> compile, std::function<void(ExplainTask)> explain)
    : m_compile(std::move(compile)), m_explain(std::move(explain)), m_memory(std::make_unique<Memory>()) {}
LoweringStage::~LoweringStage() = default;

namespace {

// All modules are lowered, and so explained, before more is made of any but the one that the user looks at.
struct InWork {
    Kept kept;
    std::optional<Lowering> lowering; // nothing: it was known
    std::function<void()> compile;
};

// The module that the user looks at, then the others as the script builds them.
std::vector<std::size_t> order_of(std::size_t count, std::size_t first) {
    std::vector<std::size_t> order;
    if (first < count)
        order.push_back(first);
    for (std::size_t i = 0; i < count; ++i)
        if (i != first)
            order.push_back(i);
    return order;
}

} // namespace

void LoweringStage::run(AnalysedScript script) {
    const std::shared_ptr<Revision>& revision = script.revision;
    if (revision->request().source.by_hand)
        return revision->preview().tools ? m_compile({revision, 0, {}, {}, {}}) : void();
    auto sources = std::make_shared<const SourceMap>(script.work.sources);
    Memory next(*revision, sources);
    std::deque<InWork> modules;
    for (std::size_t i : order_of(script.sites.size(), revision->first)) {
        if (revision->stopped())
            return;
        InWork& module = modules.emplace_back();
        Kept& kept = module.kept;
        const auto explain = [&] {
            if (revision->request().explains)
                m_explain({revision, i, script.sites.size(), kept.site.module, kept.emulated, script.preview, sources});
        };
        module.compile = [&, &of = module.kept, i] {
            if (!revision->stopped() && of.cuda && wants_compiler(*revision))
                m_compile({revision, i, of.site.module, of.cuda, sources});
        };
        kept.site = script.sites[i];
        kept.places = Places(kept.site);
        if (auto known = m_memory->find(next, kept.site, kept.places)) {
            kept = std::move(*known);
            explain();
            take_over(*revision, script.work, i, kept, script.described[i]);
            module.compile();
            continue;
        }
        kept.live = fresh(*revision, script.described[i]);
        module.lowering.emplace(*revision, script.work, i, kept);
        module.lowering->lower(explain);
        if (&module == &modules.front())
            module.lowering->generate(module.compile);
    }
    for (InWork& module : modules) {
        if (module.lowering && &module != &modules.front())
            module.lowering->generate(module.compile);
        if (module.lowering)
            module.lowering->make_other_forms();
        if (revision->stopped())
            return;
        next.keep(std::move(module.kept));
    }
    *m_memory = std::move(next);
}

} // namespace hidet::session
