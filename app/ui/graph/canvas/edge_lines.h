// SPDX-License-Identifier: GPL-3.0-only
// Edges as straight lines of the screen, gathered by colour and drawn at once.
#pragma once

#include <QHash>
#include <QLineF>
#include <QList>
#include <QPainter>

#include "app/ui/graph/canvas/graph_picture.h"

namespace hidet::ui {

struct GraphView;

class EdgeLines {
public:
    enum class Bends { Round, Straight }; // from afar nobody sees the difference
    EdgeLines(const GraphView& view, Bends bends);

    // All lines of a way, or only those that no other edge of the value draws.
    enum class Which { Own, All };
    void add(const GraphPicture& picture, quint32 first, quint32 points, Which which);
    void draw(QPainter& painter, const QPen& pen);
    bool isEmpty() const { return m_lines.isEmpty(); }

private:
    void addBend(QPointF from, QPointF to);

    const GraphView& m_view;
    const QRectF m_screen;
    const Bends m_bends;
    QList<QLineF> m_lines;
};

} // namespace hidet::ui
