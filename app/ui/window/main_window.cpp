// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/main_window.h"
#include "app/ui/graph/runs/model_runs.h"
#include "app/ui/graph/script_graph.h"
#include "app/ui/run/debugger.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/run/script_reducer.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QJsonArray>
#include <QMimeData>
#include <QProcess>

#include "app/session/request/workspace_name.h"
#include "app/ui/docks/analysis.h"
#include "app/ui/docks/manual.h"
#include "app/ui/exporting/export_subject.h"
#include "app/ui/pages/export_page.h"
#include "app/ui/pages/samples.h"
#include "app/ui/panes/figure_pane.h"
#include "app/ui/persistence/file_keeper.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/window/dock_layout.h"
#include "app/ui/window/graph_tabs.h"
#include "app/ui/window/quiet_docks.h"
#include "app/ui/window/verdict_strip.h"
#include "app/ui/window/workspace_keeper.h"
#include "app/ui/workbench/lessons.h"
#include "app/ui/workbench/model_files.h"

namespace hidet::ui {

namespace {

constexpr int layout_version = 4; // of saveState(): another one is not restored

QJsonObject firstPanes(Mode mode) {
    using session::Form;
    if (mode == Mode::Run)
        return StageArea::of({{Form::Cuda, Form::Sass}});
    if (mode == Mode::Edit)
        return StageArea::of({{StageName::lowered()}, {Form::Cuda}});
    const QJsonObject stages =
        StageArea::of({{StageName::lowered()}, {Form::Cuda, Form::Cpp}, {Form::Ptx, Form::Sass}});
    const QJsonObject passes{{"panes", QJsonArray{FigurePane::stateOf("passes")}}};
    return {{"split", "down"}, {"children", QJsonArray{stages, passes}}, {"sizes", QJsonArray{3000, 1000}}};
}

// The commands that open the page of exports, each with what it is about.
void bindExports(Studio& studio, PageHost& pages, const EditorArea& editors) {
    const auto show = [&studio, &pages](const ExportSubject& subject, const ExportPart& part) {
        studio.requests.showPage("export");
        static_cast<ExportPage*>(pages.pageWidget())->open(subject, part);
    };
    studio.commands.bind(
        Command::FileExport, &pages, [&studio, show] { show(frontOf(studio), {}); },
        [&studio] { return !frontOf(studio).isEmpty(); });
    studio.commands.bind(
        Command::FileExportKernel, &pages,
        [&studio, &editors, show] {
            const ExportSubject subject = frontOf(studio);
            show(subject, partAt(partsOf(subject, studio, true), studio, editors.current()->caret()));
        },
        [&editors] { return editors.current() != nullptr; });
    studio.commands.bind(
        Command::ModelExportOperator, &pages, [&studio, show] { show(selectedOperator(*studio.tabs.model()), {}); },
        [&studio, action = studio.commands.action(Command::ModelExportOperator)] {
            const bool isSelected = studio.tabs.model() && !selectedOperator(*studio.tabs.model()).isEmpty();
            Commands::explain(action, isSelected            ? QString()
                                      : studio.tabs.model() ? MainWindow::tr("no operator is selected")
                                                            : MainWindow::tr("no model is open"));
            return isSelected;
        });
}

} // namespace

MainWindow::MainWindow(StudioServices services)
    : m_studio(std::move(services)), m_runs(new RunController(m_studio)), m_modelRuns(new ModelRuns(m_studio)) {
    setObjectName("window");
    setWindowTitle(tr("Hidet Studio"));
    setMinimumSize(720, 480);
    setMenuWidget(m_top);
    setDockOptions(AnimatedDocks | AllowTabbedDocks | AllowNestedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);

    new Debugger(m_studio);
    new ScriptReducer(m_studio, [this] { return m_editors->current() ? m_editors->current()->caret() : 0; });
    m_splitter->addWidget(m_editors);
    m_right->addWidget(&m_graphs->beside());
    m_right->addWidget(m_stages);
    m_right->setChildrenCollapsible(false);
    m_graphs->beside().hide();
    connect(&m_graphs->beside(), &ScriptGraph::shownChanged, this, [this](bool isShown) {
        m_graphs->beside().setVisible(isShown);
        showRight();
    });
    connect(m_stages, &StageArea::panesChanged, this, &MainWindow::showRight);
    m_splitter->addWidget(m_right);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setStretchFactor(0, 2);
    m_splitter->setStretchFactor(1, 3);
    m_graphTabs = new GraphTabs(
        m_graphs, m_studio.makeFigure = [this](const QString& id) { return figure(id); }, this);
    m_work->addWidget(m_splitter);
    m_work->addWidget(m_graphTabs);
    auto* center = new QWidget(this);
    m_verdictLine = new QFrame(center);
    m_verdictLine->setProperty("separator", true);
    m_verdictLine->setFixedHeight(1);
    m_verdict = new VerdictStrip(m_studio, center);
    newColumn(center, {m_notices, {m_pages, 1}, m_verdictLine, m_verdict});
    setCentralWidget(center);
    m_status = new StatusLine(m_studio, this);
    setStatusBar(m_status);

    makeRail();
    makeDocks();
    addThemes();
    addTargets();
    addSampleCommands(m_studio, *this);
    addLessonCommands(m_studio, *this);
    bindCommands();
    m_top->fillMenus();
    for (QAction* action : m_studio.commands.all())
        addAction(action);
    connect(&m_studio.tabs, &OpenTabs::currentChanged, this, &MainWindow::showFront);
    connect(&m_studio.scripts, &LiveScripts::caretMoved, this, &MainWindow::showCaret);
    connect(&m_studio.requests, &ViewRequests::dockRequested, this, &MainWindow::openDock);
    connect(&m_studio.requests, &ViewRequests::manualRequested, this,
            [this](const QString& word) { openManual().showWord(word); });
    apply(m_mode, {});
    m_modes->setMode(m_mode);
    m_studio.commands.refresh();
    new FileKeeper(m_studio, *m_editors, this);
    new ModelFiles(m_studio, this);
    bindExports(m_studio, *m_pages, *m_editors);
    m_workspace = new WorkspaceKeeper(*this);
    connect(m_workspace, &WorkspaceKeeper::changed, this, &MainWindow::showTitle);
    setAcceptDrops(true);
    connect(m_pages, &PageHost::pageChanged, this, &MainWindow::showPageOrScripts);
    m_pages->close();
}

void MainWindow::showCaret() {
    const ScriptEditor* editor = m_editors->current();
    if (!editor)
        return;
    int line = 0, column = 0;
    editor->getCursorPosition(&line, &column);
    m_status->setCaret(line + 1, column + 1);
}

// Only what can be opened is taken: the pointer says so before the file is let go.
static QStringList filesOf(const QMimeData* data) {
    QStringList out;
    for (const QUrl& url : data->urls()) {
        const QFileInfo file(url.toLocalFile());
        if (url.isLocalFile() && file.isFile() &&
            (file.suffix() == "py" || session::is_ir_file(file.fileName().toStdString()) ||
             session::is_workspace_file(file.fileName().toStdString()) || isModelFile(file.filePath())))
            out << file.absoluteFilePath();
    }
    return out;
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!filesOf(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    for (const QString& file : filesOf(event->mimeData()))
        m_studio.tabs.openFile(file);
    event->acceptProposedAction();
}

// Sizes are shares of a width that the window has only now.
void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (!m_layouts.contains(m_mode) && !m_onPage)
        shareWidth();
}

// A graph takes the place of the stages; other tabs stay below it.
void MainWindow::showRight() {
    const QList<Pane*> panes = m_stages->panes();
    const bool hasGraph = !m_graphs->beside().isHidden();
    m_stages->setVisible(
        hasGraph ? std::ranges::any_of(panes, [](const Pane* pane) { return qobject_cast<const FigurePane*>(pane); })
                 : !panes.isEmpty());
    m_right->setVisible(hasGraph || !panes.isEmpty());
}

// A script has room for lines of 90 letters where that leaves the half for what it becomes; three stages leave less.
void MainWindow::shareWidth() {
    constexpr int columns = 90 + 18; // with the numbers of lines, the margins, the overview
    const int width = std::max(600, m_pages->width());
    const int wanted = columns * QFontMetrics(m_studio.themes.codeFont()).horizontalAdvance('0');
    const int share = m_mode == Mode::Lower ? 0 : std::min(wanted, width / 2);
    const int script = std::max(width * 2 / 5, share);
    m_splitter->setSizes({script, width - script});
}

// Docks belong to the scripts: a page has the window for itself, but for the manual, which one reads beside anything.
void MainWindow::showPageOrScripts() {
    const bool page = !m_pages->page().isEmpty();
    if (page && !m_onPage) {
        // Before the window is shown there is nothing to come back to but how it is at first.
        m_behindPage = isVisible() ? stateNow() : QJsonObject();
        m_onPage = true;
        for (QDockWidget* dock : m_docks)
            if (dock != m_docks.value("manual"))
                dock->hide();
    } else if (!page && m_onPage) {
        m_onPage = false;
        const bool isRead = m_docks.value("manual")->isVisible();
        apply(m_mode, std::exchange(m_behindPage, {}));
        m_docks.value("manual")->setVisible(isRead);
    }
    m_rail->setVisible(!page);
    m_verdict->setVisible(!page);
    m_verdictLine->setVisible(!page);
}

void MainWindow::addThemes() {
    auto add = [this](const QString& id, const QString& name) {
        m_studio.commands.add("theme." + id, "View/Theme", name, tr("Colours of the window: %1").arg(name), {}, this,
                              [this, id] { m_studio.settings.set(Setting::Theme, id); });
    };
    add("system", tr("As the desktop"));
    for (const Theme& theme : allThemes())
        add(theme.id, theme.name);
}

void MainWindow::addTargets() {
    for (const QString& target : choicesOf(Setting::Target))
        m_studio.commands.add("run.target." + target, "Run/Target", target, tr("Where kernels run: %1").arg(target), {},
                              this, [this, target] { m_studio.settings.set(Setting::Target, target); });
}

// A field that loses the focus takes what was typed, for which all of the window has to be there still.
MainWindow::~MainWindow() {
    hide();
    qDeleteAll(m_tabs);
}

// A tool bar, for that is what reaches from the top to the status line beside every dock.
void MainWindow::makeRail() {
    m_rail = new QToolBar(tr("Modes"), this);
    m_rail->setObjectName("modes");
    m_rail->setMovable(false);
    m_rail->setFloatable(false);
    m_rail->setContextMenuPolicy(Qt::PreventContextMenu);
    m_rail->toggleViewAction()->setVisible(false);
    m_rail->layout()->setContentsMargins(0, 0, 0, 0);
    m_rail->addWidget(m_modes);
    addToolBar(Qt::LeftToolBarArea, m_rail);
}

void MainWindow::bindCommands() {
    Commands& commands = m_studio.commands;
    const std::pair<Command, Mode> modes[] = {{Command::ViewModeEdit, Mode::Edit},
                                              {Command::ViewModeLower, Mode::Lower},
                                              {Command::ViewModeRun, Mode::Run},
                                              {Command::ViewModeGraph, Mode::Graph}};
    for (const auto& [command, mode] : modes)
        commands.bind(
            command, this, [this, mode = mode] { setMode(mode); },
            [this, mode = mode, action = commands.action(command)] {
                Commands::explain(action, canShow(mode)         ? QString()
                                          : mode == Mode::Graph ? tr("no model is open")
                                                                : tr("no script is open"));
                return canShow(mode);
            });
    commands.bind(Command::ViewSettings, this, [this] { m_studio.requests.showPage("settings"); });
    commands.bind(Command::ViewShortcuts, this, [this] { m_studio.requests.showPage("shortcuts"); });
    commands.bind(Command::HelpWelcome, this, [this] { m_studio.requests.showPage("welcome"); });
    commands.bind(Command::HelpManual, this, [this] { showManual(); });
    commands.bind(Command::HelpHalfHour, this, [this] {
        session::assist::ManualPlace place;
        place.page = "first_half_hour";
        openManual().show(place);
    });
    commands.bind(Command::HelpAbout, this, [this] { m_studio.requests.showPage("about"); });
    commands.bind(Command::ViewPalette, this, [this] { m_studio.requests.search(">"); });
    commands.bind(Command::GoQuickOpen, this, [this] { m_studio.requests.search({}); });
    commands.bind(Command::ViewResetLayout, this, [this] { resetLayout(); });
    commands.bind(Command::FileNewWindow, this, [this] {
        if (!QProcess::startDetached(QCoreApplication::applicationFilePath(), {"--new-window"}))
            m_studio.notices.showError(
                tr("No further window could be opened: %1 did not start").arg(QCoreApplication::applicationFilePath()));
    });
    commands.bind(Command::FileQuit, this, [this] { close(); });
    commands.bind(Command::PaneNext, this, [this] { focusPane(1); });
    commands.bind(Command::PanePrevious, this, [this] { focusPane(-1); });
    commands.bind(Command::PaneEditor, this, [this] { emit m_studio.requests.editorRequested(); });
    auto zoom = [this](int step) {
        Settings& settings = m_studio.settings;
        const int size = m_studio.themes.codeFont().pointSize();
        settings.set(Setting::CodeFontSize, step == 0 ? 0 : std::clamp(size + step, 6, 40));
    };
    commands.bind(Command::ViewZoomIn, this, [zoom] { zoom(1); });
    commands.bind(Command::ViewZoomOut, this, [zoom] { zoom(-1); });
    commands.bind(Command::ViewZoomReset, this, [zoom] { zoom(0); });
}

// What the word means where it stands; the word as it is written while the script is being read.
static session::assist::ManualPlace manualPlaceAt(const ScriptEditor& editor) {
    if (editor.live().answersAreCurrent())
        return session::assist::manual_at(*editor.live().answers(), static_cast<std::uint32_t>(editor.caret()));
    const auto places = session::assist::manual_places(wordAt(editor, editor.caret()).toStdString());
    return places.empty() ? session::assist::ManualPlace() : places.front();
}

void MainWindow::showManual() {
    const ScriptEditor* editor = m_onPage ? nullptr : m_editors->current();
    openManual().show(editor ? manualPlaceAt(*editor) : session::assist::ManualPlace());
}

void MainWindow::focusPane(int step) {
    QList<QWidget*> stops;
    if (m_editors->current())
        stops << m_editors->current();
    if (m_graphs->current())
        stops << m_graphs->current();
    if (m_graphs->beside().isVisible())
        stops << &m_graphs->beside();
    for (Pane* pane : m_stages->panes())
        if (pane->isVisible())
            stops << (pane->codeView() ? static_cast<QWidget*>(pane->codeView()) : pane);
    for (const DockInfo& info : allDocks())
        if (QDockWidget* dock = m_docks.value(info.id); dock->isVisible() && !dock->visibleRegion().isEmpty())
            stops << dock->widget();
    if (stops.isEmpty())
        return;
    qsizetype at = -1;
    for (qsizetype i = 0; i < stops.size(); ++i)
        if (stops[i] == QApplication::focusWidget() || stops[i]->isAncestorOf(QApplication::focusWidget()))
            at = i;
    for (qsizetype tries = stops.size(); tries > 0; --tries) {
        at = (at + step + stops.size()) % stops.size();
        if (giveKeyboard(*stops[at]))
            return;
    }
}

// The graph belongs to models, the other modes to scripts; with nothing open each can be looked at.
bool MainWindow::canShow(Mode mode) const {
    if (mode == Mode::Graph)
        return !m_studio.tabs.models().isEmpty();
    return !m_studio.tabs.model() || !m_studio.tabs.documents().isEmpty();
}

void MainWindow::setMode(Mode mode) {
    if (!canShow(mode))
        return;
    if (mode == Mode::Graph && !m_studio.tabs.model()) {
        m_studio.tabs.setCurrent(m_lastModel ? *m_lastModel : *m_studio.tabs.models().first());
    } else if (mode != Mode::Graph && m_studio.tabs.model()) {
        m_scriptMode = mode;
        m_studio.tabs.setCurrent(m_lastScript ? m_lastScript.data() : m_studio.tabs.documents().first());
    }
    showMode(mode);
}

// What is in front decides whether there is a graph; which of the modes of scripts, the user did.
void MainWindow::showFront() {
    LiveModel* model = m_studio.tabs.model();
    Document* document = m_studio.tabs.current();
    if (model)
        m_lastModel = model;
    if (document)
        m_lastScript = document;
    showTitle();
    m_work->setCurrentWidget(model ? static_cast<QWidget*>(m_graphTabs) : m_splitter);
    if (model)
        showMode(Mode::Graph);
    else if (m_mode == Mode::Graph)
        showMode(m_scriptMode);
}

void MainWindow::showTitle() {
    QStringList parts;
    if (const LiveModel* model = m_studio.tabs.model())
        parts << model->title();
    else if (const Document* document = m_studio.tabs.current())
        parts << document->title();
    if (m_workspace && !m_workspace->title().isEmpty())
        parts << m_workspace->title();
    setWindowTitle((parts << tr("Hidet Studio")).join(" - "));
}

void MainWindow::showMode(Mode mode) {
    if (mode != Mode::Graph)
        m_scriptMode = mode;
    if (mode == m_mode)
        return;
    m_pages->close();
    m_layouts[m_mode] = m_onPage ? m_behindPage : stateNow();
    m_mode = mode;
    if (m_onPage)
        m_behindPage = m_layouts.value(mode);
    else
        apply(mode, m_layouts.value(mode));
    m_modes->setMode(mode);
}

void MainWindow::resetLayout() {
    m_layouts.clear();
    m_pages->close();
    m_behindPage = {};
    if (!m_onPage)
        apply(m_mode, {});
    emit m_studio.requests.editorRequested();
}

// In per cent.
int MainWindow::scriptShare() const {
    const QList<int> sizes = m_splitter->sizes();
    const int sum = std::max(1, sizes.value(0) + sizes.value(1));
    return (sizes.value(0) * 200 + sum) / (2 * sum);
}

QJsonObject MainWindow::stateNow() const {
    return {{"docks", QString::fromLatin1(saveState(layout_version).toBase64())},
            {"splitter", QString::fromLatin1(m_splitter->saveState().toBase64())},
            {"shown", shownDocks(*this, m_docks)},
            {"script", scriptShare()},
            m_mode == Mode::Graph ? std::pair{"tabs", m_graphTabs->state()} : std::pair{"stages", m_stages->state()}};
}

void MainWindow::restorePanes(Mode mode, const QJsonObject& state) {
    if (mode == Mode::Graph)
        m_graphTabs->restore(state["tabs"].toObject());
    else
        m_stages->restore(state["stages"].toObject());
}

void MainWindow::apply(Mode mode, const QJsonObject& state) {
    if (!state.isEmpty() &&
        restoreState(QByteArray::fromBase64(state["docks"].toString().toLatin1()), layout_version)) {
        m_splitter->restoreState(QByteArray::fromBase64(state["splitter"].toString().toLatin1()));
        restorePanes(mode, state);
        return m_quiet->settle();
    }
    if (state.contains("shown")) {
        placeDocks(*this, m_docks, state["shown"].toObject());
        const int share = std::clamp(state["script"].toInt(40), 0, 100) * 10;
        m_splitter->setSizes(
            {std::max(600, m_pages->width()) * share / 1000, std::max(600, m_pages->width()) * (1000 - share) / 1000});
        restorePanes(mode, state);
        return m_quiet->settle();
    }
    const QChar letter = modeName(mode).front();
    QHash<DockArea, QDockWidget*> first;
    for (const DockInfo& info : allDocks()) {
        QDockWidget* dock = m_docks.value(info.id);
        dock->setFloating(false);
        addDockWidget(info.area == DockArea::bottom ? Qt::BottomDockWidgetArea : Qt::RightDockWidgetArea, dock);
        const bool shown = info.modes.contains(letter);
        dock->setVisible(shown);
        if (!shown)
            continue;
        if (QDockWidget* other = first.value(info.area))
            tabifyDockWidget(other, dock);
        else
            first[info.area] = dock;
    }
    for (QDockWidget* dock : first)
        dock->raise();
    if (mode == Mode::Run)
        m_docks.value("run")->raise();
    if (QDockWidget* bottom = first.value(DockArea::bottom))
        resizeDocks({bottom}, {bottomHeight()}, Qt::Vertical);
    if (QDockWidget* right = first.value(DockArea::side))
        resizeDocks({right}, {mode == Mode::Graph ? std::max(240, width() / 4) : std::max(200, width() / 7)},
                    Qt::Horizontal);
    restorePanes(mode, {{"stages", mode == Mode::Graph ? QJsonObject() : firstPanes(mode)}});
    shareWidth();
    m_quiet->settle();
}

QJsonObject MainWindow::layoutState() {
    m_layouts[m_mode] = m_onPage ? m_behindPage : stateNow();
    QJsonObject out{{"mode", modeName(m_mode)}};
    for (Mode mode : all_modes)
        if (m_layouts.contains(mode))
            out[modeName(mode)] = m_layouts.value(mode);
    return out;
}

void MainWindow::restoreLayout(const QJsonObject& state) {
    m_layouts.clear();
    for (Mode mode : all_modes) {
        if (state.contains(modeName(mode)))
            m_layouts[mode] = state[modeName(mode)].toObject();
        if (state["mode"] == modeName(mode) && mode != Mode::Graph) // that comes with its model
            m_mode = mode;
    }
    if (m_onPage)
        m_behindPage = m_layouts.value(m_mode);
    else
        apply(m_mode, m_layouts.value(m_mode));
    m_modes->setMode(m_mode);
}

} // namespace hidet::ui
