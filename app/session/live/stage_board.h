// SPDX-License-Identifier: Apache-2.0
// What panes show: the newest text there is of each stage of each module, and how fresh it is. For one thread (the one
// of the user interface): tell it what was submitted, feed it what the session publishes, ask it when a pane paints.
//
// A text is never taken away while the script is broken or its successor is on its way; it becomes stale, with a reason.
// Modules keep their id from revision to revision as long as the script builds them: they are matched by the names of
// their functions, then by the line that builds them. An id is never used again.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/session/live/live_snapshot.h"

namespace hidet::session {

using ModuleId = int; // 0: none

// IR after a pass (0: as the script made it; last_pass: after all of them), or a form.
class Stage {
public:
    static constexpr int last_pass = -1;
    static Stage after_pass(int number) { return Stage(number); }
    static Stage of_form(Form form) { return Stage(form); }
    bool is_pass() const { return m_is_pass; }
    int pass() const { return m_pass; }
    Form form() const { return m_form; }
    friend bool operator==(const Stage&, const Stage&) = default;

private:
    explicit Stage(int number) : m_is_pass(true), m_pass(number) {}
    explicit Stage(Form form) : m_form(form) {}
    bool m_is_pass = false;
    int m_pass = 0;
    Form m_form{};
};

enum class Freshness : std::uint8_t {
    Fresh,
    Stale,       // a text of an older revision, and no newer one will come: the reason says why
    Working,     // a newer one is on its way; the text is that of an older revision, or null
    Failed,      // there is no text, and the reason says why
    Unavailable, // not asked for, or a tool is missing
};

struct StageView {
    std::shared_ptr<const TextSnapshot> text;       // may be null
    std::shared_ptr<const MachineSnapshot> machine; // of SASS, where the request asked for it
    Freshness state = Freshness::Unavailable;
    std::string reason;         // one sentence without a final period; empty when there is nothing to say
    std::uint64_t revision = 0; // of the text
    double ms = 0;              // what making the text took: of a pass its own, of the last IR all of them
    friend bool operator==(const StageView&, const StageView&) = default;
};

struct BoardModule {
    ModuleId id = 0;
    std::shared_ptr<const ModuleSnapshot> snapshot; // the newest with passes; of `revision`
    std::uint64_t revision = 0;
    bool gone = false; // the script of today does not build it (while it is broken it may again)
};

class StageBoard {
public:
    // A revision is on its way: what is fresh becomes `Working` until its successor is there.
    void submitted(const LiveRequest& request);
    // Snapshots of revisions older than the newest one known are ignored (false).
    bool update(std::shared_ptr<const LiveSnapshot> snapshot);

    // In the order of the script; modules that are gone while the script is broken stand where they stood.
    const std::vector<BoardModule>& modules() const { return m_shown; }
    const BoardModule* module(ModuleId id) const; // null: unknown, or gone for good
    StageView view(ModuleId id, const Stage& stage) const;
    // What `--passes` lists, for a menu: passes of the newest module that was lowered whole.
    const std::vector<PassSnapshot>& passes(ModuleId id) const;
    // The newest snapshot, or null.
    const std::shared_ptr<const LiveSnapshot>& latest() const { return m_latest; }

private:
    struct ShownForm {
        std::shared_ptr<const FormSnapshot> form;
        std::uint64_t revision = 0;
    };

    struct Entry {
        BoardModule module;
        LiveModule now; // in the newest snapshot; without a snapshot while the module is gone
        std::shared_ptr<const ModuleSnapshot> lowered; // the newest that went through all passes
        std::uint64_t lowered_revision = 0;
        std::map<Form, ShownForm> forms; // the newest of each
    };

    const Entry* find(ModuleId id) const;
    Entry& entry(ModuleId id);
    bool is_on_its_way() const;
    bool will_be_made(const StageView& view, const Stage& stage) const;
    void match();
    void keep_gone(std::vector<Entry>& next, const std::vector<int>& matched);
    void take(Entry& entry, const LiveModule& module);
    void show();
    StageView pass_view(const Entry& entry, int number) const;
    StageView form_view(const Entry& entry, Form form) const;
    static StageView last_good(StageView last, std::string reason);

    std::vector<Entry> m_entries;
    std::vector<BoardModule> m_shown;
    std::vector<ModuleId> m_ids; // of the modules of the newest snapshot
    std::shared_ptr<const LiveSnapshot> m_latest;
    std::uint64_t m_submitted = 0;
    std::set<Form> m_wanted;
    bool m_matched = false;
    ModuleId m_last_id = 0;
};

} // namespace hidet::session
