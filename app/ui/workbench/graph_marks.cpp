// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/graph_marks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <QUndoCommand>

#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

class GraphMarks::Step : public QUndoCommand {
public:
    Step(GraphMarks& marks, QList<GraphMark> after, const QString& what)
        : QUndoCommand(what), m_marks(marks), m_before(marks.m_marks), m_after(std::move(after)) {}
    void undo() override { m_marks.set(m_before); }
    void redo() override { m_marks.set(m_after); }

private:
    GraphMarks& m_marks;
    const QList<GraphMark> m_before, m_after;
};

GraphMarks::GraphMarks(LiveModel& model) : QObject(&model), m_model(model) {
    connect(&model.graphs(), &ModelGraphs::shownChanged, this, [this] {
        if (m_marks.isEmpty())
            return;
        locate();
        emit changed();
    });
}

GraphMarks::~GraphMarks() = default;

const session::NodeOrigins* GraphMarks::origins() const {
    const session::SnapshotPtr& snapshot = m_model.graphs().snapshot();
    if (!snapshot || snapshot->graphs.empty())
        return nullptr;
    if (!m_origins || m_origins->snapshot() != snapshot)
        m_origins = std::make_unique<session::NodeOrigins>(snapshot);
    return m_origins.get();
}

void GraphMarks::locate() {
    m_places.clear();
    m_shown.clear();
    const session::NodeOrigins* known = m_marks.isEmpty() ? nullptr : origins();
    for (qsizetype i = 0; i < m_marks.size(); ++i) {
        m_places << (known ? known->find(m_marks[i].anchor, m_model.graphs().shownNumber()) : session::AnchoredNode());
        if (m_places[i].node != session::no_id && m_places[i].graph == m_model.graphs().shownNumber())
            m_shown.insert(m_places[i].node, i);
    }
}

void GraphMarks::set(const QList<GraphMark>& marks) {
    m_marks = marks;
    locate();
    emit changed();
}

void GraphMarks::change(QList<GraphMark> marks, const QString& what) {
    marks.removeIf([](const GraphMark& mark) { return !mark.isBookmark && mark.note.isEmpty(); });
    if (marks != m_marks)
        m_model.setup().undo().push(new Step(*this, std::move(marks), what));
}

qsizetype GraphMarks::indexOf(quint32 node) const {
    if (m_marks.isEmpty())
        return -1;
    if (const auto shown = m_shown.constFind(node); shown != m_shown.constEnd())
        return *shown;
    const session::NodeOrigins* known = origins();
    if (!known)
        return -1;
    const session::NodeAnchor anchor = known->anchor_of(node);
    for (qsizetype i = 0; i < m_marks.size(); ++i)
        if (m_marks[i].anchor == anchor || m_places[i].node == node)
            return i;
    return -1;
}

const GraphMark* GraphMarks::of(quint32 node) const {
    const qsizetype index = indexOf(node);
    return index < 0 ? nullptr : &m_marks[index];
}

qsizetype GraphMarks::made(QList<GraphMark>& marks, quint32 node) const {
    if (const qsizetype known = indexOf(node); known >= 0)
        return known;
    const session::NodeOrigins* known = origins();
    if (!known)
        return -1;
    marks << GraphMark{known->anchor_of(node), false, {}};
    return marks.size() - 1;
}

void GraphMarks::toggleBookmark(quint32 node) {
    QList<GraphMark> marks = m_marks;
    const qsizetype index = made(marks, node);
    if (index < 0)
        return;
    GraphMark& mark = marks[index];
    mark.isBookmark = !mark.isBookmark;
    const QString name = QString::fromStdString(mark.anchor.name);
    change(marks, mark.isBookmark ? tr("bookmark %1").arg(name) : tr("remove the bookmark of %1").arg(name));
}

void GraphMarks::setNote(quint32 node, const QString& note) {
    QList<GraphMark> marks = m_marks;
    const qsizetype index = made(marks, node);
    if (index < 0)
        return;
    marks[index].note = note.trimmed();
    const QString name = QString::fromStdString(marks[index].anchor.name);
    change(marks, marks[index].note.isEmpty() ? tr("delete the note at %1").arg(name) : tr("note at %1").arg(name));
}

void GraphMarks::remove(qsizetype mark) {
    QList<GraphMark> marks = m_marks;
    const QString name = QString::fromStdString(marks.takeAt(mark).anchor.name);
    change(marks, tr("remove what is noted of %1").arg(name));
}

void GraphMarks::restore(const QList<GraphMark>& marks) {
    QList<GraphMark> all = m_marks;
    for (const GraphMark& mark : marks) {
        const bool isKnown =
            std::ranges::any_of(all, [&](const GraphMark& other) { return other.anchor == mark.anchor; });
        if (!isKnown)
            all << mark;
    }
    if (all != m_marks)
        set(all);
}

qsizetype GraphMarks::next(int by) const {
    const session::ModelGraph* graph = m_model.graphs().shown();
    if (!graph)
        return -1;
    // By place in the graph; those of other graphs come behind.
    QHash<quint32, qsizetype> placeOfNode;
    const quint32 selected = m_model.selection().selected().kind == GraphItem::Kind::Node
                                 ? m_model.selection().selected().node
                                 : session::no_id;
    for (std::size_t i = 0; i < graph->nodes.size(); ++i)
        if (const quint32 id = graph->nodes[i]->id; m_shown.contains(id) || id == selected)
            placeOfNode[id] = qsizetype(i);
    std::vector<std::pair<qsizetype, qsizetype>> order; // place, mark
    qsizetype from = by > 0 ? -1 : qsizetype(graph->nodes.size()) + m_marks.size();
    for (qsizetype i = 0; i < m_marks.size(); ++i) {
        if (!m_marks[i].isBookmark || m_places[i].node == session::no_id)
            continue;
        const bool isHere = m_places[i].graph == m_model.graphs().shownNumber();
        order.emplace_back(isHere ? placeOfNode.value(m_places[i].node) : qsizetype(graph->nodes.size()) + i, i);
        if (m_places[i].node == selected)
            from = order.back().first;
    }
    if (order.empty())
        return -1;
    if (placeOfNode.contains(selected))
        from = placeOfNode[selected];
    std::ranges::sort(order);
    if (by > 0) {
        const auto behind = std::ranges::upper_bound(order, from, {}, &std::pair<qsizetype, qsizetype>::first);
        return behind == order.end() ? order.front().second : behind->second;
    }
    const auto at = std::ranges::lower_bound(order, from, {}, &std::pair<qsizetype, qsizetype>::first);
    return at == order.begin() ? order.back().second : std::prev(at)->second;
}

void GraphMarks::go(qsizetype mark) {
    const session::AnchoredNode place = m_places[mark];
    if (place.node == session::no_id)
        return;
    const GraphItem item = GraphItem::ofNode(place.node);
    if (place.graph != m_model.graphs().shownNumber())
        m_model.graphs().setShown(place.graph);
    m_model.selection().select(item);
    m_model.selection().reveal(item);
}

} // namespace hidet::ui
