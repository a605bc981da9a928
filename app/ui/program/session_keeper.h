// SPDX-License-Identifier: GPL-3.0-only
// Nothing is lost: on exit the window is kept whole, unsaved text included; while it runs, changed texts go to swap files.
// Of several programs the first keeps the session; the others keep only what they did not save.
// What a crash came upon while it was being opened is offered at the next start, not opened.
#pragma once

#include <QLockFile>
#include <QObject>
#include <QPointer>
#include <QSet>

#include "app/ui/core/one_shot.h"
#include "app/ui/persistence/running_folder.h"
#include "app/ui/window/main_window.h"
#include "app/ui/window/window_state.h"

namespace hidet::ui {

struct SessionOptions {
    QString name = "last";
    bool restore = true; // the session; what a crash left is restored in any case
    bool fresh = false;  // a further window: it leaves the session alone
};

class SessionKeeper : public QObject {
    Q_OBJECT
public:
    SessionKeeper(MainWindow& window, const QString& stateFolder, SessionOptions options);

    void start(); // restores
    void end();   // keeps; the window is about to go
    bool ownsSession() const { return m_lock != nullptr; }
    // Writes what has changed without waiting for the pause; for tests and for the end of the program.
    bool flush();

private:
    void watch(Document* document);
    void keepSoon();
    void keepNow();
    void noteOpening();
    // What was being opened when an earlier program crashed; it is not restored with the rest.
    static QList<KeptDocument> takeSuspects(std::vector<RunningFolder::Found>& dead, std::optional<KeptSession>& last);
    void offer(const QList<KeptDocument>& suspects);
    void recover(RunningFolder::Found& found);
    int restore(const KeptSession& session, Which which); // how many scripts have unsaved text
    QString sessionFile() const;

    MainWindow& m_window;
    Studio& m_studio;
    QString m_stateFolder;
    SessionOptions m_options;
    RunningFolder m_running;
    std::unique_ptr<QLockFile> m_lock; // of the session; null: another program keeps it
    OneShot m_pause{0, [this] { keepNow(); }};
    QSet<Document*> m_changed;
    QHash<Document*, KeptDocument> m_swapped; // as it was when it was written
    QList<QPointer<LivePipeline>> m_starting; // that have shown nothing yet
    QStringList m_opening;                    // paths
    bool m_complained = false;
};

} // namespace hidet::ui
