// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/graph_area.h"

#include <algorithm>

#include "app/ui/graph/compare/compare_host.h"
#include "app/ui/graph/script_graph.h"
#include "app/ui/workbench/graph_marks.h"
#include "app/ui/workbench/model_numbers.h"

namespace hidet::ui {

GraphArea::GraphArea(Studio& studio, QWidget* parent)
    : QStackedWidget(parent), m_studio(studio),
      m_comparison(new CompareHost(studio, *this, [this](const LiveModel& model) { return paneOf(model); })),
      m_beside(new ScriptGraph(studio)) {
    setObjectName("graphs");
    connect(&studio.tabs, &OpenTabs::modelAdded, this, [this](LiveModel* model) {
        auto* pane = new GraphPane(m_studio, *model, this);
        m_panes[model] = pane;
        addWidget(pane);
        showBeside();
    });
    connect(&studio.tabs, &OpenTabs::modelClosing, this, [this](LiveModel* model) {
        if (m_beside->model() == model)
            m_beside->take(nullptr, nullptr);
        delete m_panes.take(model);
    });
    connect(&studio.tabs, &OpenTabs::currentChanged, this, &GraphArea::showCurrent);
    connect(&studio.tabs, &OpenTabs::besideChanged, this, &GraphArea::showBeside);
    connect(m_comparison, &CompareHost::changed, this, &GraphArea::showCurrent);
    connect(&studio.requests, &ViewRequests::editorRequested, this, [this] {
        if (current())
            current()->setFocus();
    });
    bindCommands();
    bindMarks();
    bindNumbers();
    bindPasses();
    bindScripts();
}

GraphPane* GraphArea::current() const {
    return m_studio.tabs.model() ? m_panes.value(m_studio.tabs.model()) : nullptr;
}

// The graph of the script in front stands beside it, unless it is being compared.
void GraphArea::showBeside() {
    LiveModel* model = m_studio.tabs.modelOf(m_studio.tabs.current());
    if (model && m_comparison->viewOf(model))
        model = nullptr;
    if (m_beside->model() && m_beside->model() != model)
        if (GraphPane* pane = m_beside->giveBack())
            addWidget(pane);
    if (GraphPane* pane = model ? m_panes.value(model) : nullptr) {
        removeWidget(pane);
        m_beside->take(pane, model);
    } else {
        m_beside->take(nullptr, nullptr);
    }
}

void GraphArea::showCurrent() {
    showBeside();
    if (!current())
        return;
    QWidget* compared = m_comparison->viewOf(m_studio.tabs.model());
    setCurrentWidget(compared ? compared : current());
    current()->setFocus();
}

void GraphArea::bindCommands() {
    const auto some = [this] { return m_studio.tabs.model() != nullptr; };
    // Of a model in front that says so.
    const auto can = [this](auto says) {
        return [this, says] { return m_studio.tabs.model() && says(*m_studio.tabs.model()); };
    };
    m_studio.commands.bind(this, {{Command::FileClose, [this] { m_studio.tabs.close(*m_studio.tabs.model()); }, some},
                                  {Command::FileReload, [this] { m_studio.tabs.model()->setup().outdate(); }, some},
                                  {Command::GoBack, [this] { m_studio.tabs.model()->selection().goBack(); },
                                   can([](LiveModel& model) { return model.selection().canGoBack(); })},
                                  {Command::GoForward, [this] { m_studio.tabs.model()->selection().goForward(); },
                                   can([](LiveModel& model) { return model.selection().canGoForward(); })},
                                  {Command::EditUndo, [this] { m_studio.tabs.model()->setup().undo().undo(); },
                                   can([](LiveModel& model) { return model.setup().undo().canUndo(); })},
                                  {Command::EditRedo, [this] { m_studio.tabs.model()->setup().undo().redo(); },
                                   can([](LiveModel& model) { return model.setup().undo().canRedo(); })}});
}

void GraphArea::bindMarks() {
    Commands& commands = m_studio.commands;
    const auto node = [this] {
        const LiveModel* model = m_studio.tabs.model();
        return model && model->selection().selected().kind == GraphItem::Kind::Node ? model->selection().selected().node
                                                                                    : session::no_id;
    };
    const auto hasNode = [node] { return node() != session::no_id; };
    commands.bind(
        Command::GraphBookmark, this, [this, node] { m_studio.tabs.model()->marks().toggleBookmark(node()); }, hasNode);
    commands.bind(
        Command::GraphDeleteNote, this, [this, node] { m_studio.tabs.model()->marks().setNote(node(), {}); },
        [this, node] {
            const GraphMark* mark = node() == session::no_id ? nullptr : m_studio.tabs.model()->marks().of(node());
            return mark && !mark->note.isEmpty();
        });
    for (const auto& [command, by] : {std::pair{Command::GraphNextBookmark, 1}, {Command::GraphPreviousBookmark, -1}})
        commands.bind(
            command, this,
            [this, way = by] {
                GraphMarks& marks = m_studio.tabs.model()->marks();
                if (const qsizetype next = marks.next(way); next >= 0)
                    marks.go(next);
            },
            [this] {
                const LiveModel* model = m_studio.tabs.model();
                return model && std::ranges::any_of(model->marks().all(), &GraphMark::isBookmark);
            });
}

void GraphArea::bindNumbers() {
    m_studio.commands.bind(
        Command::GraphNumbers, this,
        [this] {
            LiveModel& model = *m_studio.tabs.model();
            const QString from = model.numbers().path().isEmpty() ? model.folder() : model.numbers().path();
            const QStringList chosen = m_studio.dialogs.open(window(), tr("Colour by numbers from a file"), from,
                                                             tr("Numbers (*.csv *.tsv *.json *.txt)"));
            if (chosen.isEmpty())
                return;
            model.numbers().choose(chosen.first());
            model.display().setOverlay(session::OverlayKind::Numbers);
        },
        [this] { return m_studio.tabs.model() != nullptr; });
    m_studio.commands.bind(
        Command::GraphNoNumbers, this,
        [this] {
            LiveModel& model = *m_studio.tabs.model();
            model.numbers().choose({});
            if (model.display().overlay() == session::OverlayKind::Numbers)
                model.display().setOverlay(session::OverlayKind::Family);
        },
        [this] { return m_studio.tabs.model() && !m_studio.tabs.model()->numbers().path().isEmpty(); });
}

// Of a script that defines operators of an open model that model, else the graph that it traces itself.
void GraphArea::showGraphOf(Document& script) {
    for (LiveModel* model : m_studio.tabs.models())
        if (!script.path().isEmpty() && model->setup().scripts().contains(script.path()))
            return m_studio.tabs.splitWith(script, model);
    m_studio.tabs.openModelOf(script);
}

// One command for both ways: from a script to its graph beside it, and away again; from the graph back to the script.
void GraphArea::bindScripts() {
    m_studio.commands.bind(
        Command::GraphOfScript, this,
        [this] {
            if (LiveModel* model = m_studio.tabs.model())
                return m_studio.tabs.setCurrent(model->document());
            if (m_beside->model())
                return m_beside->closeGraph();
            showGraphOf(*m_studio.tabs.current());
        },
        [this] {
            const LiveModel* model = m_studio.tabs.model();
            return model ? model->document() != nullptr
                         : m_studio.tabs.current() && m_studio.tabs.current()->isScript();
        });
}

// The slider over passes, by the commands that step through the passes of a script.
void GraphArea::bindPasses() {
    for (const auto& [command, step] : {std::pair(Command::PassesNext, 1),
                                        {Command::PassesPrevious, -1},
                                        {Command::PassesNextChanged, 1},
                                        {Command::PassesPreviousChanged, -1}})
        m_studio.commands.bind(
            command, this,
            [this, by = step] {
                m_studio.tabs.model()->graphs().setShown(m_studio.tabs.model()->graphs().shownNumber() + by);
            },
            [this, by = step] {
                const LiveModel* model = m_studio.tabs.model();
                const int next = model ? model->graphs().shownNumber() + by : -1;
                return model && model->graphs().shown() && next >= 0 &&
                       next < static_cast<int>(model->graphs().snapshot()->graphs.size());
            });
}

} // namespace hidet::ui
