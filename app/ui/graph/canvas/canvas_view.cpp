// SPDX-License-Identifier: GPL-3.0-only
// Which part of the picture a canvas shows, and how large.
#include <algorithm>

#include "app/ui/graph/canvas/graph_canvas.h"

namespace hidet::ui {

namespace {

constexpr double most_zoom = 4;
constexpr double readable_zoom = 0.6; // the first look at what does not fit

} // namespace

double GraphCanvas::leastZoom() const {
    if (!m_picture || m_picture->bounds.isEmpty())
        return 0.05;
    return std::clamp(zoomOf(m_picture->bounds) * 0.8, 0.0005, 0.25);
}

double GraphCanvas::zoomOf(const QRectF& rect) const {
    const QSizeF room = m_view.size - QSizeF(2 * margin, 2 * margin);
    return std::min(room.width() / std::max(1.0, rect.width()), room.height() / std::max(1.0, rect.height()));
}

void GraphCanvas::lookAt(const QRectF& rect, double most) {
    GraphView view = m_view;
    view.zoom = std::clamp(zoomOf(rect), leastZoom(), most);
    view.center(rect.center());
    setViewByUser(view);
}

void GraphCanvas::setViewByUser(const GraphView& view) {
    m_wasMoved = true;
    setView(view);
}

void GraphCanvas::setView(const GraphView& view) {
    m_view = view;
    m_view.size = size();
    m_view.zoom = std::clamp(view.zoom, leastZoom(), most_zoom);
    if (m_picture) { // a corner of it stays in sight
        const QSizeF room = m_view.size / m_view.zoom;
        const double x = std::min(room.width() / 2, 80 / m_view.zoom),
                     y = std::min(room.height() / 2, 80 / m_view.zoom);
        const QRectF& all = m_picture->bounds;
        m_view.origin.setX(std::clamp(m_view.origin.x(), all.left() - room.width() + x,
                                      std::max(all.left() - room.width() + x, all.right() - x)));
        m_view.origin.setY(std::clamp(m_view.origin.y(), all.top() - room.height() + y,
                                      std::max(all.top() - room.height() + y, all.bottom() - y)));
    }
    update();
    emit viewChanged();
}

// All of it if that can be read; of a tall model the top, and the minimap has the rest.
void GraphCanvas::firstLook() {
    if (!m_picture || m_view.size.isEmpty())
        return;
    const QRectF& all = m_picture->bounds;
    const QSizeF room = m_view.size - QSizeF(2 * margin, 2 * margin);
    GraphView view = m_view;
    view.zoom = std::min(zoomOf(all), 1.0);
    if (view.zoom < readable_zoom)
        view.zoom = std::clamp(room.width() / std::max(1.0, all.width()), readable_zoom, 1.0);
    const QSizeF shown = m_view.size / view.zoom;
    view.center(all.center());
    if (all.height() * view.zoom > room.height())
        view.origin.setY(all.top() - margin / view.zoom);
    if (all.width() * view.zoom > room.width()) { // around the first input
        const GraphItem first = walk(*m_picture, {}, WalkTo::First, {});
        view.origin.setX(std::clamp(rectOfItem(*m_picture, first).center().x() - shown.width() / 2,
                                    all.left() - margin / view.zoom, all.right() + margin / view.zoom - shown.width()));
    }
    setView(view);
}

void GraphCanvas::fit() {
    if (m_picture)
        lookAt(m_picture->bounds, 1);
}

bool GraphCanvas::fitItem(const GraphItem& item) {
    const QRectF rect = m_picture ? rectOfItem(*m_picture, item) : QRectF();
    if (rect.isEmpty())
        return false;
    lookAt(rect, 1.5);
    return true;
}

void GraphCanvas::actualSize() {
    const QRectF selected = m_picture ? rectOfItem(*m_picture, m_model.selection().selected()) : QRectF();
    QPointF at = m_view.toScreen(selected.center());
    if (selected.isEmpty() || !QRectF(rect()).contains(at))
        at = QRectF(rect()).center();
    zoomTo(1, at);
}

void GraphCanvas::zoomTo(double zoom, QPointF at) {
    GraphView view = m_view;
    const QPointF stays = m_view.toPicture(at);
    view.zoom = std::clamp(zoom, leastZoom(), most_zoom);
    view.origin = stays - at / view.zoom;
    setViewByUser(view);
}

void GraphCanvas::moveTo(QPointF origin) {
    GraphView view = m_view;
    view.origin = origin;
    setViewByUser(view);
}

void GraphCanvas::moveBy(QPointF pixels) {
    moveTo(m_view.origin + pixels / m_view.zoom);
}

} // namespace hidet::ui
