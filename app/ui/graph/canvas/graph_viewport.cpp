// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_viewport.h"

#include <algorithm>
#include <cmath>

#include "app/ui/graph/canvas/graph_walk.h"

namespace hidet::ui {

namespace {

constexpr double margin = 24; // around all, and around what is brought into view
constexpr double most_zoom = 4;
constexpr double readable_zoom = 0.6; // the first look at what does not fit

} // namespace

double GraphViewport::leastZoom() const {
    if (!m_picture || m_picture->bounds.isEmpty())
        return 0.05;
    return std::clamp(zoomOf(m_picture->bounds) * 0.8, 0.0005, 0.25);
}

double GraphViewport::zoomOf(const QRectF& rect) const {
    const QSizeF room = m_view.size - QSizeF(2 * margin, 2 * margin);
    return std::min(room.width() / std::max(1.0, rect.width()), room.height() / std::max(1.0, rect.height()));
}

void GraphViewport::lookAt(const QRectF& rect, double most) {
    GraphView view = m_view;
    view.zoom = std::clamp(zoomOf(rect), leastZoom(), most);
    view.center(rect.center());
    setViewByUser(view);
}

void GraphViewport::setViewByUser(const GraphView& view) {
    m_wasMoved = true;
    setView(view);
}

void GraphViewport::setView(const GraphView& view) {
    m_view = view;
    m_view.size = m_canvas.size();
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
    emit changed();
}

void GraphViewport::resize() {
    const double middle = m_view.seen().center().x();
    m_view.size = m_canvas.size();
    if (!m_wasMoved)
        firstLook();
    else
        m_view.origin.setX(middle - m_view.seen().width() / 2);
    emit changed();
}

// All of it if that can be read; of a tall model the top, and the minimap has the rest.
void GraphViewport::firstLook() {
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

void GraphViewport::fit() {
    if (m_picture)
        lookAt(m_picture->bounds, 1);
}

bool GraphViewport::fitItem(const GraphItem& item) {
    const QRectF rect = rectOf(item);
    if (rect.isEmpty())
        return false;
    lookAt(rect, 1.5);
    return true;
}

void GraphViewport::actualSize(const GraphItem& around) {
    const QRectF rect = rectOf(around);
    const QPointF at = m_view.toScreen(rect.center());
    const bool isSeen = !rect.isEmpty() && QRectF(m_canvas.rect()).contains(at);
    zoomTo(1, isSeen ? at : center());
}

void GraphViewport::show(const GraphItem& item) {
    QRectF rect = rectOf(item);
    if (rect.isEmpty())
        return;
    GraphView view = m_view;
    // From too far away its name could not be read.
    if (detailAt(view.zoom) == Detail::Overview && item.kind != GraphItem::Kind::Group)
        view.zoom = 1;
    const QSizeF shown = m_view.size / view.zoom;
    if (view.zoom != m_view.zoom)
        view.center(rect.center());
    // Of what is larger than the view the beginning.
    const double away = margin / view.zoom;
    rect.setSize(rect.size().boundedTo(shown - QSizeF(2 * away, 2 * away)));
    const QRectF seen = QRectF(view.origin, shown).adjusted(away, away, -away, -away);
    if (seen.contains(rect) && view.zoom == m_view.zoom)
        return;
    const auto along = [](double least, double most, double from, double to) {
        return from < least ? from - least : to > most ? to - most : 0.0;
    };
    QPointF by(along(seen.left(), seen.right(), rect.left(), rect.right()),
               along(seen.top(), seen.bottom(), rect.top(), rect.bottom()));
    // What is far away comes into the middle.
    if (std::abs(by.x()) > shown.width() || std::abs(by.y()) > shown.height())
        by = rect.center() - seen.center();
    view.origin += by;
    setViewByUser(view);
}

void GraphViewport::zoomTo(double zoom, QPointF at) {
    GraphView view = m_view;
    const QPointF stays = m_view.toPicture(at);
    view.zoom = std::clamp(zoom, leastZoom(), most_zoom);
    view.origin = stays - at / view.zoom;
    setViewByUser(view);
}

void GraphViewport::moveTo(QPointF origin) {
    GraphView view = m_view;
    view.origin = origin;
    setViewByUser(view);
}

void GraphViewport::shift(QPointF by) {
    m_view.origin += by;
    emit changed();
}

} // namespace hidet::ui
