// SPDX-License-Identifier: GPL-3.0-only
// The window: puts the parts together and keeps a layout for each mode. What the parts do is theirs.
#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <QPointer>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolBar>

#include "app/ui/docks/docks.h"
#include "app/ui/editor/editor_area.h"
#include "app/ui/graph/graph_area.h"
#include "app/ui/palette/palette.h"
#include "app/ui/panes/stage_area.h"
#include "app/ui/window/mode_bar.h"
#include "app/ui/window/page_host.h"
#include "app/ui/window/status_line.h"
#include "app/ui/window/top_bar.h"
#include "app/ui/workbench/notice_bar.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class QuietDocks;
class VerdictStrip;
class WorkspaceKeeper;

class AnalysisDock;
class GraphTabs;
class ManualDock;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(StudioServices services);
    ~MainWindow() override;

    Studio& studio() { return m_studio; }
    EditorArea& editors() { return *m_editors; }
    StageArea& stages() { return *m_stages; }
    GraphArea& graphs() { return *m_graphs; }
    NoticeBar& notices() { return *m_notices; }
    PageHost& pages() { return *m_pages; }
    Palette& palette() { return *m_palette; }
    WorkspaceKeeper& workspace() { return *m_workspace; }
    // Null: there is none. Of a section of the analysis that one.
    QDockWidget* dock(const QString& id) const;
    bool hasFigure(const QString& id) const; // a tab, or a section of the analysis

    Mode mode() const { return m_mode; }
    void setMode(Mode mode); // as a user: Graph brings a model to the front, the others a script
    void resetLayout();
    // The docks and panes of all modes, as one value: by names and shares of the window, and to the pixel beside that, which
    // counts where both are there.
    QJsonObject layoutState();
    void restoreLayout(const QJsonObject& state);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void makeRail();
    void makeDocks();
    void showCaret();
    void showFront();
    void showMode(Mode mode);
    bool canShow(Mode mode) const;
    void bindCommands();
    QJsonObject stateNow() const;
    void restorePanes(Mode mode, const QJsonObject& state);
    void apply(Mode mode, const QJsonObject& state); // an empty state: as it is at first
    static bool giveKeyboard(QWidget& widget);
    int bottomHeight() const;
    void joinTabs(QDockWidget& dock);
    void showDock(const DockInfo& info);
    AnalysisDock& analysis() const;
    Figure figure(const QString& id); // without content: there is no such tab, or section of scripts
    ManualDock& openManual();         // it has the keyboard
    void showSection(const QString& id);
    void showTab(const TabInfo& info);
    void openDock(const QString& id);
    void focusPane(int step);
    void showPageOrScripts();
    void showManual(); // of the word at the caret
    void addThemes();
    void addTargets();
    void showRight();
    void shareWidth();
    int scriptShare() const;
    void showQuietly(const QList<QDockWidget*>& docks);
    void showDockTitles();
    void showTitle();

    Studio m_studio;
    RunController* m_runs; // the studio has both for the parts, which come after them
    ModelRuns* m_modelRuns;
    TopBar* m_top = new TopBar(m_studio, this);
    ModeBar* m_modes = new ModeBar(m_studio, this);
    EditorArea* m_editors = new EditorArea(m_studio, this);
    StageArea* m_stages = new StageArea(m_studio, this);
    QSplitter* m_splitter = new QSplitter(Qt::Horizontal, this); // of scripts and what stands beside them
    QSplitter* m_right = new QSplitter(Qt::Vertical, this);      // the graph that one traces, their stages
    GraphArea* m_graphs = new GraphArea(m_studio, this);
    GraphTabs* m_graphTabs = nullptr;
    QStackedWidget* m_work = new QStackedWidget(this); // the splitter, or the graphs
    NoticeBar* m_notices = new NoticeBar(m_studio, this);
    PageHost* m_pages = new PageHost(m_studio, m_work, this);
    QToolBar* m_rail = nullptr; // of the modes
    QFrame* m_verdictLine = nullptr;
    VerdictStrip* m_verdict = nullptr;
    StatusLine* m_status = nullptr;
    Palette* m_palette = new Palette(m_studio, this);
    QuietDocks* m_quiet = nullptr;
    WorkspaceKeeper* m_workspace = nullptr;
    QHash<QString, QDockWidget*> m_docks;
    QHash<QString, DockWidget*> m_tabs; // what each shows, wherever it is
    QHash<Mode, QJsonObject> m_layouts;
    Mode m_mode = Mode::Edit;
    Mode m_scriptMode = Mode::Edit; // the last one that was not Graph
    QPointer<Document> m_lastScript;
    QPointer<LiveModel> m_lastModel;
    bool m_onPage = false;
    QJsonObject m_behindPage; // the layout of the scripts while a page is in their place
};

} // namespace hidet::ui
