// SPDX-License-Identifier: Apache-2.0
#include "app/session/live/stage_board.h"

#include <algorithm>
#include <set>

#include "app/session/live/module_match.h"
#include "app/session/view/blame.h"
#include "lang/base/ranges.h"

namespace hidet::session {

namespace {

constexpr const char* not_asked = "not asked for";

bool is_syntax(const std::string& id) {
    static const std::set<std::string> ids = {
#define HIDET_DIAGNOSTIC(name, id, severity, format) id,
#include "lang/base/diagnostics/syntax.def"
#undef HIDET_DIAGNOSTIC
    };
    return ids.count(id) > 0;
}

std::string beside_last(const std::string& why) {
    return cat(why, why.ends_with('?') ? " Showing" : ": showing", " the last version that was fine");
}

std::string why_broken(const LiveSnapshot& snapshot) {
    for (const DiagnosticView& diagnostic : snapshot.diagnostics) {
        if (diagnostic.severity != Severity::Error)
            continue;
        if (!diagnostic.place.known())
            return beside_last(diagnostic.message);
        std::string line = cat("line ", diagnostic.place.line);
        return is_syntax(diagnostic.id) ? line + " does not parse: showing the last version that did"
                                        : beside_last(cat(line, ": ", diagnostic.message));
    }
    return beside_last("the script has mistakes");
}

// Of a module some functions are missing, and nothing is new.
bool is_part(const ModuleFace& face, const ModuleFace& whole) {
    const auto is_known = [&](const std::string& name) {
        return std::find(whole.functions.begin(), whole.functions.end(), name) != whole.functions.end();
    };
    return face.functions.size() < whole.functions.size() && std::ranges::all_of(face.functions, is_known);
}

StageView nothing(Freshness state, std::string reason) {
    StageView view;
    view.state = state;
    view.reason = std::move(reason);
    return view;
}

StageView shown(const ModuleSnapshot& module, std::uint64_t revision, int number) {
    int last = static_cast<int>(module.passes.size()) - 1;
    const bool all = number == Stage::last_pass;
    if (all || number > last)
        number = last;
    StageView view;
    view.text = text_after(module, number);
    view.revision = revision;
    // The IR after all passes took all of them.
    for (int pass = all ? 0 : number; pass >= 0 && pass <= number; ++pass)
        view.ms += module.passes[static_cast<std::size_t>(pass)].ms;
    return view;
}

StageView shown(const std::shared_ptr<const FormSnapshot>& form, std::uint64_t revision) {
    StageView view;
    view.text = std::shared_ptr<const TextSnapshot>(form, &form->text);
    view.machine = form->machine;
    view.revision = revision;
    view.ms = form->ms;
    return view;
}

std::vector<std::string> names_of(const ModuleSnapshot& module) {
    return transformed(module.functions, &FunctionSnapshot::name);
}

ModuleFace face_of(const ModuleSnapshot& module) {
    return {names_of(module), module.site.line};
}

} // namespace

void StageBoard::submitted(const LiveRequest& request) {
    if (request.revision <= m_submitted)
        return;
    m_submitted = request.revision;
    m_wanted = {request.forms.begin(), request.forms.end()};
}

bool StageBoard::update(std::shared_ptr<const LiveSnapshot> snapshot) {
    if (snapshot->revision < m_submitted || (m_latest && snapshot->revision < m_latest->revision))
        return false;
    m_submitted = snapshot->revision;
    m_matched = m_matched && m_latest && snapshot->revision == m_latest->revision;
    m_latest = std::move(snapshot);
    if (!m_latest->evaluated)
        return true;
    if (!m_matched)
        match();
    for (std::size_t i = 0; i < m_latest->modules.size(); ++i)
        if (Entry& known = entry(m_ids[i]); !known.module.gone)
            take(known, m_latest->modules[i]);
    show();
    return true;
}

const StageBoard::Entry* StageBoard::find(ModuleId id) const {
    return first_in(m_entries, [&](const Entry& entry) { return entry.module.id == id; });
}

StageView StageBoard::view(ModuleId id, const Stage& stage) const {
    const Entry* entry = find(id);
    if (!entry)
        return id == 0 && is_on_its_way() ? nothing(Freshness::Working, "")
                                          : nothing(Freshness::Unavailable, "the script does not build this module");
    StageView view = stage.is_pass() ? pass_view(*entry, stage.pass()) : form_view(*entry, stage.form());
    if (is_on_its_way() && will_be_made(view, stage)) {
        view.state = Freshness::Working;
        view.reason.clear();
    }
    return view;
}

bool StageBoard::is_on_its_way() const {
    return !m_latest || m_latest->revision < m_submitted || !m_latest->evaluated;
}
// What a tool is missing for stays so until the contrary is seen.
bool StageBoard::will_be_made(const StageView& view, const Stage& stage) const {
    return view.state != Freshness::Unavailable ||
           (!stage.is_pass() && view.reason == not_asked && m_wanted.count(stage.form()) > 0);
}

StageBoard::Entry& StageBoard::entry(ModuleId id) {
    return *std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& e) { return e.module.id == id; });
}

// Gives each module of the snapshot its id. A module that is gone, as a whole or with some of its functions, stays as it
// was as long as a broken script may be the reason.
void StageBoard::match() {
    m_matched = true;
    std::vector<ModuleFace> before, now;
    for (const Entry& entry : m_entries)
        before.push_back(face_of(*entry.module.snapshot));
    for (const LiveModule& module : m_latest->modules)
        now.push_back(face_of(*module.snapshot));
    std::vector<int> matched = match_modules(before, now);
    std::vector<Entry> next;
    m_ids.clear();
    for (std::size_t i = 0; i < now.size(); ++i) {
        Entry entry;
        if (matched[i] >= 0)
            entry = m_entries[static_cast<std::size_t>(matched[i])];
        else
            entry.module.id = ++m_last_id;
        entry.module.gone =
            m_latest->broken && matched[i] >= 0 && is_part(now[i], before[static_cast<std::size_t>(matched[i])]);
        if (entry.module.gone)
            entry.now = {};
        if (!entry.module.snapshot)
            entry.module.snapshot = m_latest->modules[i].snapshot;
        m_ids.push_back(entry.module.id);
        next.push_back(std::move(entry));
    }
    if (m_latest->broken)
        keep_gone(next, matched);
    m_entries = std::move(next);
}

void StageBoard::keep_gone(std::vector<Entry>& next, const std::vector<int>& matched) {
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        if (std::find(matched.begin(), matched.end(), static_cast<int>(i)) != matched.end())
            continue;
        Entry entry = m_entries[i];
        entry.module.gone = true;
        entry.now = {};
        auto at = next.begin();
        if (i > 0) {
            ModuleId before = m_entries[i - 1].module.id;
            at = std::find_if(next.begin(), next.end(), [&](const Entry& e) { return e.module.id == before; });
            at = at == next.end() ? at : at + 1;
        }
        next.insert(at, std::move(entry));
    }
}

void StageBoard::take(Entry& entry, const LiveModule& module) {
    entry.now = module;
    if (!module.snapshot->passes.empty()) {
        entry.module.snapshot = module.snapshot;
        entry.module.revision = m_latest->revision;
    }
    if (module.lowering == Progress::Made) {
        entry.lowered = module.snapshot;
        entry.lowered_revision = m_latest->revision;
    }
    for (const FormInfo& info : all_forms())
        if (auto made = form_of(*module.snapshot, info.form))
            entry.forms[info.form] = {std::move(made), m_latest->revision};
}

void StageBoard::show() {
    m_shown.clear();
    for (const Entry& entry : m_entries)
        m_shown.push_back(entry.module);
}

StageView StageBoard::pass_view(const Entry& entry, int number) const {
    StageView last = entry.lowered ? shown(*entry.lowered, entry.lowered_revision, number) : StageView{};
    if (entry.module.gone)
        return last_good(std::move(last), why_broken(*m_latest));
    const ModuleSnapshot& now = *entry.now.snapshot;
    bool ran = number != Stage::last_pass && number < static_cast<int>(now.passes.size());
    if (entry.now.lowering == Progress::Made || (entry.now.lowering == Progress::Failed && ran)) {
        StageView view = shown(now, m_latest->revision, number);
        view.state = Freshness::Fresh;
        return view;
    }
    if (entry.now.lowering == Progress::Failed)
        return last_good(std::move(last), last.text ? beside_last(entry.now.reason) : entry.now.reason);
    last.state = Freshness::Working;
    return last;
}

StageView StageBoard::form_view(const Entry& entry, Form form) const {
    auto found = entry.forms.find(form);
    StageView last = found == entry.forms.end() ? StageView{} : shown(found->second.form, found->second.revision);
    if (entry.module.gone)
        return last_good(std::move(last), why_broken(*m_latest));
    const FormProgress& progress = entry.now.progress(form);
    switch (progress.state) {
    case Progress::NotAsked: return nothing(Freshness::Unavailable, not_asked);
    case Progress::Missing: return nothing(Freshness::Unavailable, progress.reason);
    case Progress::Made: last.state = Freshness::Fresh; return last;
    case Progress::Pending: last.state = Freshness::Working; return last;
    case Progress::Failed: break;
    }
    return last_good(std::move(last), last.text ? beside_last(progress.reason) : progress.reason);
}

StageView StageBoard::last_good(StageView last, std::string reason) {
    last.state = last.text ? Freshness::Stale : Freshness::Failed;
    last.reason = std::move(reason);
    return last;
}

const BoardModule* StageBoard::module(ModuleId id) const {
    const Entry* entry = find(id);
    return entry ? &entry->module : nullptr;
}

const std::vector<PassSnapshot>& StageBoard::passes(ModuleId id) const {
    static const std::vector<PassSnapshot> none;
    const Entry* entry = find(id);
    return entry && entry->lowered ? entry->lowered->passes : none;
}

} // namespace hidet::session
