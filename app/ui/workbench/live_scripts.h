// SPDX-License-Identifier: GPL-3.0-only
// What is known of the scripts that are open: their live pipelines, and what their last runs found. The signals without a
// document are about the script in front.
#pragma once

#include <vector>

#include <QHash>
#include <QObject>

#include "app/session/session.h"
#include "app/ui/core/in_turns.h"
#include "app/ui/live/live_pipeline.h"

namespace hidet::ui {

class Document;
struct Studio;

class LiveScripts : public QObject {
    Q_OBJECT
public:
    explicit LiveScripts(Studio& studio) : m_studio(studio) {}

    LivePipeline* live() const;               // of the current document; null without one
    LivePipeline* liveOf(Document& document); // made when it is first asked for
    // News are shown in an event of its own: what is one of many views of the current script listens so.
    template <class Receiver, class Slot>
    void follow(std::initializer_list<void (LiveScripts::*)()> news, Receiver* who, Slot slot,
                StaggeredUpdates::Rank rank = StaggeredUpdates::Rank::Beside) {
        m_turns.follow(this, news, who, slot, rank);
    }
    StaggeredUpdates& turns() { return m_turns; }

    // What the last run said of a document, besides what the live pipeline says. Gone when the text changes or runs again.
    const std::vector<session::DiagnosticView>& findings(const Document& document) const;
    void setFindings(Document& document, std::vector<session::DiagnosticView> findings);
    void forget(Document& document); // it is being closed

signals:
    void liveUpdated();
    void analysed(); // its text was read, or evaluated
    void explanationChanged();
    void findingsChanged(hidet::ui::Document* document);
    void caretMoved(hidet::ui::Document* document, int offset);

private:
    Studio& m_studio;
    StaggeredUpdates m_turns;
    QHash<Document*, LivePipeline*> m_live;
    QHash<const Document*, std::vector<session::DiagnosticView>> m_findings;
};

} // namespace hidet::ui
