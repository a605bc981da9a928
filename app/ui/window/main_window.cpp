// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/main_window.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QProcess>
#include <QVBoxLayout>

#include "app/ui/house/file_keeper.h"
#include "app/ui/house/samples.h"
#include "app/ui/run/verdict_strip.h"

namespace hidet::ui {

namespace {

constexpr int layout_version = 2;     // of saveState(): another one is not restored
constexpr int least_dock_height = 64; // what does not fit scrolls

QList<QStringList> firstPanes(Mode mode) {
    switch (mode) {
    case Mode::Edit: return {{"ir"}, {"cuda"}};
    case Mode::Lower: return {{"ir"}, {"cuda", "cpp"}, {"ptx", "sass"}};
    case Mode::Run: return {{"cuda", "sass"}};
    }
    return {};
}

// Of a small window the script needs most.
int bottomHeight(Mode mode, int window) {
    if (mode == Mode::Run)
        return std::max(160, window * 2 / 5);
    return std::max(96, window / (window < 700 ? 6 : 4));
}

} // namespace

MainWindow::MainWindow(StudioServices services)
    : m_studio(std::move(services)), m_top(new TopBar(m_studio, this)), m_modes(new ModeBar(m_studio, this)),
      m_editors(new EditorArea(m_studio, this)), m_stages(new StageArea(m_studio, this)),
      m_splitter(new QSplitter(Qt::Horizontal, this)), m_notices(new NoticeBar(m_studio, this)),
      m_pages(new PageHost(m_studio, m_splitter, this)), m_palette(new Palette(m_studio, this)) {
    setObjectName("window");
    setWindowTitle(tr("Hidet Studio"));
    setMinimumSize(720, 480);
    setMenuWidget(m_top);
    setDockOptions(AnimatedDocks | AllowTabbedDocks | AllowNestedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);

    m_splitter->addWidget(m_editors);
    m_splitter->addWidget(m_stages);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setStretchFactor(0, 2);
    m_splitter->setStretchFactor(1, 3);
    auto* center = new QWidget(this);
    auto* column = new QVBoxLayout(center);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_notices);
    column->addWidget(m_pages, 1);
    m_verdictLine = new QFrame(center);
    m_verdictLine->setProperty("separator", true);
    m_verdictLine->setFixedHeight(1);
    column->addWidget(m_verdictLine);
    m_verdict = new VerdictStrip(m_studio, center);
    column->addWidget(m_verdict);
    setCentralWidget(center);
    m_status = new StatusLine(m_studio, this);
    setStatusBar(m_status);

    makeRail();
    makeDocks();
    addThemes();
    addTargets();
    addSampleCommands(m_studio, *this);
    bindCommands();
    m_top->fillMenus();
    for (QAction* action : m_studio.commands.all())
        addAction(action);
    connect(&m_studio, &Studio::currentChanged, this, [this] {
        const Document* document = m_studio.current();
        setWindowTitle(document ? tr("%1 - Hidet Studio").arg(document->title()) : tr("Hidet Studio"));
        showCaret();
    });
    connect(&m_studio, &Studio::caretMoved, this, &MainWindow::showCaret);
    apply(m_mode, {});
    m_modes->setMode(m_mode);
    m_studio.commands.refresh();
    new FileKeeper(m_studio, *m_editors, this);
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
        if (url.isLocalFile() && file.isFile() && (file.suffix() == "py" || file.suffix() == "ir"))
            out << file.absoluteFilePath();
    }
    return out;
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!filesOf(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    for (const QString& file : filesOf(event->mimeData())) {
        FileError error;
        if (!m_studio.open(file, error))
            m_studio.complainOfOpening(error);
    }
    event->acceptProposedAction();
}

// Sizes are shares of a width that the window has only now.
void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (!m_layouts.contains(m_mode) && !m_onPage)
        shareWidth();
}

// A dock in a tab has its name there, and needs no second one.
void MainWindow::showDockTitles() {
    for (QDockWidget* dock : std::as_const(m_docks)) {
        const bool tabbed = !dock->isFloating() && !tabifiedDockWidgets(dock).isEmpty();
        if (tabbed == (dock->titleBarWidget() != nullptr))
            continue;
        QWidget* before = dock->titleBarWidget();
        dock->setTitleBarWidget(tabbed ? new QWidget(dock) : nullptr);
        delete before;
    }
}

void MainWindow::shareWidth() {
    const int width = std::max(600, m_pages->width());
    m_splitter->setSizes({width * 2 / 5, width * 3 / 5});
}

// Docks belong to the scripts: a page has the window for itself.
void MainWindow::showPageOrScripts() {
    const bool page = !m_pages->page().isEmpty();
    if (page && !m_onPage) {
        // Before the window is shown there is nothing to come back to but how it is at first.
        m_behindPage = isVisible() ? stateNow() : QJsonObject();
        m_onPage = true;
        for (QDockWidget* dock : m_docks)
            dock->hide();
    } else if (!page && m_onPage) {
        m_onPage = false;
        apply(m_mode, std::exchange(m_behindPage, {}));
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

void MainWindow::makeDocks() {
    for (const DockInfo& info : allDocks()) {
        DockWidget* content = info.make(m_studio);
        content->setMinimumHeight(least_dock_height);
        auto* dock = new QDockWidget(info.title, this);
        dock->setObjectName("dock." + info.id);
        dock->setWidget(content);
        dock->setAccessibleName(info.title);
        content->setAccessibleName(info.title);
        connect(content, &DockWidget::badgeChanged, dock, [dock, content, title = info.title] {
            dock->setWindowTitle(content->badge().isEmpty() ? title : title + "  " + content->badge());
        });
        m_docks[info.id] = dock;
        for (auto signal : {&QDockWidget::visibilityChanged, &QDockWidget::topLevelChanged})
            connect(dock, signal, this, &MainWindow::showDockTitles, Qt::QueuedConnection);
        m_studio.commands.add("dock." + info.id, "View", info.title, info.help,
                              {QKeySequence::fromString(info.keys, QKeySequence::PortableText)}, this,
                              [this, &info] { showDock(info); });
    }
}

// To the widget, or to what is first in it; false: nothing there takes the keyboard.
static bool giveKeyboard(QWidget& widget) {
    auto has = [&] { return widget.hasFocus() || widget.isAncestorOf(QApplication::focusWidget()); };
    widget.setFocus(Qt::TabFocusReason);
    QWidget* inside = widget.nextInFocusChain();
    while (!has() && inside && widget.isAncestorOf(inside)) {
        if (inside->focusPolicy() & Qt::TabFocus && inside->isVisible())
            inside->setFocus(Qt::TabFocusReason);
        inside = inside->nextInFocusChain();
    }
    return has();
}

// The keyboard goes to the dock; from there the same key hides it.
void MainWindow::showDock(const DockInfo& info) {
    if (m_onPage)
        m_pages->close();
    QDockWidget* dock = m_docks.value(info.id);
    const bool inside = dock->isAncestorOf(QApplication::focusWidget());
    if (dock->isVisible() && inside) {
        dock->hide();
        return emit m_studio.editorWanted();
    }
    dock->show();
    dock->raise();
    giveKeyboard(*dock->widget());
}

void MainWindow::bindCommands() {
    Commands& commands = m_studio.commands;
    commands.bind(Command::ViewModeEdit, this, [this] { setMode(Mode::Edit); });
    commands.bind(Command::ViewModeLower, this, [this] { setMode(Mode::Lower); });
    commands.bind(Command::ViewModeRun, this, [this] { setMode(Mode::Run); });
    commands.bind(Command::ViewSettings, this, [this] { m_studio.showPage("settings"); });
    commands.bind(Command::ViewShortcuts, this, [this] { m_studio.showPage("shortcuts"); });
    commands.bind(Command::HelpWelcome, this, [this] { m_studio.showPage("welcome"); });
    commands.bind(Command::HelpAbout, this, [this] { m_studio.showPage("about"); });
    commands.bind(Command::ViewPalette, this, [this] { m_studio.search(">"); });
    commands.bind(Command::GoQuickOpen, this, [this] { m_studio.search({}); });
    commands.bind(Command::ViewResetLayout, this, [this] { resetLayout(); });
    commands.bind(Command::FileNewWindow, this, [this] {
        if (!QProcess::startDetached(QCoreApplication::applicationFilePath(), {"--new-window"}))
            m_studio.complain(
                tr("No further window could be opened: %1 did not start").arg(QCoreApplication::applicationFilePath()));
    });
    commands.bind(Command::FileQuit, this, [this] { close(); });
    commands.bind(Command::PaneNext, this, [this] { focusPane(1); });
    commands.bind(Command::PanePrevious, this, [this] { focusPane(-1); });
    commands.bind(Command::PaneEditor, this, [this] { emit m_studio.editorWanted(); });
    auto zoom = [this](int step) {
        Settings& settings = m_studio.settings;
        const int size = m_studio.themes.codeFont().pointSize();
        settings.set(Setting::CodeFontSize, step == 0 ? 0 : std::clamp(size + step, 6, 40));
    };
    commands.bind(Command::ViewZoomIn, this, [zoom] { zoom(1); });
    commands.bind(Command::ViewZoomOut, this, [zoom] { zoom(-1); });
    commands.bind(Command::ViewZoomReset, this, [zoom] { zoom(0); });
}

void MainWindow::focusPane(int step) {
    QList<QWidget*> stops;
    if (m_editors->current())
        stops << m_editors->current();
    for (Pane* pane : m_stages->panes())
        if (pane->isVisible())
            stops << &pane->view();
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

void MainWindow::setMode(Mode mode) {
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
    emit m_studio.editorWanted();
}

QJsonObject MainWindow::stateNow() const {
    return {{"docks", QString::fromLatin1(saveState(layout_version).toBase64())},
            {"splitter", QString::fromLatin1(m_splitter->saveState().toBase64())},
            {"stages", m_stages->state()}};
}

void MainWindow::apply(Mode mode, const QJsonObject& state) {
    if (!state.isEmpty() &&
        restoreState(QByteArray::fromBase64(state["docks"].toString().toLatin1()), layout_version)) {
        m_splitter->restoreState(QByteArray::fromBase64(state["splitter"].toString().toLatin1()));
        m_stages->restore(state["stages"].toObject());
        return;
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
    if (QDockWidget* bottom = first.value(DockArea::bottom))
        resizeDocks({bottom}, {bottomHeight(mode, height())}, Qt::Vertical);
    if (QDockWidget* right = first.value(DockArea::right))
        resizeDocks({right}, {std::max(200, width() / 7)}, Qt::Horizontal);
    m_stages->restore(StageArea::of(firstPanes(mode)));
    shareWidth();
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
        if (state["mode"] == modeName(mode))
            m_mode = mode;
    }
    if (m_onPage)
        m_behindPage = m_layouts.value(m_mode);
    else
        apply(m_mode, m_layouts.value(m_mode));
    m_modes->setMode(m_mode);
}

} // namespace hidet::ui
