// SPDX-License-Identifier: GPL-3.0-only
// Nothing is lost: on exit the window is kept whole, unsaved text included; while it runs, what is typed goes to swap files
// within 200 ms, and which tabs, panes and choices there are within two seconds.
// Of several programs the first keeps the session; the others keep only what they did not save.
// What a crash came upon while it was being opened is offered at the next start, not opened.
#pragma once

#include <algorithm>

#include <QDir>
#include <QFileInfo>
#include <QLockFile>
#include <QObject>
#include <QPointer>
#include <QSet>

#include "app/ui/core/one_shot.h"
#include "app/ui/persistence/file_keeper.h"
#include "app/ui/persistence/running_folder.h"
#include "app/ui/window/main_window.h"
#include "app/ui/window/window_state.h"
#include "app/ui/window/workspace_keeper.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/model_numbers.h"

namespace hidet::ui {

struct SessionOptions {
    QString name = "last";
    bool restore = true; // the session; what a crash left is restored in any case
    bool fresh = false;  // a further window: it leaves the session alone
};

class SessionKeeper : public QObject {
    Q_OBJECT
public:
    SessionKeeper(MainWindow& window, const QString& stateFolder, SessionOptions options)
        : QObject(&window), m_window(window), m_studio(window.studio()), m_stateFolder(stateFolder),
          m_options(std::move(options)), m_running(stateFolder) {
        connect(&m_studio.tabs, &OpenTabs::documentAdded, this, &SessionKeeper::watch);
        connect(&m_studio.tabs, &OpenTabs::documentClosing, this, [this](Document* document) {
            if (document->isModified()) // before its swap file goes: what was closed can be reopened
                m_running.keep(keptOf(m_window, Texts::None));
            if (m_swapped.contains(document))
                m_running.drop(m_swapped.take(document));
            m_changed.remove(document);
            keepSoon();
        });
        connect(&m_studio.tabs, &OpenTabs::modelAdded, this, [this](LiveModel* model) {
            connect(&model->setup(), &ModelSetup::choicesChanged, this, &SessionKeeper::keepSoon);
            connect(model, &LiveModel::stateChanged, this, &SessionKeeper::keepSoon); // its scripts
            connect(&model->marks(), &GraphMarks::changed, this, &SessionKeeper::keepSoon);
            connect(&model->numbers(), &ModelNumbers::changed, this, &SessionKeeper::keepSoon);
            connect(model, &LiveModel::stateChanged, this, &SessionKeeper::noteOpening);
            connect(&model->graphs(), &ModelGraphs::snapshotChanged, this, &SessionKeeper::noteOpening);
            noteOpening();
            keepSoon();
        });
        connect(&m_studio.tabs, &OpenTabs::modelClosing, this, &SessionKeeper::keepSoon);
        connect(&m_studio.tabs, &OpenTabs::besideChanged, this, &SessionKeeper::keepSoon);
        connect(&m_studio.tabs, &OpenTabs::tabsChanged, this, &SessionKeeper::noteOpening);
        connect(&m_studio.tabs, &OpenTabs::currentChanged, this, [this] {
            LivePipeline* live = m_studio.scripts.live();
            if (live && !live->latest() && !m_starting.contains(live)) {
                m_starting << live;
                connect(live, &LivePipeline::updated, this, &SessionKeeper::noteOpening);
            }
            noteOpening();
            keepSoon();
        });
        if (m_options.fresh)
            return;
        QDir().mkpath(m_stateFolder + "/sessions");
        auto lock = std::make_unique<QLockFile>(sessionFile() + ".lock");
        lock->setStaleLockTime(0);
        if (lock->tryLock(0))
            m_lock = std::move(lock);
    }

    // restores
    void start() {
        std::vector<RunningFolder::Found> dead = RunningFolder::takeDead(m_stateFolder);
        std::optional<KeptSession> last;
        if (m_lock)
            if (const auto json = readJson(sessionFile()))
                last = keptSession(*json);
        offer(takeSuspects(dead, last));
        if (last) {
            const KeptSession& session = *last;
            if (!session.geometry.isEmpty())
                m_window.restoreGeometry(session.geometry);
            if (m_options.restore)
                restoreLayout(m_window, session);
            m_window.findChild<FileKeeper*>()->addClosed(session.closed);
            restore(session, m_options.restore ? Which::All : Which::WithWork);
            if (flush())
                QFile::remove(sessionFile());
        }
        for (RunningFolder::Found& found : dead)
            recover(found);
    }

    // keeps; the window is about to go
    void end() {
        m_pause.stop();
        m_textPause.stop();
        const KeptSession session = keptOf(m_window, Texts::All);
        if (m_lock && writeJson(sessionFile(), toJson(session))) {
            m_running.remove();
            m_lock->unlock();
            return;
        }
        bool unsaved = false;
        for (const KeptDocument& document : session.documents + session.closed)
            unsaved = unsaved || document.hasWork();
        if (!unsaved)
            return m_running.remove();
        keepNow();
        m_running.leave();
    }

    bool ownsSession() const { return m_lock != nullptr; }
    // Writes what has changed without waiting for the pause; for tests and for the end of the program.
    bool flush() {
        keepNow();
        return m_running.flush();
    }

private:
    // What is in the session, with its text and choices, leaves it.
    static QList<KeptDocument> takeOpening(KeptSession& session, const QStringList& opening) {
        QList<KeptDocument> out;
        for (int i = int(session.documents.size()) - 1; i >= 0; --i) {
            if (!opening.contains(session.documents[i].path))
                continue;
            out.prepend(session.documents.takeAt(i));
            if (i < session.current)
                --session.current;
        }
        return out;
    }

    void watch(Document* document) {
        connect(document, &Document::textChanged, this, [this, document] {
            m_changed << document;
            keepSoon();
            if (!m_textPause.isActive())
                m_textPause.start();
        });
        connect(document, &Document::stateChanged, this, [this, document] {
            m_changed << document;
            keepSoon();
        });
        if (document->isModified())
            m_changed << document;
        keepSoon();
    }

    void keepSoon() {
        if (!m_pause.isActive())
            m_pause.start();
    }

    void keepNow() {
        m_pause.stop();
        // Before the texts: whenever a kill comes, the order of the scripts is known.
        m_running.keep(keptOf(m_window, Texts::None));
        keepTexts();
    }

    // Of the window as it was kept only texts are other ones: what a pause in typing has time for. One that has no swap file
    // may not be known there yet.
    void keepTyped() {
        if (m_running.isWriting()) // a slow disk: what is typed meanwhile is one file more, not many
            m_textPause.start();
        else if (std::ranges::all_of(m_changed, [this](Document* each) { return m_swapped.contains(each); }))
            keepTexts();
        else
            keepNow();
    }

    void keepTexts() {
        m_textPause.stop();
        for (Document* document : std::as_const(m_changed)) {
            const KeptDocument now = keptOf(m_window, *document, Texts::All);
            const auto before = m_swapped.constFind(document);
            // Saved under another name: the swap file has the old one.
            if (before != m_swapped.constEnd() && (!now.unsaved || before->path != now.path))
                m_running.drop(m_swapped.take(document));
            if (!now.unsaved)
                continue;
            m_running.swap(now);
            m_swapped[document] = now;
        }
        m_changed.clear();
        if (!m_running.isUsable() && !m_complained) {
            m_complained = true;
            m_studio.notices.showError(
                tr("Unsaved text cannot be kept against a crash: %1 cannot be written").arg(m_stateFolder),
                {{tr("Save all"), [this] { m_studio.commands.action(Command::FileSaveAll)->trigger(); }}});
        }
    }

    void noteOpening() {
        QStringList opening;
        for (const LiveModel* model : m_studio.tabs.models())
            if (model->graphs().isBusy() && !model->document())
                opening << model->path();
        m_starting.removeIf([](const auto& live) { return !live || (live->latest() && live->latest()->complete); });
        for (const LivePipeline* live : std::as_const(m_starting))
            if (!live->document().path().isEmpty())
                opening << live->document().path();
        if (opening == m_opening)
            return;
        m_opening = opening;
        m_running.setOpening(opening);
    }

    // What was being opened when an earlier program crashed; it is not restored with the rest.
    static QList<KeptDocument> takeSuspects(std::vector<RunningFolder::Found>& dead, std::optional<KeptSession>& last) {
        QStringList opening;
        for (const RunningFolder::Found& found : dead)
            opening << found.opening;
        QList<KeptDocument> out;
        for (RunningFolder::Found& found : dead)
            out << takeOpening(found.session, opening);
        if (last)
            out << takeOpening(*last, opening);
        QStringList seen; // the same file in a dead program's folder and in the session it began with
        out.removeIf([&](const KeptDocument& each) { return seen.contains(each.path) || (seen << each.path, false); });
        for (const QString& path : std::as_const(opening))
            if (!path.isEmpty() && !seen.contains(path)) {
                seen << path;
                out.emplace_back().path = path;
            }
        return out;
    }

    // They are what can be reopened until somebody does.
    void offer(const QList<KeptDocument>& suspects) {
        if (suspects.isEmpty())
            return;
        auto* files = m_window.findChild<FileKeeper*>();
        QStringList names;
        Notice notice;
        notice.id = "crash-at-opening";
        notice.kind = NoticeKind::Warning;
        for (const KeptDocument& each : suspects) {
            files->keepClosed(each);
            names << QFileInfo(each.path).fileName();
            notice.offers << Offer{tr("Open %1").arg(names.last()), [files, each] { files->reopen(each); }};
        }
        notice.sentence = tr("Hidet Studio crashed while it opened %1").arg(names.join(", "));
        m_studio.notices.notify(notice);
    }

    void recover(RunningFolder::Found& found) {
        const bool alone = m_studio.tabs.all().isEmpty();
        m_window.findChild<FileKeeper*>()->addClosed(found.session.closed);
        // What a second window left is only its unsaved text; a crash brings everything back that was open.
        const int unsaved = restore(found.session, found.crashed && alone ? Which::All : Which::WithWork);
        if (found.crashed && alone)
            restoreLayout(m_window, found.session);
        if (unsaved > 0) {
            Notice notice;
            notice.id = "recovery";
            notice.kind = found.crashed ? NoticeKind::Warning : NoticeKind::Info;
            const QString restored =
                unsaved == 1 ? tr("One unsaved file was restored") : tr("%1 unsaved files were restored").arg(unsaved);
            notice.sentence = found.crashed ? tr("Hidet Studio crashed. %1").arg(restored)
                                            : tr("%1 from another window").arg(restored);
            notice.offers = {{tr("Show what changed"), [this] { m_studio.requests.showPage("changes"); }}};
            m_studio.notices.notify(notice);
        }
        // Ours before theirs goes: at no moment is a text on no disk.
        if (flush())
            found.remove();
    }

    // how many scripts have unsaved text
    int restore(const KeptSession& session, Which which) {
        const Restored restored = ui::restore(m_window, session, which);
        for (const QString& refusal : restored.refusals)
            m_studio.notices.showError(refusal);
        if (which == Which::All && !session.workspace.isEmpty())
            m_window.workspace().resume(session.workspace);
        return restored.unsaved;
    }

    QString sessionFile() const {
        QString name = m_options.name;
        for (QChar& letter : name)
            if (!letter.isLetterOrNumber() && letter != '-' && letter != '_')
                letter = '_';
        return m_stateFolder + "/sessions/" + name + ".json";
    }

    MainWindow& m_window;
    Studio& m_studio;
    QString m_stateFolder;
    SessionOptions m_options;
    RunningFolder m_running;
    std::unique_ptr<QLockFile> m_lock; // of the session; null: another program keeps it
    OneShot m_pause{2'000, [this] { keepNow(); }};
    OneShot m_textPause{150, [this] { keepTyped(); }};
    QSet<Document*> m_changed;
    QHash<Document*, KeptDocument> m_swapped; // as it was when it was written
    QList<QPointer<LivePipeline>> m_starting; // that have shown nothing yet
    QStringList m_opening;                    // paths
    bool m_complained = false;
};

} // namespace hidet::ui
