// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/compare/compare_host.h"

#include <QMenu>
#include <QStackedWidget>

#include "app/ui/core/mnemonics.h"
#include "app/ui/graph/runs/model_runs.h"

namespace hidet::ui {

CompareHost::CompareHost(Studio& studio, QStackedWidget& area, Panes panes)
    : QObject(&area), m_studio(studio), m_area(area), m_panes(std::move(panes)), m_menu(new QMenu(&area)) {
    m_menu->setObjectName("compare.choose");
    connect(&studio.tabs, &OpenTabs::modelClosing, this, [this](LiveModel* model) {
        if (viewOf(model))
            end();
    });
    connect(studio.modelRuns, &ModelRuns::comparisonRequested, this, &CompareHost::startWithKept);
    bindCommands();
}

ModelCompare* CompareHost::viewOf(const LiveModel* model) const {
    return m_view && model && m_view->pair().has(model) ? m_view : nullptr;
}

void CompareHost::bindCommands() {
    const auto hasModel = [this] { return m_studio.tabs.model() != nullptr; };
    const auto canStep = [this] {
        const ModelCompare* view = viewOf(m_studio.tabs.model());
        return view && view->canStep();
    };
    m_studio.commands.bind(
        this, {{Command::ModelReference, [this] { viewOf(m_studio.tabs.model()) ? end() : choose(); }, hasModel},
               {Command::PaneNextChange, [this] { m_view->step(1); }, canStep},
               {Command::PanePreviousChange, [this] { m_view->step(-1); }, canStep}});
}

// Other models that are open, or a file.
void CompareHost::choose() {
    m_menu->clear();
    for (LiveModel* other : m_studio.tabs.models())
        if (other != m_studio.tabs.model())
            connect(m_menu->addAction(withoutMnemonics(other->title())), &QAction::triggered, this,
                    [this, path = other->path()] { startWith(path); });
    if (m_menu->isEmpty())
        return askForFile();
    m_menu->addSeparator();
    connect(m_menu->addAction(tr("Another file...")), &QAction::triggered, this, &CompareHost::askForFile);
    m_menu->setActiveAction(m_menu->actions().first());
    m_menu->popup(m_area.mapToGlobal(QPoint(m_area.width() / 2 - m_menu->sizeHint().width() / 2, 48)));
}

void CompareHost::askForFile() {
    const LiveModel* model = m_studio.tabs.model();
    if (!model)
        return;
    const QStringList paths = m_studio.dialogs.open(m_area.window(), tr("Compare with another model"), model->folder(),
                                                    tr("Models (*.onnx *.hidet *.json)"));
    if (!paths.isEmpty())
        startWith(paths.first());
}

// A model that is compared has a tab of its own: it can be run, and its choices changed.
void CompareHost::startWith(const QString& path) {
    LiveModel* left = m_studio.tabs.model();
    if (!left)
        return;
    if (!m_studio.tabs.openFile(path))
        return;
    LiveModel* right = m_studio.tabs.model();
    if (right && right != left)
        return start(*left, *right);
    m_studio.tabs.setCurrent(*left);
    m_studio.notices.showStatus(right ? tr("%1 is the model itself").arg(left->title()) : tr("Not a model file"));
}

// What was is at the left, what is at the right.
void CompareHost::startWithKept(LiveModel* model, const session::ModelRecord& run, const QString& path) {
    LiveModel* kept = m_studio.tabs.openKept(path, run);
    if (kept == model)
        return;
    start(*kept, *model);
    m_studio.tabs.setCurrent(*model);
    m_view->showKernels();
}

void CompareHost::start(LiveModel& left, LiveModel& right) {
    end();
    GraphPane *leftPane = m_panes(left), *rightPane = m_panes(right);
    if (!leftPane || !rightPane || &left == &right)
        return;
    m_area.removeWidget(leftPane);
    m_area.removeWidget(rightPane);
    m_view = new ModelCompare(m_studio, left, *leftPane, right, *rightPane, &m_area);
    connect(m_view, &ModelCompare::closeRequested, this, &CompareHost::end);
    m_area.addWidget(m_view);
    // From a table Esc goes to the graph, as from anywhere; from the graph it ends the comparison. Bound after all that the
    // window binds.
    m_studio.commands.bind(
        Command::PaneEditor, m_view, [this] { end(); },
        [this, view = m_view] { return viewOf(m_studio.tabs.model()) == view && view->hasKeyboard(); });
    m_studio.tabs.setCurrent(left);
    emit changed();
    m_studio.commands.refresh();
}

void CompareHost::end() {
    ModelCompare* view = std::exchange(m_view, nullptr);
    if (!view)
        return;
    for (GraphPane* pane : view->giveBack())
        m_area.addWidget(pane);
    m_area.removeWidget(view);
    view->deleteLater();
    delete &view->pair(); // the colours go at once
    emit changed();
    m_studio.commands.refresh();
}

} // namespace hidet::ui
