// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_painter.h"

#include <QApplication>

#include "app/ui/graph/canvas/graph_frame.h"

namespace hidet::ui {

namespace {

constexpr double names_from = 0.38, all_from = 0.72; // zooms
} // namespace

Detail detailAt(double zoom) {
    return zoom >= all_from ? Detail::Full : zoom >= names_from ? Detail::Names : Detail::Overview;
}

GraphPainter::GraphPainter(ThemeSource& themes) : m_themes(themes), m_tools{GraphColors(themes.theme()), {}, {}, {}} {
    refresh();
}

void GraphPainter::refresh() {
    m_tools.colors = GraphColors(m_themes.theme());
    m_tools.label = QApplication::font();
    m_tools.label.setWeight(QFont::DemiBold);
    m_tools.detail = m_themes.smallFont();
    m_metrics = GraphMetrics::ofFonts(m_tools.label, m_tools.detail);
    m_tools.texts = {};
}

QPointF GraphPainter::signOf(const GraphPicture& picture, const PictureEdge& edge) {
    const QPointF end = picture.points[edge.first + edge.points - 1];
    return {end.x(), end.y() - sign_radius - 2};
}

void GraphPainter::paint(QPainter& painter, const GraphScene& scene, const GraphView& view) {
    painter.save();
    GraphFrame(m_tools, painter, scene, view).paint();
    painter.restore();
}

} // namespace hidet::ui
