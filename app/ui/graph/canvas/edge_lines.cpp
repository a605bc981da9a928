// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/edge_lines.h"

#include <algorithm>
#include <cmath>

#include "app/ui/graph/canvas/graph_painter.h"
#include "app/ui/graph/canvas/picture_labels.h"

namespace hidet::ui {

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
