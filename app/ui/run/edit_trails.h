// SPDX-License-Identifier: GPL-3.0-only
// The texts that each open script went through, with what is foretold of them: those of this session, and those that earlier
// ones have kept beside the history. Texts with mistakes are none.
#pragma once

#include <QDateTime>
#include <QObject>
#include <map>

#include "app/session/explain/text_figures.h"
#include "app/session/kernel_bench/kept_edits.h"
#include "app/ui/core/in_order.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class EditTrails : public QObject {
    Q_OBJECT
public:
    EditTrails(Studio& studio, const QString& history, QObject* parent)
        : QObject(parent), m_studio(studio), m_store(history.toStdString()) {
        connect(&studio.scripts, &LiveScripts::liveUpdated, this, &EditTrails::note);
        connect(&studio.tabs, &OpenTabs::currentChanged, this, &EditTrails::note);
        connect(&studio.scripts, &LiveScripts::explanationChanged, this, &EditTrails::explain);
        connect(&studio.tabs, &OpenTabs::documentClosing, this, [this](Document* document) {
            const auto found = m_trails.find(document);
            if (found == m_trails.end())
                return;
            keep(found->second, found->second.now.states().size());
            m_trails.erase(found);
        });
    }

    ~EditTrails() override {
        for (const auto& [document, trail] : m_trails)
            keep(trail, trail.now.states().size());
    }

    // oldest first
    std::vector<session::EditState> states(const Document& document) const {
        const auto found = m_trails.find(&document);
        if (found == m_trails.end())
            return {};
        std::vector<session::EditState> out = found->second.before;
        const std::vector<session::EditState>& now = found->second.now.states();
        out.insert(out.end(), now.begin(), now.end());
        return out;
    }

    // null: none
    std::shared_ptr<const std::string> textOf(const Document& document, const std::string& hash) const {
        const auto found = m_trails.find(&document);
        if (found == m_trails.end())
            return nullptr;
        for (const session::EditState& state : found->second.before)
            if (state.hash == hash)
                return state.text;
        return found->second.now.text_of(hash);
    }

    // all, of all scripts
    void forget() {
        for (auto& [document, trail] : m_trails) {
            trail.before.clear();
            trail.now = session::EditTrail();
        }
        m_writing.run([this] { (void)m_store.forget(); });
        note();
        emit changed();
    }

    // it is run
    void endBurst(const Document& document) { trailOf(document).now.end_burst(); }

signals:
    void changed(); // of the current document

private:
    struct Trail {
        std::vector<session::EditState> before; // of earlier sessions
        session::EditTrail now;
        std::string name; // that it is kept by
    };
    Trail& trailOf(const Document& document) {
        const bool isNew = !m_trails.contains(&document);
        Trail& trail = m_trails[&document];
        trail.name = document.path().isEmpty() ? std::string() : document.name().toStdString();
        if (isNew && !trail.name.empty())
            fetch(document);
        return trail;
    }

    void fetch(const Document& document) {
        m_writing.run([this, asked = &document, name = document.name().toStdString()] {
            QMetaObject::invokeMethod(
                this,
                [this, asked, name, before = m_store.of(name)] {
                    const auto found = m_trails.find(asked);
                    if (found == m_trails.end() || found->second.name != name || before.empty())
                        return;
                    found->second.before = before;
                    emit changed();
                },
                Qt::QueuedConnection);
        });
    }

    // the first ones of this session
    // A script that was only opened was not edited. Of one that no file has nothing is kept: its name comes again.
    void keep(const Trail& trail, std::size_t count) {
        const std::vector<session::EditState>& all = trail.now.states();
        if (trail.name.empty() || all.size() < 2 || count == 0)
            return;
        std::vector<session::EditState> states(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
        // That it cannot be written is no matter: this session has them.
        m_writing.run([this, name = trail.name, states = std::move(states)] { (void)m_store.add(name, states); });
    }

    void note() {
        const LivePipeline* live = m_studio.scripts.live();
        const auto latest = live ? live->latest() : nullptr;
        if (!latest || !latest->evaluated || latest->has_errors || !live->document().isScript() ||
            live->evaluatedText() != live->document().text())
            return;
        Trail& trail = trailOf(live->document());
        const std::string text = live->evaluatedText().toStdString();
        if (!trail.now.states().empty() && *trail.now.states().back().text == text)
            return;
        const std::size_t before = trail.now.states().size();
        trail.now.note(text, std::chrono::steady_clock::now(),
                       QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs).toStdString());
        if (trail.now.states().size() > before)
            keep(trail, before); // they are not typed into any more
        explain();               // which may have been there before
        emit changed();
    }

    void explain() {
        const LivePipeline* live = m_studio.scripts.live();
        if (!live || !live->explanationIsCurrent())
            return;
        const auto trail = m_trails.find(&live->document());
        if (trail == m_trails.end())
            return;
        trail->second.now.explain(live->document().text().toStdString(),
                                  session::figures_of(live->explained()->kernels));
        emit changed();
    }

    Studio& m_studio;
    const session::KeptEdits m_store;
    std::map<const Document*, Trail> m_trails;
    InOrder m_writing; // last: what was asked for is written
};

} // namespace hidet::ui
