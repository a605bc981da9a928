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

static void findVisible(GraphFrame& frame) {
    frame.boxes = frame.picture.nodeGrid.touching(frame.seen);
    if (frame.scene.motion) {
        const GraphPicture& before = *frame.scene.motion->before;
        for (quint32 old : before.nodeGrid.touching(frame.seen.translated(-frame.scene.motion->shift)))
            if (const auto at = frame.picture.nodeOfKey.find(before.nodes[old].key);
                at != frame.picture.nodeOfKey.end())
                frame.boxes.push_back(at->second);
        std::sort(frame.boxes.begin(), frame.boxes.end());
        frame.boxes.erase(std::unique(frame.boxes.begin(), frame.boxes.end()), frame.boxes.end());
    }
    const double least = least_hull / frame.view.zoom;
    for (quint32 i = 0; i < frame.picture.groups.size(); ++i) {
        const QRectF& rect = frame.picture.groups[i].rect;
        if (rect.width() >= least && rect.height() >= least && rect.intersects(frame.seen))
            frame.groups.push_back(i);
    }
}

GraphFrame::GraphFrame(PainterTools& tools, QPainter& painter, const GraphScene& scene, const GraphView& view)
    : tools(tools), painter(painter), scene(scene), picture(*scene.picture), view(view), colors(tools.colors),
      theme(tools.colors.theme()), detail(detailAt(view.zoom)), seen(view.seen().adjusted(-8, -8, 8, 8)),
      labelFont(scaled(tools.label, pixelsOf(tools.label) * view.zoom)),
      detailFont(scaled(tools.detail, pixelsOf(tools.detail) * view.zoom)) {
    findVisible(*this);
}

void paintFrame(PainterTools& tools, QPainter& painter, const GraphScene& scene, const GraphView& view) {
    const GraphFrame frame(tools, painter, scene, view);
    FrameHulls hulls(frame);
    FrameEdges edges(frame);
    FrameBoxes boxes(frame);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(QPointF(), view.size), frame.colors.canvas());
    hulls.draw();
    painter.setOpacity(scene.motion ? eased(scene.motion->progress) : 1);
    edges.draw();
    edges.drawStrong();
    painter.setOpacity(1);
    hulls.drawHeaders();
    if (scene.motion)
        boxes.drawGone();
    boxes.draw();
    if (frame.detail != Detail::Overview) {
        edges.drawStubs();
        edges.drawLabels();
        edges.drawSigns();
    }
    if (!frame.picture.groups.empty() && frame.picture.groups.front().header.height() * view.zoom < least_header)
        hulls.drawNames();
    boxes.drawOutlines();
}

const BoxStyle* GraphFrame::styleOf(quint32 box) const {
    return scene.style && box < scene.style->boxes.size() ? &scene.style->boxes[box] : nullptr;
}

QColor GraphFrame::fillOf(quint32 box) const {
    const BoxStyle* style = styleOf(box);
    const QColor fill = style ? style->fill : colors.plain();
    return style && style->isFaint ? colors.faint(fill) : fill;
}

QColor GraphFrame::hullOf(const PictureGroup& group) const {
    return group.kernel == session::no_id ? colors.hull(group.depth) : colors.kernelHull(group.kernel);
}

QColor GraphFrame::textOn(const QColor& fill, bool isFaint, bool isFirst) const {
    const QColor color = isFirst ? theme.text : colors.muted(fill);
    return isFaint ? mixed(color, fill, 0.55) : color;
}

// Where a box is now: on its way from where it was.
QRectF GraphFrame::rectOf(quint32 box) const {
    const QRectF rect = picture.nodes[box].rect;
    if (!scene.motion)
        return rect;
    const GraphPicture& before = *scene.motion->before;
    const auto was = before.nodeOfKey.find(picture.nodes[box].key);
    if (was == before.nodeOfKey.end())
        return rect;
    const QRectF old = before.nodes[was->second].rect.translated(scene.motion->shift);
    const double t = eased(scene.motion->progress);
    return {old.topLeft() + (rect.topLeft() - old.topLeft()) * t, old.size() + (rect.size() - old.size()) * t};
}

double GraphFrame::opacityOf(quint32 box) const {
    if (!scene.motion || scene.motion->before->nodeOfKey.contains(picture.nodes[box].key))
        return 1;
    return eased(scene.motion->progress);
}

QRectF GraphFrame::onScreen(const QRectF& rect) const {
    const QRectF at = view.toScreen(rect);
    const QPointF from(std::round(at.left()), std::round(at.top()));
    return {from,
            QPointF(std::max(from.x() + 1, std::round(at.right())), std::max(from.y() + 1, std::round(at.bottom())))};
}

// Far sides of large hulls are far outside of what painters like.
QRectF GraphFrame::clipped(const QRectF& rect) const {
    return rect.intersected(QRectF(QPointF(-64, -64), view.size + QSizeF(128, 128)));
}

QFont GraphFrame::atLeast(const QFont& font) const {
    return font.pixelSize() >= least_text ? font : scaled(font, least_text);
}

void GraphFrame::drawMarker(QPointF at, bool isOpen, const QColor& color) const {
    const double r = 3.5 * std::max(view.zoom, 0.6);
    const QPolygonF sign =
        isOpen ? QPolygonF({at + QPointF(-r, -r / 2), at + QPointF(r, -r / 2), at + QPointF(0, r * 0.8)})
               : QPolygonF({at + QPointF(-r / 2, -r), at + QPointF(r * 0.8, 0), at + QPointF(-r / 2, r)});
    fillPolygon(sign, color);
}

void GraphFrame::fillPolygon(const QPolygonF& shape, const QColor& color) const {
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawPolygon(shape);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void GraphFrame::drawText(const QRectF& room, Qt::Alignment align, const QString& text, const QFont& font,
                          const QColor& color) const {
    painter.setPen(color);
    tools.texts.draw(painter, room, align, text, font);
}

} // namespace hidet::ui
