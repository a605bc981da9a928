// SPDX-License-Identifier: GPL-3.0-only
// Which part of the picture a canvas shows, and how large.
#pragma once

#include <QWidget>

#include "app/ui/graph/canvas/graph_painter.h"
#include "app/ui/graph/canvas/picture_hits.h"

namespace hidet::ui {

class GraphViewport : public QObject {
    Q_OBJECT
public:
    explicit GraphViewport(QWidget& canvas) : m_canvas(canvas) {}

    const GraphView& view() const { return m_view; }
    void setPicture(const PicturePtr& picture) { m_picture = picture; } // null: none yet
    // The canvas has another size: what was in the middle stays there when a tab beside it opens.
    void resize();
    void shift(QPointF by); // the picture has moved under the view

    void firstLook();
    bool wasMoved() const { return m_wasMoved; } // by the user: the first look is over
    void keep() { m_wasMoved = true; }

    void fit();
    bool fitItem(const GraphItem& item);           // false: it is not in the picture
    void actualSize(const GraphItem& around = {}); // which stays where it is, if it is seen
    void show(const GraphItem& item);              // moves no further than it must
    void zoomTo(double zoom, QPointF at);          // what is there on the screen stays
    void zoomBy(double factor) { zoomTo(m_view.zoom * factor, center()); }
    void moveTo(QPointF origin); // of the picture, at the upper left corner
    void moveBy(QPointF pixels) { moveTo(m_view.origin + pixels / m_view.zoom); }

signals:
    void changed();

private:
    void setView(const GraphView& view);
    void setViewByUser(const GraphView& view);
    void lookAt(const QRectF& rect, double most); // all of it, in the middle, no nearer than that
    double zoomOf(const QRectF& rect) const;      // at which all of it is seen
    double leastZoom() const;
    QRectF rectOf(const GraphItem& item) const { return m_picture ? rectOfItem(*m_picture, item) : QRectF(); }
    QPointF center() const { return QRectF(m_canvas.rect()).center(); }

    QWidget& m_canvas;
    PicturePtr m_picture;
    GraphView m_view;
    bool m_wasMoved = false;
};

} // namespace hidet::ui
