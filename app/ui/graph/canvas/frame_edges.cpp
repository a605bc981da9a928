// SPDX-License-Identifier: GPL-3.0-only
// Edges, the tags at the ends of those that are cut, and what is said at them.
#include <algorithm>
#include <cmath>

#include "app/ui/graph/canvas/graph_frame.h"
#include "app/ui/graph/canvas/graph_painter.h"
#include "app/ui/graph/canvas/picture_labels.h"

namespace hidet::ui {

bool FrameEdges::isFaint(const PictureEdge& edge) const {
    const BoxStyle *from = m_frame.styleOf(edge.from), *to = m_frame.styleOf(edge.to);
    return from && to && (from->isFaint || to->isFaint);
}

void FrameEdges::draw() {
    const bool isFar = m_frame.detail == Detail::Overview;
    EdgeLines plain(m_frame.view, m_frame.bends), faint(m_frame.view, m_frame.bends);
    const double least = isFar ? 3 / m_frame.view.zoom : 0;
    for (quint32 i : m_frame.picture.edgeGrid.touching(m_frame.seen)) {
        const PictureEdge& edge = m_frame.picture.edges[i];
        if (edge.points > 0 && (edge.bounds.height() >= least || edge.bounds.width() >= least))
            (isFaint(edge) ? faint : plain).add(m_frame.picture, edge.first, edge.points, EdgeLines::Which::Own);
    }
    if (!isFar)
        for (quint32 i : m_frame.picture.stubGrid.touching(m_frame.seen))
            plain.add(m_frame.picture, m_frame.picture.stubs[i].first, m_frame.picture.stubs[i].points,
                      EdgeLines::Which::Own);
    m_frame.painter.setRenderHint(QPainter::Antialiasing, !isFar);
    faint.draw(m_frame.painter, QPen(m_frame.colors.faint(m_frame.colors.edge()), m_frame.hair));
    plain.draw(m_frame.painter, QPen(m_frame.colors.edge(), m_frame.hair));
    m_frame.painter.setRenderHint(QPainter::Antialiasing, false);
}

bool FrameEdges::isOfSelection(quint32 id) const {
    const PictureEdge& edge = m_frame.picture.edges[id];
    const GraphItem& item = m_frame.scene.selected;
    if (item.kind == GraphItem::Kind::Edge)
        return edge.value == item.value && (edge.consumer == item.node || m_strongConsumer == edge.to);
    return m_strongBox == edge.from || m_strongBox == edge.to;
}

void FrameEdges::drawStrong() {
    m_strongBox = boxOfItem(m_frame.picture, m_frame.scene.selected);
    m_strongConsumer = no_box;
    if (m_frame.scene.selected.kind == GraphItem::Kind::Edge)
        if (const auto at = m_frame.picture.boxOfNode.find(m_frame.scene.selected.node);
            at != m_frame.picture.boxOfNode.end())
            m_strongConsumer = at->second;
    EdgeLines path(m_frame.view, m_frame.bends), own(m_frame.view, m_frame.bends), hovered(m_frame.view, m_frame.bends);
    for (quint32 i : m_frame.picture.edgeGrid.touching(m_frame.seen)) {
        const PictureEdge& edge = m_frame.picture.edges[i];
        if (m_frame.scene.selected && isOfSelection(i))
            own.add(m_frame.picture, edge.first, edge.points, EdgeLines::Which::All);
        else if (m_frame.scene.strongEdges && m_frame.scene.strongEdges->contains(i))
            path.add(m_frame.picture, edge.first, edge.points, EdgeLines::Which::All);
        if (m_frame.scene.hovered.kind == GraphItem::Kind::Edge && edge.value == m_frame.scene.hovered.value)
            hovered.add(m_frame.picture, edge.first, edge.points, EdgeLines::Which::All);
    }
    for (quint32 i : m_frame.picture.stubGrid.touching(m_frame.seen)) {
        const PictureStub& stub = m_frame.picture.stubs[i];
        if (stub.box == m_strongBox && stub.box != no_box)
            own.add(m_frame.picture, stub.first, stub.points, EdgeLines::Which::All);
    }
    m_frame.painter.setRenderHint(QPainter::Antialiasing, true);
    path.draw(m_frame.painter, QPen(mixed(m_frame.theme.accent, m_frame.colors.canvas(), 0.25), 1.5));
    hovered.draw(m_frame.painter, QPen(m_frame.theme.accent, 1.25));
    own.draw(m_frame.painter, QPen(m_frame.theme.accent, 2));
    m_frame.painter.setRenderHint(QPainter::Antialiasing, false);
}

void FrameEdges::drawStubs() {
    for (quint32 i : m_frame.picture.stubGrid.touching(m_frame.seen)) {
        const PictureStub& stub = m_frame.picture.stubs[i];
        const QRectF rect = m_frame.onScreen(stub.rect);
        if (m_frame.detail != Detail::Full) {
            m_frame.painter.fillRect(rect, m_frame.colors.faint(m_frame.colors.edge()));
            continue;
        }
        m_frame.painter.setBrush(m_frame.theme.panel);
        m_frame.painter.setPen(QPen(m_frame.colors.edge(), 1, Qt::DashLine));
        m_frame.painter.drawRect(rect.adjusted(0, 0, -1, -1));
        m_frame.drawText(rect.adjusted(4, 0, -4, 0), Qt::AlignHCenter, stub.text, m_frame.detailFont,
                         m_frame.theme.muted);
    }
}

void FrameEdges::drawLabels() {
    if (m_frame.detail != Detail::Full)
        return;
    for (quint32 i : m_frame.picture.labelGrid.touching(m_frame.seen)) {
        const PictureLabel& label = m_frame.picture.labels[i];
        const auto group = m_frame.picture.groupOfKey.find(m_frame.picture.boxes->drawn.groups[label.level].key);
        const QColor behind = group == m_frame.picture.groupOfKey.end()
                                  ? m_frame.colors.canvas()
                                  : m_frame.hullOf(m_frame.picture.groups[group->second]);
        m_frame.drawText(m_frame.onScreen(label.rect).adjusted(0, 0, 2, 0), Qt::AlignLeft, label.text,
                         m_frame.detailFont, m_frame.colors.muted(behind));
    }
}

// A ring with two bars that do not meet: these two are not one kernel.
void FrameEdges::drawSigns() {
    if (!m_frame.scene.showsBlockers)
        return;
    m_frame.painter.setRenderHint(QPainter::Antialiasing, true);
    const double r = GraphPainter::sign_radius * std::min(m_frame.view.zoom, 1.2);
    for (quint32 i : m_frame.picture.edgeGrid.touching(m_frame.seen)) {
        const PictureEdge& edge = m_frame.picture.edges[i];
        if (edge.blocker == session::no_id || edge.points == 0)
            continue;
        const QPointF at = m_frame.view.toScreen(GraphPainter::signOf(m_frame.picture, edge));
        m_frame.painter.setBrush(m_frame.theme.panel);
        m_frame.painter.setPen(QPen(m_frame.theme.warning, 1.5));
        m_frame.painter.drawEllipse(at, r, r);
        m_frame.painter.drawLine(at + QPointF(-r / 2, -r / 4), at + QPointF(r / 2, -r / 4));
        m_frame.painter.drawLine(at + QPointF(-r / 2, r / 3), at + QPointF(r / 2, r / 3));
    }
    m_frame.painter.setRenderHint(QPainter::Antialiasing, false);
}

namespace {
constexpr double least_bend = 3; // pixels: what is smaller is straight

// In the middle of a column of pixels a vertical line is sharp.
QPointF onPixel(QPointF at) {
    return {std::floor(at.x()) + 0.5, at.y()};
}
} // namespace

EdgeLines::EdgeLines(const GraphView& view, Bends bends)
    : m_view(view), m_screen(QPointF(-2, -2), view.size + QSizeF(4, 4)), m_bends(bends) {}

void EdgeLines::add(const GraphPicture& picture, quint32 first, quint32 points, Which which) {
    for (quint32 i = first; i + 1 < first + points; ++i) {
        const quint8 line = picture.lines[i];
        if (line == GraphPicture::NoLine || (which == Which::Own && line == GraphPicture::SharedLine))
            continue;
        const QPointF from = onPixel(m_view.toScreen(picture.points[i]));
        const QPointF to = onPixel(m_view.toScreen(picture.points[i + 1]));
        const double left = std::min(from.x(), to.x()), right = std::max(from.x(), to.x());
        if (right < m_screen.left() || left > m_screen.right() || to.y() < m_screen.top() ||
            from.y() > m_screen.bottom())
            continue;
        if (m_bends == Bends::Straight || right - left < least_bend || to.y() - from.y() < least_bend)
            m_lines.append({from, to});
        else
            addBend(from, to);
    }
}

void EdgeLines::addBend(QPointF from, QPointF to) {
    const double size = std::max(std::abs(to.x() - from.x()), to.y() - from.y());
    const int steps = std::clamp(int(size / 5), 3, 16);
    QPointF last = from;
    for (int i = 1; i <= steps; ++i) {
        const QPointF next = i == steps ? to : bentAt(from, to, double(i) / steps);
        m_lines.append({last, next});
        last = next;
    }
}

void EdgeLines::draw(QPainter& painter, const QPen& pen) {
    if (m_lines.isEmpty())
        return;
    painter.setPen(pen);
    painter.drawLines(m_lines);
    m_lines.clear();
}

} // namespace hidet::ui
