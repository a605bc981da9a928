// SPDX-License-Identifier: GPL-3.0-only
// The whole picture in a corner of the canvas, with what is seen of it. Dragging moves the view. It is not there while all is
// seen, and goes to another corner when it would cover what is selected.
#pragma once

#include <QMouseEvent>
#include <QPainter>
#include <QPixmap>
#include <QWidget>
#include <algorithm>
#include <unordered_map>

#include "app/ui/graph/canvas/graph_canvas.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

class Minimap : public QWidget {
    Q_OBJECT
public:
    explicit Minimap(GraphCanvas& canvas, ThemeSource& themes) : QWidget(&canvas), m_canvas(canvas), m_themes(themes) {
        named(this, "minimap", tr("Minimap"));
        setCursor(Qt::PointingHandCursor);
        hide();
        connect(&canvas.looks(), &CanvasLooks::changed, this, &Minimap::redraw);
        connect(&canvas.viewport(), &GraphViewport::changed, this, &Minimap::place);
        connect(&canvas.model().selection(), &GraphSelection::selectionChanged, this, &Minimap::place);
    }

    void setWanted(bool wanted) {
        m_isWanted = wanted;
        place();
    }

    bool isWanted() const { return m_isWanted; }

protected:
    void paintEvent(QPaintEvent*) override {
        const GraphPicture* picture = m_canvas.picture().get();
        if (!picture)
            return;
        const Theme& theme = m_themes.theme();
        const qreal ratio = devicePixelRatioF();
        if (m_isOld || m_map.size() != size() * ratio) {
            m_isOld = false;
            m_map = QPixmap(size() * ratio);
            m_map.setDevicePixelRatio(ratio);
            m_map.fill(theme.panel);
            QPainter painter(&m_map);
            const GraphColors& colors = m_canvas.painter().colors();
            painter.setPen(Qt::NoPen);
            for (const PictureGroup& group : picture->groups) {
                painter.setBrush(mixed(theme.panel, theme.text, 0.05 + 0.03 * std::min(group.depth, 4u)));
                painter.drawRect(toMap(group.rect));
            }
            std::unordered_map<QRgb, QList<QRectF>> blocks;
            const GraphStyle& style = m_canvas.looks().style();
            for (std::size_t i = 0; i < picture->nodes.size() && i < style.boxes.size(); ++i) {
                const QColor fill = style.boxes[i].isFaint ? colors.faint(style.boxes[i].fill) : style.boxes[i].fill;
                QRectF at = toMap(picture->nodes[i].rect);
                at.setWidth(std::max(at.width(), 1.0));
                at.setHeight(std::max(at.height(), 1.0));
                blocks[colors.block(fill).rgb()].append(at);
            }
            for (const auto& [color, rects] : blocks) {
                painter.setBrush(QColor(color));
                painter.drawRects(rects);
            }
        }
        QPainter painter(this);
        painter.drawPixmap(0, 0, m_map);
        const QRectF seen = toMap(m_canvas.viewport().view().seen()).intersected(QRectF(rect()).adjusted(1, 1, -1, -1));
        QColor shade = theme.accent;
        shade.setAlphaF(0.14f);
        painter.setBrush(shade);
        painter.setPen(QPen(theme.accent, 1.5));
        painter.drawRect(seen);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.line, 1));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }

    void mousePressEvent(QMouseEvent* event) override {
        if (event->button() == Qt::LeftButton && m_canvas.picture())
            moveTo(event->position());
    }

    void mouseMoveEvent(QMouseEvent* event) override {
        if ((event->buttons() & Qt::LeftButton) && m_canvas.picture())
            moveTo(event->position());
    }

    void wheelEvent(QWheelEvent* event) override {
        const QRectF middle = m_canvas.rect();
        m_canvas.viewport().zoomTo(m_canvas.viewport().view().zoom * (event->angleDelta().y() > 0 ? 1.25 : 0.8),
                                   middle.center());
        event->accept();
    }

private:
    static constexpr double widest = 208, highest = 168, tallest = 360; // of a tall model
    static constexpr double least_side = 40;
    static constexpr int map_rim = 4, away = 12;

    // another picture, or other colours
    void redraw() {
        m_isOld = true;
        place();
        update();
    }

    void place() {
        const GraphPicture* picture = m_canvas.picture().get();
        const QSizeF room = m_canvas.size();
        const bool isShown = m_isWanted && picture && !picture->bounds.isEmpty() && room.width() > 2.5 * widest &&
                             room.height() > 2 * highest &&
                             !m_canvas.viewport().view().seen().contains(picture->bounds);
        if (!isShown) {
            hide();
            return;
        }
        // A ribbon is drawn wider than it is: what matters is where one is in it.
        const QSizeF all = picture->bounds.size();
        const double most = std::min(all.height() > 4 * all.width() ? tallest : highest, room.height() * 0.5);
        const double scale = std::min(widest / all.width(), most / all.height());
        const QSizeF map(std::clamp(all.width() * scale, least_side, widest),
                         std::clamp(all.height() * scale, least_side, most));
        m_scaleX = map.width() / all.width();
        m_scaleY = map.height() / all.height();
        const QSize size = map.toSize() + QSize(2 * map_rim, 2 * map_rim);
        const QRectF selected = rectOfItem(*picture, m_canvas.model().selection().selected());
        const QRectF covered = selected.isEmpty() ? QRectF() : m_canvas.viewport().view().toScreen(selected);
        const int right = int(room.width()) - size.width() - away;
        QRect at(QPoint(right, int(room.height()) - size.height() - away), size);
        if (covered.intersects(QRectF(at)) && !covered.contains(QRectF(m_canvas.rect())))
            at.moveTop(away);
        if (covered.intersects(QRectF(at)) && covered.width() < room.width() / 2)
            at.moveLeft(away);
        setGeometry(at);
        show();
        raise();
        update();
    }

    void moveTo(QPointF at) {
        const QPointF from = m_canvas.picture()->bounds.topLeft();
        const QPointF middle(from.x() + (at.x() - map_rim) / m_scaleX, from.y() + (at.y() - map_rim) / m_scaleY);
        const QSizeF seen = m_canvas.viewport().view().seen().size();
        m_canvas.viewport().moveTo(middle - QPointF(seen.width() / 2, seen.height() / 2));
    }

    QRectF toMap(const QRectF& rect) const {
        const QPointF from = m_canvas.picture()->bounds.topLeft();
        return {map_rim + (rect.left() - from.x()) * m_scaleX, map_rim + (rect.top() - from.y()) * m_scaleY,
                rect.width() * m_scaleX, rect.height() * m_scaleY};
    }

    GraphCanvas& m_canvas;
    ThemeSource& m_themes;
    QPixmap m_map;
    double m_scaleX = 1, m_scaleY = 1;
    bool m_isWanted = true, m_isOld = true;
};

} // namespace hidet::ui
