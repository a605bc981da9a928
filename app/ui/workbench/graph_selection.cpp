// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/graph_selection.h"

#include <algorithm>
#include <utility>

#include "app/ui/core/commands.h"

namespace hidet::ui {

namespace {

constexpr qsizetype most_steps_back = 200;

// In any of the graphs: what a pass replaced is still there before it. Groups are the canvas's to know.
bool isIn(const session::ModelSnapshot& snapshot, const GraphItem& item) {
    if (item.kind == GraphItem::Kind::None || item.kind == GraphItem::Kind::Group)
        return true;
    return std::ranges::any_of(snapshot.graphs, [&](const auto& graph) {
        return (item.node == session::no_id || graph->node(item.node)) &&
               (item.value == session::no_id || graph->value(item.value));
    });
}

// The item by its ids now; none: it is gone.
GraphItem carriedItem(const GraphItem& item, const ModelCarry& carried) {
    GraphItem out = item;
    if (item.node != session::no_id)
        out.node = value_in(carried.nodes, item.node, session::no_id);
    if (item.value != session::no_id)
        out.value = value_in(carried.values, item.value, session::no_id);
    const bool isGone = (item.node != session::no_id && out.node == session::no_id) ||
                        (item.value != session::no_id && out.value == session::no_id);
    return isGone ? GraphItem() : out;
}

} // namespace

GraphSelection::GraphSelection(Commands& commands, QObject* parent) : QObject(parent), m_commands(commands) {}

void GraphSelection::setSelected(const GraphItem& item, QObject* origin) {
    m_selected = item;
    if (m_peeked && item != GraphItem::ofNode(m_peeked->node))
        peek({});
    emit selectionChanged(origin);
    m_commands.refresh();
}

void GraphSelection::select(const GraphItem& item, QObject* origin) {
    if (item == m_selected)
        return;
    if (m_selected) {
        m_before << m_selected;
        while (m_before.size() > most_steps_back)
            m_before.removeFirst();
        m_after.clear();
    }
    setSelected(item, origin);
}

void GraphSelection::goTo(const GraphItem& item, QObject* origin) {
    select(item, origin);
    reveal(item);
}

void GraphSelection::reveal(const GraphItem& item) {
    emit revealRequested(item);
}

void GraphSelection::goBack() {
    if (!canGoBack())
        return;
    m_after << m_selected;
    setSelected(m_before.takeLast(), nullptr);
    reveal(m_selected);
}

void GraphSelection::goForward() {
    if (!canGoForward())
        return;
    m_before << m_selected;
    setSelected(m_after.takeLast(), nullptr);
    reveal(m_selected);
}

void GraphSelection::hover(const GraphItem& item, QObject* origin) {
    if (std::exchange(m_hovered, item) != item)
        emit hoverChanged(origin);
}

void GraphSelection::mark(std::optional<QSet<quint32>> nodes) {
    if (nodes == m_marked)
        return;
    m_marked = std::move(nodes);
    emit markedChanged();
    m_commands.refresh();
}

void GraphSelection::peek(std::optional<PeekedCode> code) {
    if (!code && !m_peeked)
        return;
    const auto before = std::exchange(m_peeked, std::move(code));
    emit peekChanged();
}

void GraphSelection::follow(const session::ModelSnapshot& now, const ModelCarry& carried) {
    const GraphItem before = m_selected;
    if (!carried.nodes.empty() || !carried.values.empty())
        carry(carried);
    if (now.is_complete && !isIn(now, m_selected))
        m_selected = {};
    if (m_selected != before)
        emit selectionChanged(this);
}

void GraphSelection::carry(const ModelCarry& carried) {
    for (QList<GraphItem>* items : {&m_before, &m_after}) {
        for (GraphItem& item : *items)
            item = carriedItem(item, carried);
        items->removeAll(GraphItem());
    }
    m_hovered = carriedItem(m_hovered, carried);
    m_selected = carriedItem(m_selected, carried);
    if (!m_marked)
        return;
    QSet<quint32> marked;
    for (const quint32 node : std::as_const(*m_marked))
        if (const quint32 id = value_in(carried.nodes, node, session::no_id); id != session::no_id)
            marked.insert(id);
    mark(std::move(marked));
}

} // namespace hidet::ui
