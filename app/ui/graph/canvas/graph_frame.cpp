// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_frame.h"

#include <algorithm>
#include <cmath>

namespace hidet::ui {

namespace {
constexpr double least_hull = 3; // pixels
}

QFont scaled(QFont font, double pixels) {
    // Whole pixels, so that a smooth zoom does not make a font for each frame.
    font.setPixelSize(std::max(1, int(std::round(pixels))));
    return font;
}

double eased(double share) {
    return 1 - std::pow(1 - share, 3);
}

GraphFrame::GraphFrame(PainterTools& tools, QPainter& painter, const GraphScene& scene, const GraphView& view)
    : m_tools(tools), m_painter(painter), m_scene(scene), m_picture(*scene.picture), m_view(view),
      m_colors(tools.colors), m_theme(tools.colors.theme()), m_detail(detailAt(view.zoom)),
      m_seen(view.seen().adjusted(-8, -8, 8, 8)), m_labelFont(scaled(tools.label, pixelsOf(tools.label) * view.zoom)),
      m_detailFont(scaled(tools.detail, pixelsOf(tools.detail) * view.zoom)) {}

void GraphFrame::paint() {
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    m_painter.fillRect(QRectF(QPointF(), m_view.size), m_colors.canvas());
    findVisible();
    drawHulls();
    m_painter.setOpacity(m_scene.motion ? eased(m_scene.motion->progress) : 1);
    drawEdges();
    drawStrongEdges();
    m_painter.setOpacity(1);
    drawHeaders();
    if (m_scene.motion)
        drawGone();
    drawBoxes();
    if (m_detail != Detail::Overview) {
        drawStubs();
        drawLabels();
        drawSigns();
    }
    if (!m_picture.groups.empty() && m_picture.groups.front().header.height() * m_view.zoom < least_header)
        drawGroupNames();
    drawOutlines();
}

const BoxStyle* GraphFrame::styleOf(quint32 box) const {
    return m_scene.style && box < m_scene.style->boxes.size() ? &m_scene.style->boxes[box] : nullptr;
}

QColor GraphFrame::fillOf(quint32 box) const {
    const BoxStyle* style = styleOf(box);
    const QColor fill = style ? style->fill : m_colors.plain();
    return style && style->isFaint ? m_colors.faint(fill) : fill;
}

QColor GraphFrame::textOn(const QColor& fill, bool isFaint, bool isFirst) const {
    const QColor color = isFirst ? m_theme.text : m_colors.muted(fill);
    return isFaint ? mixed(color, fill, 0.55) : color;
}

// Where a box is now: on its way from where it was.
QRectF GraphFrame::rectOf(quint32 box) const {
    const QRectF rect = m_picture.nodes[box].rect;
    if (!m_scene.motion)
        return rect;
    const GraphPicture& before = *m_scene.motion->before;
    const auto was = before.nodeOfKey.find(m_picture.nodes[box].key);
    if (was == before.nodeOfKey.end())
        return rect;
    const QRectF old = before.nodes[was->second].rect.translated(m_scene.motion->shift);
    const double t = eased(m_scene.motion->progress);
    return {old.topLeft() + (rect.topLeft() - old.topLeft()) * t, old.size() + (rect.size() - old.size()) * t};
}

double GraphFrame::opacityOf(quint32 box) const {
    if (!m_scene.motion || m_scene.motion->before->nodeOfKey.contains(m_picture.nodes[box].key))
        return 1;
    return eased(m_scene.motion->progress);
}

void GraphFrame::findVisible() {
    m_boxes = m_picture.nodeGrid.touching(m_seen);
    if (m_scene.motion) {
        const GraphPicture& before = *m_scene.motion->before;
        for (quint32 old : before.nodeGrid.touching(m_seen.translated(-m_scene.motion->shift)))
            if (const auto at = m_picture.nodeOfKey.find(before.nodes[old].key); at != m_picture.nodeOfKey.end())
                m_boxes.push_back(at->second);
        std::sort(m_boxes.begin(), m_boxes.end());
        m_boxes.erase(std::unique(m_boxes.begin(), m_boxes.end()), m_boxes.end());
    }
    const double least = least_hull / m_view.zoom;
    for (quint32 i = 0; i < m_picture.groups.size(); ++i) {
        const QRectF& rect = m_picture.groups[i].rect;
        if (rect.width() >= least && rect.height() >= least && rect.intersects(m_seen))
            m_groups.push_back(i);
    }
}

QRectF GraphFrame::onScreen(const QRectF& rect) const {
    const QRectF at = m_view.toScreen(rect);
    const QPointF from(std::round(at.left()), std::round(at.top()));
    return {from,
            QPointF(std::max(from.x() + 1, std::round(at.right())), std::max(from.y() + 1, std::round(at.bottom())))};
}

// Far sides of large hulls are far outside of what painters like.
QRectF GraphFrame::clipped(const QRectF& rect) const {
    return rect.intersected(QRectF(QPointF(-64, -64), m_view.size + QSizeF(128, 128)));
}

QFont GraphFrame::atLeast(const QFont& font) const {
    return font.pixelSize() >= least_text ? font : scaled(font, least_text);
}

void GraphFrame::drawMarker(QPointF at, bool isOpen, const QColor& color) {
    const double r = 3.5 * std::max(m_view.zoom, 0.6);
    const QPolygonF sign =
        isOpen ? QPolygonF({at + QPointF(-r, -r / 2), at + QPointF(r, -r / 2), at + QPointF(0, r * 0.8)})
               : QPolygonF({at + QPointF(-r / 2, -r), at + QPointF(r * 0.8, 0), at + QPointF(-r / 2, r)});
    fillPolygon(sign, color);
}

void GraphFrame::fillPolygon(const QPolygonF& shape, const QColor& color) {
    m_painter.setRenderHint(QPainter::Antialiasing, true);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(color);
    m_painter.drawPolygon(shape);
    m_painter.setRenderHint(QPainter::Antialiasing, false);
}

void GraphFrame::drawText(const QRectF& room, Qt::Alignment align, const QString& text, const QFont& font,
                          const QColor& color) {
    m_painter.setPen(color);
    m_tools.texts.draw(m_painter, room, align, text, font);
}

} // namespace hidet::ui
