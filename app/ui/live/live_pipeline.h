// SPDX-License-Identifier: GPL-3.0-only
// The live session of one document, on the GUI thread: every edit goes in, and the one analysis of its text comes out, which
// the editor's questions, the problems, the board of stages and whoever else asks about the script read. The session works
// on threads of its own and lowers and compiles after a short pause; what it publishes arrives here as an event.
#pragma once

#include <memory>
#include <mutex>

#include <QElapsedTimer>
#include <QObject>

#include "app/session/live/explained.h"
#include "app/session/live/live_session.h"
#include "app/session/live/stage_board.h"
#include "app/session/view/links.h"

namespace hidet::ui {

class Document;
class Settings;

session::Source sourceOf(const Document& document); // its text as it stands in the editor

class LivePipeline : public QObject {
    Q_OBJECT
public:
    LivePipeline(Document& document, Settings& settings, std::shared_ptr<session::Tools> tools, QObject* parent);
    ~LivePipeline() override;

    Document& document() const { return m_document; }
    const session::StageBoard& board() const { return m_board; }
    const std::shared_ptr<const session::LiveSnapshot>& latest() const { return m_board.latest(); }
    // Nothing that was submitted is still on its way.
    bool isSettled() const;
    // The script in the editor was evaluated to its end: what it builds is known.
    bool isEvaluated() const { return latest() && latest()->revision == m_request && latest()->evaluated; }
    // The text that the newest snapshot that was evaluated is of: places in it are places in this text.
    const QByteArray& evaluatedText() const { return m_evaluated; }
    // What the editor asks: of the newest text that was read, as soon as it was. Null before the first; of IR it always is.
    const session::assist::DocumentRef& answers() const { return m_answers; }
    const QByteArray& answeredText() const { return m_answered; }
    // Answers about places hold for the text that was read, so ask this before showing one.
    bool answersAreCurrent() const;
    // Its evaluation has ended; until then values are those of the text before.
    bool valuesAreCurrent() const { return m_hasValues && answersAreCurrent(); }

    // What the accesses of the kernels cost, of the newest text that was free of mistakes and has been looked at. Null before
    // the first.
    const std::shared_ptr<const session::Explained>& explained() const { return m_explained; }
    bool explanationIsCurrent() const;

    // Hues of the script's lines, the same in the editor and in all panes.
    const session::HueMap& hues() const { return m_hues; }
    // Of a text that builds the shown module. If not, it is what an older text built, whose places may be others now.
    bool areLinksCurrent() const;
    // The parts of the script that something in the shown module came from; sorted, each once, of the evaluated text.
    const std::vector<session::Place>& linked() const { return m_linked; }
    // The narrowest of them that this place (1-based) is in or at the end of; null: none.
    const session::Place* linkedAt(int line, int column) const;

    // Calls of kernel factories, besides those in comments: the instantiation box.
    void setCalls(const QStringList& calls);
    const QStringList& calls() const { return m_calls; }
    // The module that the panes show; it is lowered first. 0: the first one.
    void setModule(session::ModuleId module);
    session::ModuleId module() const; // one that exists, or 0
    void submitNow();

signals:
    void updated();  // the board has something new
    void analysed(); // the answers have: after reading, and after evaluating
    void moduleChanged();
    void callsChanged();
    void explanationChanged();

private:
    std::chrono::milliseconds pauseOfKey();
    void submit(std::chrono::milliseconds pause);
    void takeArrived();
    void take(std::shared_ptr<const session::LiveSnapshot> snapshot);
    void show(std::shared_ptr<const session::LiveSnapshot> snapshot, bool newest);
    void takeExplanation(const session::LiveSnapshot& snapshot);
    void updateHues();
    void updateLinked(const session::ModuleSnapshot& shown);

    Document& m_document;
    Settings& m_settings;
    session::StageBoard m_board;
    session::HueMap m_hues;
    std::vector<session::Place> m_linked;
    std::vector<std::shared_ptr<const session::TextSnapshot>> m_linkedTexts; // that they are of
    QStringList m_calls;
    session::ModuleId m_module = 0;
    QElapsedTimer m_lastKey;
    quint64 m_request = 0;
    QByteArray m_sent;
    QByteArray m_evaluated;
    session::assist::DocumentRef m_answers;
    QByteArray m_answered;
    bool m_hasValues = false;
    std::shared_ptr<const session::Explained> m_explained;
    QByteArray m_explainedText;
    std::mutex m_mutex;                                     // of what follows
    std::shared_ptr<const session::LiveSnapshot> m_arrived; // and not yet taken
    std::unique_ptr<session::LiveSession> m_session;        // last: its threads call back until it is gone
};

} // namespace hidet::ui
