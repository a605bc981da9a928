// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/graph_area.h"

#include "app/ui/graph/compare/compare_host.h"

namespace hidet::ui {

GraphArea::GraphArea(Studio& studio, QWidget* parent)
    : QStackedWidget(parent), m_studio(studio),
      m_comparison(new CompareHost(studio, *this, [this](const LiveModel& model) { return paneOf(model); })) {
    setObjectName("graphs");
    connect(&studio, &Studio::modelAdded, this, [this](LiveModel* model) {
        auto* pane = new GraphPane(m_studio, *model, this);
        m_panes[model] = pane;
        addWidget(pane);
    });
    connect(&studio, &Studio::modelClosing, this, [this](LiveModel* model) { delete m_panes.take(model); });
    connect(&studio, &Studio::currentChanged, this, &GraphArea::showCurrent);
    connect(m_comparison, &CompareHost::changed, this, &GraphArea::showCurrent);
    connect(&studio, &Studio::editorRequested, this, [this] {
        if (current())
            current()->setFocus();
    });
    bindCommands();
    bindPasses();
}

GraphPane* GraphArea::current() const {
    return m_studio.model() ? m_panes.value(m_studio.model()) : nullptr;
}

void GraphArea::showCurrent() {
    if (!current())
        return;
    QWidget* compared = m_comparison->viewOf(m_studio.model());
    setCurrentWidget(compared ? compared : current());
    current()->setFocus();
}

void GraphArea::bindCommands() {
    Commands& commands = m_studio.commands;
    auto some = [this] { return m_studio.model() != nullptr; };
    commands.bind(
        Command::FileClose, this, [this] { m_studio.close(*m_studio.model()); }, some);
    commands.bind(
        Command::FileReload, this, [this] { m_studio.model()->reload(); }, some);
    commands.bind(
        Command::GoBack, this, [this] { m_studio.model()->goBack(); },
        [this] { return m_studio.model() && m_studio.model()->canGoBack(); });
    commands.bind(
        Command::GoForward, this, [this] { m_studio.model()->goForward(); },
        [this] { return m_studio.model() && m_studio.model()->canGoForward(); });
    commands.bind(
        Command::EditUndo, this, [this] { m_studio.model()->undo().undo(); },
        [this] { return m_studio.model() && m_studio.model()->undo().canUndo(); });
    commands.bind(
        Command::EditRedo, this, [this] { m_studio.model()->undo().redo(); },
        [this] { return m_studio.model() && m_studio.model()->undo().canRedo(); });
    commands.bind(
        Command::GraphBookmark, this, [this] { m_studio.model()->toggleBookmark(m_studio.model()->selected()); },
        [this] { return m_studio.model() && m_studio.model()->selected(); });
    commands.bind(
        Command::GraphNextBookmark, this,
        [this] {
            LiveModel& model = *m_studio.model();
            const QList<GraphItem>& marks = model.bookmarks();
            const GraphItem next = marks[(marks.indexOf(model.selected()) + 1) % marks.size()];
            model.select(next);
            model.reveal(next);
        },
        [this] { return m_studio.model() && !m_studio.model()->bookmarks().isEmpty(); });
}

// The slider over passes, by the commands that step through the passes of a script.
void GraphArea::bindPasses() {
    struct Step {
        Command command;
        int by;
    };
    for (const Step& step : {Step{Command::PassesNext, 1}, Step{Command::PassesPrevious, -1},
                             Step{Command::PassesNextChanged, 1}, Step{Command::PassesPreviousChanged, -1}})
        m_studio.commands.bind(
            step.command, this, [this, by = step.by] { m_studio.model()->setShown(m_studio.model()->shown() + by); },
            [this, by = step.by] {
                const LiveModel* model = m_studio.model();
                const int next = model ? model->shown() + by : -1;
                return model && model->graph() && next >= 0 &&
                       next < static_cast<int>(model->snapshot()->graphs.size());
            });
}

} // namespace hidet::ui
