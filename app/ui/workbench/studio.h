// SPDX-License-Identifier: GPL-3.0-only
// What the parts of the window share. Each part gets this in its constructor and looks at nothing else: no part knows the
// window, and none knows another. There is one for each window.
#pragma once

#include <functional>
#include <memory>

#include <QHash>
#include <QObject>
#include <QPointer>

#include "app/session/session.h"
#include "app/ui/core/application.h"
#include "app/ui/core/commands.h"
#include "app/ui/core/in_turns.h"
#include "app/ui/core/settings.h"
#include "app/ui/core/theme.h"
#include "app/ui/document/document.h"
#include "app/ui/live/link_hub.h"
#include "app/ui/live/live_pipeline.h"
#include "app/ui/live/stage_hub.h"
#include "app/ui/workbench/found_uses.h"
#include "app/ui/workbench/job_runner.h"
#include "app/ui/workbench/notice.h"

namespace hidet::session {
struct ModelRecord;
}

namespace hidet::ui {

struct Figure;
class LiveModel;
class ModelRuns;
class Profiles;
class RunController;
class ScriptReducer;

struct StudioServices {
    Settings& settings;
    ThemeSource& themes;
    std::shared_ptr<session::Tools> tools;
    FileDialogs dialogs = FileDialogs::ofDesktop();
    session::ServiceMaker workers = {}; // who runs scripts and models; empty: worker processes
};

struct Studio : QObject {
    Q_OBJECT
public:
    explicit Studio(StudioServices services, QObject* parent = nullptr);

    Settings& settings;
    ThemeSource& themes;
    const std::shared_ptr<session::Tools> tools;
    FileDialogs dialogs;
    Commands commands;
    LinkHub links;
    StageHub stages;
    StaggeredUpdates turns;
    JobRunner* const jobs;
    Profiles* profiles = nullptr;                        // made by the constructor
    std::function<Figure(const QString& id)> makeFigure; // without content for what is none; of the window
    RunController* runs = nullptr;                       // the window makes these before any part that asks for them
    ModelRuns* modelRuns = nullptr;
    ScriptReducer* reducer = nullptr;

    // Documents, in the order of their tabs.
    const QList<Document*>& documents() const { return m_documents; }
    Document* current() const { return m_current; } // null: none is open, or a model is in front
    LivePipeline* live() const;                     // of the current document; null without one
    LivePipeline* liveOf(Document& document);       // made when it is first asked for
    // What is known of the current script, shown in an event of its own: what is one of many views of it listens so.
    template <class Receiver, class Slot>
    void follow(std::initializer_list<void (Studio::*)()> news, Receiver* who, Slot slot,
                StaggeredUpdates::Rank rank = StaggeredUpdates::Rank::Beside) {
        turns.follow(this, news, who, slot, rank);
    }

    Document* open(const QString& path, FileError& error); // makes it current; the one that is open, if it is
    Document* create(const QByteArray& text);
    // As it was when the program ended: `saved` is what its file holds, `text` what the editor held. No path: never saved;
    // then the number is that of its title.
    Document* restore(const QString& path, FileText saved, const QByteArray& text, int number);
    void close(Document& document);
    void setCurrent(Document* document);

    // Models that are open, in the order of their tabs; one is in front of all scripts, or none.
    const QList<LiveModel*>& models() const { return m_models; }
    LiveModel* model() const { return m_model; } // that is in front; null: a script is, or nothing
    LiveModel* openModel(const QString& path);   // makes it current; the one that is open, if it is
    // The graph of a script, beside it; made when it is first asked for. Its tab closes with that of the script.
    LiveModel* openModelOf(Document& script);
    // Or that of a model which it defines operators of, once that was put beside it. Null: there is none.
    LiveModel* modelOf(const Document* script) const;
    void splitWith(const Document& script, LiveModel* model); // null: away again; its own graph is closed instead
    // A model of an earlier session, from where runs are kept; it leaves no trace among the recent files.
    LiveModel* openKept(const QString& path, const session::ModelRecord& run);
    void close(LiveModel& model);
    void setCurrent(LiveModel& model);
    // The model whose graph commands of graphs mean: that in front, or the one beside the script that has the keyboard.
    LiveModel* graphModel() const;
    void setGraphBeside(LiveModel* model);

    // Scripts and models alike: what has a tab, in their order.
    const QList<QObject*>& tabs() const { return m_tabs; }
    QObject* front() const; // null: nothing is open
    void setFront(QObject* tab);
    void move(int from, int to);
    // A script, a model or a workspace, by what the file is; false: it cannot be opened, and the window says why.
    bool openFile(const QString& path);

    // Shows a place of a script: opens its file if that is not open, moves the caret there, gives it the keyboard.
    void show(const session::Place& place);
    // What the last run said of a document, besides what the live pipeline says. Gone when the text changes or runs again.
    const std::vector<session::DiagnosticView>& findings(const Document& document) const;
    void setFindings(Document& document, std::vector<session::DiagnosticView> findings);
    // A sentence for the status line, and for screen readers.
    void showStatus(const QString& sentence) { emit said(sentence); }
    void withdrawStatus(const QString& sentence) { emit unsaid(sentence); } // it does not hold any more
    // Something went wrong with a file or with this machine, and what can be done next; shown in a bar above the editor,
    // never in a dialog. With offers it stays until one is taken or it is dismissed.
    void showError(const QString& sentence, const QList<Offer>& offers = {}) {
        notify({offers.isEmpty() ? QString() : sentence, NoticeKind::Error, sentence, offers, {}});
    }
    void showOpenError(const FileError& error); // offers another file
    // The same bar, for what has something to offer: "x.py changed on disk" with Reload and Keep mine.
    void notify(const Notice& notice) { emit noticed(notice); }
    void withdraw(const QString& noticeId) { emit withdrawn(noticeId); }
    // The palette: "" finds scripts, ">" commands, "@" names, ":" lines, "#" passes.
    void search(const QString& prefix) { emit searchRequested(prefix); }
    // Brings a stage to the front in a pane.
    void showStage(const StageName& stage) { emit stageRequested(stage); }
    // In the current script, all edits together, as one step of undo.
    void applyFix(const std::vector<session::FixView>& edits) { emit fixRequested(edits); }
    // Fixes between the two calls are one step of undo together: a number that is dragged.
    void groupFixes(bool begins) { emit fixesGrouped(begins); }
    // What an access in this line (1-based) of the current script costs; opens the dock.
    void showAccess(int line);
    // Where the threads stand that a finding in this line of the current script is about; opens the dock.
    void showThreads(int line);
    // Opens a dock or a tab, by its id, and gives it the keyboard.
    void showDock(const QString& dock) { emit dockRequested(dock); }
    // A page in the place of editor and panes: "welcome", "settings", "shortcuts", "about", "changes".
    void showPage(const QString& page) { emit pageRequested(page); }
    // The manual beside the code, where it explains the word.
    void showManual(const QString& word) { emit manualRequested(word); }

signals:
    void documentAdded(hidet::ui::Document* document);
    void documentClosing(hidet::ui::Document* document);
    void modelAdded(hidet::ui::LiveModel* model);
    void modelClosing(hidet::ui::LiveModel* model);
    void currentChanged(); // another tab is in front
    void besideChanged();  // another graph stands beside the script in front
    void tabsChanged();    // opened, closed, moved, or one has another title
    void liveUpdated();    // of the current document
    void findingsChanged(hidet::ui::Document* document);
    void analysed(); // the same: its text was read, or evaluated
    void caretMoved(hidet::ui::Document* document, int offset);
    void shown(hidet::ui::Document* document, hidet::session::Place place);
    void said(QString sentence);
    void unsaid(QString sentence);
    void noticed(hidet::ui::Notice notice);
    void withdrawn(QString noticeId);
    void searchRequested(QString prefix);
    void stageRequested(StageName stage);
    void pageRequested(QString page);
    void manualRequested(QString word);
    void workspaceRequested(QString path);
    void fixRequested(std::vector<hidet::session::FixView> edits);
    void fixesGrouped(bool begins);
    void accessRequested(int line);
    void threadsRequested(int line);
    void explanationChanged();                         // of the current document
    void usesFound(const hidet::ui::FoundUses& found); // of a name that was asked for
    void dockRequested(QString dock);
    void editorRequested(); // the keyboard back to the script

private:
    Document* add(QString path, FileText read, const QByteArray& text, int number);
    void bring(Document* document, LiveModel* model);
    LiveModel* add(LiveModel* model);
    void removeTab(QObject* tab);

    QList<Document*> m_documents;
    QHash<Document*, LivePipeline*> m_live;
    QHash<const Document*, std::vector<session::DiagnosticView>> m_findings;
    QPointer<Document> m_current;
    QList<LiveModel*> m_models;
    LiveModel* m_model = nullptr;
    QPointer<LiveModel> m_beside;
    QHash<const Document*, QPointer<LiveModel>> m_besides;
    QList<QObject*> m_tabs;
    int m_untitled = 0;
};

} // namespace hidet::ui
