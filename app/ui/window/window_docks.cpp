// SPDX-License-Identifier: GPL-3.0-only
// The docks of the window, and the sections of the analysis: how they come, go and get the keyboard.
#include <QApplication>
#include <QTabBar>

#include "app/ui/docks/analysis.h"
#include "app/ui/docks/manual.h"
#include "app/ui/panes/figure_pane.h"
#include "app/ui/window/graph_tabs.h"
#include "app/ui/window/main_window.h"
#include "app/ui/window/quiet_docks.h"

namespace hidet::ui {

constexpr int least_dock_height = 64; // what does not fit scrolls

// A dock in a tab has its name there, and needs no second one.
void MainWindow::showDockTitles() {
    for (QTabBar* bar : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) { // Qt's own, of the docks
        bar->setElideMode(Qt::ElideNone);
        bar->setUsesScrollButtons(true);
    }
    for (QDockWidget* dock : std::as_const(m_docks)) {
        const QList<QDockWidget*> beside = tabifiedDockWidgets(dock);
        const bool tabbed =
            !dock->isFloating() && std::any_of(beside.begin(), beside.end(), [](const QDockWidget* other) {
                return !other->isHidden(); // else there is no bar of tabs
            });
        if (tabbed == (dock->titleBarWidget() != nullptr))
            continue;
        QWidget* before = dock->titleBarWidget();
        dock->setTitleBarWidget(tabbed ? new QWidget(dock) : nullptr);
        delete before;
    }
}

// Of a small window the script needs most.
int MainWindow::bottomHeight() const {
    if (m_mode == Mode::Run)
        return std::max(160, height() * 2 / 5);
    return std::max(96, height() / (height() < 700 ? 6 : 4));
}

// Below the scripts, the first in front; the keyboard stays where it is.
void MainWindow::showQuietly(const QList<QDockWidget*>& docks) {
    for (QDockWidget* dock : docks) // they are tabs of each other since the layout was made
        dock->show();
    docks.first()->raise();
    resizeDocks({docks.first()}, {bottomHeight()}, Qt::Vertical);
}

void MainWindow::makeDocks() {
    m_quiet = new QuietDocks(
        m_studio, *this,
        [this] { return m_mode == Mode::Edit && !m_onPage && m_studio.settings.flag(Setting::QuietDocks); },
        [this](const QList<QDockWidget*>& docks) { showQuietly(docks); });
    for (const DockInfo& info : allDocks()) {
        DockWidget* content = info.make(m_studio);
        content->setMinimumHeight(least_dock_height);
        auto* dock = new QDockWidget(info.title, this);
        dock->setObjectName("dock." + info.id);
        dock->setWidget(content);
        dock->setAccessibleName(info.title);
        content->setAccessibleName(info.title);
        connect(content, &DockWidget::badgeChanged, dock,
                [dock, content, title = info.title] { dock->setWindowTitle(content->withBadge(title)); });
        m_docks[info.id] = dock;
        m_quiet->add(info, *dock);
        for (auto signal : {&QDockWidget::visibilityChanged, &QDockWidget::topLevelChanged})
            connect(dock, signal, this, &MainWindow::showDockTitles, Qt::QueuedConnection);
        m_studio.commands.add("dock." + info.id, "View", info.title, info.help,
                              info.keys.isEmpty() ? QList<QKeySequence>() : QList{QKeySequence::fromString(info.keys)},
                              this, [this, &info] { showDock(info); });
    }
    for (const TabInfo& info : allTabs()) {
        DockWidget* content = m_tabs[info.id] = info.make(m_studio);
        content->setMinimumHeight(least_dock_height);
        content->setAccessibleName(info.title);
        m_studio.commands.add("dock." + info.id, "View", info.title, info.help, {QKeySequence::fromString(info.keys)},
                              this, [this, &info] { showTab(info); });
    }
    for (const SectionInfo& info : allSections())
        m_studio.commands.add("dock." + info.id, "Analysis", tr("Analysis: %1").arg(info.title), info.help, {}, this,
                              [this, &info] { showSection(info.id); });
}

// To the widget, or to what is first in it; false: nothing there takes the keyboard.
bool MainWindow::giveKeyboard(QWidget& widget) {
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

// A dock that is not shown yet and that no mode has a place for becomes a tab of its area, or each would be a narrow column.
// Those of a model are many, too.
void MainWindow::joinTabs(QDockWidget& dock) {
    if (dock.isFloating() || !tabifiedDockWidgets(&dock).isEmpty())
        return;
    for (const DockInfo& info : allDocks()) {
        QDockWidget* other = m_docks.value(info.id);
        if (other != &dock && other->isVisible() && !other->isFloating() &&
            dockWidgetArea(other) == dockWidgetArea(&dock))
            return tabifyDockWidget(other, &dock);
    }
}

// The keyboard goes to the dock; from there the same key hides it.
void MainWindow::showDock(const DockInfo& info) {
    if (m_onPage)
        m_pages->close();
    QDockWidget* dock = m_docks.value(info.id);
    const bool inside = dock->isAncestorOf(QApplication::focusWidget());
    if (dock->isVisible() && inside) {
        m_quiet->userClosed(*dock);
        dock->hide();
        return emit m_studio.requests.editorRequested();
    }
    if (!dock->isVisible() && (m_mode == Mode::Graph || info.modes.isEmpty()))
        joinTabs(*dock);
    m_quiet->userOpened(*dock);
    dock->show();
    dock->raise();
    giveKeyboard(*dock->widget());
}

// Beside a page too: without a script there would be no other place for it.
ManualDock& MainWindow::openManual() {
    QDockWidget* dock = m_docks.value("manual");
    auto* manual = static_cast<ManualDock*>(dock->widget());
    if (!dock->isVisible()) {
        joinTabs(*dock);
        dock->show();
        resizeDocks({dock}, {std::min(manual->sizeHint().width(), width() / 3)}, Qt::Horizontal);
    }
    dock->raise();
    giveKeyboard(*manual);
    return *manual;
}

static bool isSection(const QString& id) {
    return std::ranges::any_of(allSections(), [&](const SectionInfo& info) { return info.id == id; });
}

bool MainWindow::hasFigure(const QString& id) const {
    return m_tabs.contains(id) || isSection(id);
}

Figure MainWindow::figure(const QString& id) {
    if (DockWidget* shared = m_tabs.value(id))
        return {id, shared, true};
    const auto info = std::ranges::find(allSections(), id, &SectionInfo::id);
    if (info == allSections().end() || info->of != SectionOf::script)
        return {};
    DockWidget* content = info->make(m_studio);
    content->setAccessibleName(info->title);
    return {id, content};
}

// As a dock: the keyboard goes there, and the same once more closes it.
void MainWindow::showTab(const TabInfo& info) {
    if (m_onPage)
        m_pages->close();
    const bool isOfGraph = m_studio.tabs.model();
    DockWidget& content = *m_tabs.value(info.id);
    if (!info.fronts.contains(isOfGraph ? 'g' : 's'))
        return m_studio.notices.showStatus(isOfGraph ? tr("%1 is of scripts, and a model is in front").arg(info.title)
                                                     : tr("%1 is of models, and none is in front").arg(info.title));
    if (content.isAncestorOf(QApplication::focusWidget())) {
        isOfGraph ? m_graphTabs->close(content) : m_stages->close(m_stages->figure(info.id));
        return emit m_studio.requests.editorRequested();
    }
    const bool isNew = !isOfGraph && !m_stages->figure(info.id);
    isOfGraph ? m_graphTabs->open(info.id) : (void)m_stages->open(FigurePane::stateOf(info.id));
    if (isNew && info.place == TabPlace::below)
        m_stages->moveToEdge(m_stages->current(), m_stages->groupOf(m_stages->current()), Qt::BottomEdge);
    giveKeyboard(content);
}

AnalysisDock& MainWindow::analysis() const {
    return *static_cast<AnalysisDock*>(m_docks.value("analysis")->widget());
}

// As a dock: the keyboard goes there, and the same once more hides it.
void MainWindow::showSection(const QString& id) {
    if (m_onPage)
        m_pages->close();
    const DockWidget* before = analysis().section();
    QDockWidget* dock = m_docks.value("analysis");
    const bool isInside = dock->isVisible() && before->isAncestorOf(QApplication::focusWidget());
    analysis().showSection(id);
    if (isInside && before == analysis().section()) {
        m_quiet->userClosed(*dock);
        dock->hide();
        return emit m_studio.requests.editorRequested();
    }
    joinTabs(*dock);
    m_quiet->userOpened(*dock);
    dock->show();
    dock->raise();
    giveKeyboard(*analysis().section());
}

QDockWidget* MainWindow::dock(const QString& id) const {
    return m_docks.value(isSection(id) ? "analysis" : id);
}

void MainWindow::openDock(const QString& id) {
    if (isSection(id))
        return showSection(id);
    for (const DockInfo& info : allDocks())
        if (info.id == id && !m_docks.value(id)->isAncestorOf(QApplication::focusWidget())) {
            if (!m_docks.value(id)->isVisible())
                joinTabs(*m_docks.value(id));
            showDock(info);
        }
    for (const TabInfo& info : allTabs())
        if (info.id == id && !m_tabs.value(id)->isAncestorOf(QApplication::focusWidget()))
            showTab(info);
}

} // namespace hidet::ui
