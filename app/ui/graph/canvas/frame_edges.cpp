// SPDX-License-Identifier: GPL-3.0-only
// Edges, the tags at the ends of those that are cut, and what is said at them.
#include <algorithm>
#include <cmath>

#include "app/ui/graph/canvas/graph_frame.h"
#include "app/ui/graph/canvas/graph_painter.h"
#include "app/ui/graph/canvas/picture_labels.h"

namespace hidet::ui {

bool GraphFrame::isFaint(const PictureEdge& edge) const {
    const BoxStyle *from = styleOf(edge.from), *to = styleOf(edge.to);
    return from && to && (from->isFaint || to->isFaint);
}

void GraphFrame::drawEdges() {
    const bool isFar = m_detail == Detail::Overview;
    EdgeLines plain(m_view, m_bends), faint(m_view, m_bends);
    const double least = isFar ? 3 / m_view.zoom : 0;
    for (quint32 i : m_picture.edgeGrid.touching(m_seen)) {
        const PictureEdge& edge = m_picture.edges[i];
        if (edge.points > 0 && (edge.bounds.height() >= least || edge.bounds.width() >= least))
            (isFaint(edge) ? faint : plain).add(m_picture, edge.first, edge.points, EdgeLines::Which::Own);
    }
    if (!isFar)
        for (quint32 i : m_picture.stubGrid.touching(m_seen))
            plain.add(m_picture, m_picture.stubs[i].first, m_picture.stubs[i].points, EdgeLines::Which::Own);
    m_painter.setRenderHint(QPainter::Antialiasing, !isFar);
    faint.draw(m_painter, QPen(m_colors.faint(m_colors.edge()), m_hair));
    plain.draw(m_painter, QPen(m_colors.edge(), m_hair));
    m_painter.setRenderHint(QPainter::Antialiasing, false);
}

bool GraphFrame::isOfSelection(quint32 id) const {
    const PictureEdge& edge = m_picture.edges[id];
    const GraphItem& item = m_scene.selected;
    if (item.kind == GraphItem::Kind::Edge)
        return edge.value == item.value && (edge.consumer == item.node || m_strongConsumer == edge.to);
    return m_strongBox == edge.from || m_strongBox == edge.to;
}

void GraphFrame::drawStrongEdges() {
    m_strongBox = boxOfItem(m_picture, m_scene.selected);
    m_strongConsumer = no_box;
    if (m_scene.selected.kind == GraphItem::Kind::Edge)
        if (const auto at = m_picture.boxOfNode.find(m_scene.selected.node); at != m_picture.boxOfNode.end())
            m_strongConsumer = at->second;
    EdgeLines path(m_view, m_bends), own(m_view, m_bends), hovered(m_view, m_bends);
    for (quint32 i : m_picture.edgeGrid.touching(m_seen)) {
        const PictureEdge& edge = m_picture.edges[i];
        if (m_scene.selected && isOfSelection(i))
            own.add(m_picture, edge.first, edge.points, EdgeLines::Which::All);
        else if (m_scene.strongEdges && m_scene.strongEdges->contains(i))
            path.add(m_picture, edge.first, edge.points, EdgeLines::Which::All);
        if (m_scene.hovered.kind == GraphItem::Kind::Edge && edge.value == m_scene.hovered.value)
            hovered.add(m_picture, edge.first, edge.points, EdgeLines::Which::All);
    }
    for (quint32 i : m_picture.stubGrid.touching(m_seen)) {
        const PictureStub& stub = m_picture.stubs[i];
        if (stub.box == m_strongBox && stub.box != no_box)
            own.add(m_picture, stub.first, stub.points, EdgeLines::Which::All);
    }
    m_painter.setRenderHint(QPainter::Antialiasing, true);
    path.draw(m_painter, QPen(mixed(m_theme.accent, m_colors.canvas(), 0.25), 1.5));
    hovered.draw(m_painter, QPen(m_theme.accent, 1.25));
    own.draw(m_painter, QPen(m_theme.accent, 2));
    m_painter.setRenderHint(QPainter::Antialiasing, false);
}

void GraphFrame::drawStubs() {
    for (quint32 i : m_picture.stubGrid.touching(m_seen)) {
        const PictureStub& stub = m_picture.stubs[i];
        const QRectF rect = onScreen(stub.rect);
        if (m_detail != Detail::Full) {
            m_painter.fillRect(rect, m_colors.faint(m_colors.edge()));
            continue;
        }
        m_painter.setBrush(m_theme.panel);
        m_painter.setPen(QPen(m_colors.edge(), 1, Qt::DashLine));
        m_painter.drawRect(rect.adjusted(0, 0, -1, -1));
        drawText(rect.adjusted(4, 0, -4, 0), Qt::AlignHCenter, stub.text, m_detailFont, m_theme.muted);
    }
}

void GraphFrame::drawLabels() {
    if (m_detail != Detail::Full)
        return;
    for (quint32 i : m_picture.labelGrid.touching(m_seen)) {
        const PictureLabel& label = m_picture.labels[i];
        const auto group = m_picture.groupOfKey.find(m_picture.boxes->drawn.groups[label.level].key);
        const QColor behind =
            group == m_picture.groupOfKey.end() ? m_colors.canvas() : hullOf(m_picture.groups[group->second]);
        drawText(onScreen(label.rect).adjusted(0, 0, 2, 0), Qt::AlignLeft, label.text, m_detailFont,
                 m_colors.muted(behind));
    }
}

// A ring with two bars that do not meet: these two are not one kernel.
void GraphFrame::drawSigns() {
    if (!m_scene.showsBlockers)
        return;
    m_painter.setRenderHint(QPainter::Antialiasing, true);
    const double r = GraphPainter::sign_radius * std::min(m_view.zoom, 1.2);
    for (quint32 i : m_picture.edgeGrid.touching(m_seen)) {
        const PictureEdge& edge = m_picture.edges[i];
        if (edge.blocker == no_blocker || edge.points == 0)
            continue;
        const QPointF at = m_view.toScreen(GraphPainter::signOf(m_picture, edge));
        m_painter.setBrush(m_theme.panel);
        m_painter.setPen(QPen(m_theme.warning, 1.5));
        m_painter.drawEllipse(at, r, r);
        m_painter.drawLine(at + QPointF(-r / 2, -r / 4), at + QPointF(r / 2, -r / 4));
        m_painter.drawLine(at + QPointF(-r / 2, r / 3), at + QPointF(r / 2, r / 3));
    }
    m_painter.setRenderHint(QPainter::Antialiasing, false);
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
