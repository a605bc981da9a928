// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/script_graph.h"

#include <QApplication>
#include <QSignalBlocker>

#include "app/ui/widgets/parts.h"

namespace hidet::ui {

ScriptGraph::ScriptGraph(Studio& studio, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_parts(new BarParts(studio.themes, this)), m_notice(new ElidedLabel(this)) {
    setObjectName("scriptGraph");
    m_notice->setObjectName("scriptGraph.notice");
    m_notice->setProperty("muted", true);
    m_notice->hide();
    m_column = newColumn(this, {makeBar(), newRow({8, 0, 8, 0}, -1, {m_notice})});
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { followKeyboard(now); });
    connect(&studio.scripts, &LiveScripts::caretMoved, this, [this](Document* document, int offset) {
        if (m_model && m_studio.tabs.current() == document)
            followCaret(*document, offset);
    });
}

QWidget* ScriptGraph::makeBar() {
    auto* bar = new QWidget(this);
    m_title = m_parts->newLabel();
    m_title->setObjectName("scriptGraph.title");
    m_traced = named(new QComboBox(bar), "scriptGraph.traced", tr("Which graph of the script"));
    m_traced->setToolTip(tr("Which of the graphs that the script traces"));
    QToolButton* whole = m_parts->newButton("graph", tr("Show it alone"),
                                            tr("The graph in the place of the script, with all that is known of it"));
    QToolButton* close = m_parts->newButton("close", tr("Close the graph"), tr("Close the graph"));
    whole->setObjectName("scriptGraph.whole");
    close->setObjectName("scriptGraph.close");
    newRow({8, 2, 4, 2}, 4, {{m_title, 1}, m_traced, whole, close}, bar);
    connect(m_traced, &QComboBox::activated, this, [this](int place) {
        if (m_model)
            m_model->setup().setTraced(place + 1 == m_traced->count() ? 0 : place + 1);
    });
    connect(whole, &QToolButton::clicked, this, [this] {
        if (m_model)
            m_studio.tabs.setCurrent(*m_model);
    });
    connect(close, &QToolButton::clicked, this, &ScriptGraph::closeGraph);
    return bar;
}

void ScriptGraph::closeGraph() {
    if (m_model && m_model->document())
        m_studio.tabs.close(*m_model);
    else if (m_model)
        m_studio.tabs.splitWith(*m_studio.tabs.current(), nullptr);
}

void ScriptGraph::take(GraphPane* pane, LiveModel* model) {
    if (pane == m_pane && model == m_model)
        return;
    giveBack();
    m_pane = pane;
    m_model = model;
    if (pane) {
        m_column->addWidget(pane, 1);
        pane->show();
        connect(model, &LiveModel::stateChanged, this, &ScriptGraph::refresh);
        connect(&model->graphs(), &ModelGraphs::snapshotChanged, this, &ScriptGraph::refresh);
        connect(&model->selection(), &GraphSelection::selectionChanged, this, &ScriptGraph::showSite);
        refresh();
    }
    if (pane)
        emit shownChanged(true);
}

GraphPane* ScriptGraph::giveBack() {
    GraphPane* pane = m_pane;
    if (m_model)
        m_model->unfollow(this);
    if (pane) {
        m_column->removeWidget(pane);
        pane->setParent(nullptr);
    }
    m_pane = nullptr;
    m_model = nullptr;
    m_studio.tabs.setGraphBeside(nullptr);
    if (pane)
        emit shownChanged(false);
    return pane;
}

void ScriptGraph::refresh() {
    if (!m_model)
        return;
    m_title->setText(m_model->title());
    const QString why = m_model->graphs().whyBehind();
    m_notice->setText(tr("Shown as it was: %1").arg(why));
    m_notice->setVisible(!why.isEmpty());
    const session::SnapshotPtr& snapshot = m_model->graphs().snapshot();
    const QSignalBlocker blocker(m_traced);
    m_traced->clear();
    if (snapshot)
        for (const session::Place& place : snapshot->traced)
            m_traced->addItem(tr("Traced in line %1").arg(place.line));
    m_traced->setCurrentIndex((m_model->setup().traced() > 0 ? m_model->setup().traced() : m_traced->count()) - 1);
    m_traced->setVisible(m_traced->count() > 1);
}

// Commands of graphs mean this one while the keyboard is in it.
void ScriptGraph::followKeyboard(const QWidget* now) {
    LiveModel* beside = m_pane && now && m_pane->isAncestorOf(now) ? m_model.data() : nullptr;
    m_studio.tabs.setGraphBeside(beside);
}

// The operator of the line is outlined, as what the mouse is over.
void ScriptGraph::followCaret(const Document& script, int offset) {
    const auto line = int(script.text().left(offset).count('\n')) + 1;
    GraphItem item;
    if (const session::ModelGraph* graph = m_model->graphs().shown(); graph && !m_model->graphs().isBehind())
        for (const auto& node : graph->nodes)
            if (node->site.known() && node->site.line <= line && line <= node->site.end_line &&
                QString::fromStdString(node->site.file) == script.name())
                item = GraphItem::ofNode(node->id);
    m_model->selection().hover(item, this);
}

// What is selected in the graph is outlined in the script and in its panes; Return goes there.
void ScriptGraph::showSite() {
    const session::ModelGraph* graph = m_model ? m_model->graphs().shown() : nullptr;
    const GraphItem& item = m_model->selection().selected();
    const session::GraphNode* node = graph && item.kind == GraphItem::Kind::Node ? graph->node(item.node) : nullptr;
    const bool isKnown = node && node->site.known() && !m_model->graphs().isBehind();
    m_studio.links.setMouse(this, isKnown ? std::optional(node->site) : std::nullopt);
}

} // namespace hidet::ui
