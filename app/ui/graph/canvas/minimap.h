// SPDX-License-Identifier: GPL-3.0-only
// The whole picture in a corner of the canvas, with what is seen of it. Dragging moves the view. It is not there while all is
// seen, and goes to another corner when it would cover what is selected.
#pragma once

#include <QPixmap>
#include <QWidget>

#include "app/ui/graph/canvas/graph_canvas.h"

namespace hidet::ui {

class Minimap : public QWidget {
    Q_OBJECT
public:
    explicit Minimap(GraphCanvas& canvas, ThemeSource& themes);

    void setWanted(bool wanted);
    bool isWanted() const { return m_isWanted; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void redraw(); // another picture, or other colours
    void place();
    void moveTo(QPointF at);
    QRectF toMap(const QRectF& rect) const;

    GraphCanvas& m_canvas;
    ThemeSource& m_themes;
    QPixmap m_map;
    double m_scaleX = 1, m_scaleY = 1;
    bool m_isWanted = true, m_isOld = true;
};

} // namespace hidet::ui
