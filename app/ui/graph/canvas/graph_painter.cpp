// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_painter.h"

#include <cmath>

#include <QApplication>
#include <QFontMetricsF>

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
    m_tools.label = bold(QApplication::font(), QFont::DemiBold);
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
    paintFrame(m_tools, painter, scene, view);
    painter.restore();
}

namespace {
constexpr qsizetype most_entries = 8192;
constexpr int unbounded = 1 << 20;
} // namespace

const TextCache::Entry& TextCache::find(const QString& text, const QFont& font, int width) {
    const Key key{text, font.key(), width};
    const auto known = m_entries.constFind(key);
    if (known != m_entries.constEnd())
        return *known;
    if (m_entries.size() >= most_entries)
        m_entries.clear();
    const QFontMetricsF metrics(font);
    QString shown = text;
    if (width < unbounded && metrics.horizontalAdvance(text) > width) {
        shown = metrics.elidedText(text, Qt::ElideRight, width);
        if (shown.size() < 3)
            shown.clear();
    }
    Entry entry;
    entry.text.setTextFormat(Qt::PlainText);
    entry.text.setPerformanceHint(QStaticText::AggressiveCaching);
    entry.text.setText(shown);
    if (!shown.isEmpty())
        entry.text.prepare({}, font);
    entry.size = QSizeF(metrics.horizontalAdvance(shown), metrics.height());
    return *m_entries.insert(key, entry);
}

void TextCache::draw(QPainter& painter, const QRectF& rect, Qt::Alignment align, const QString& text,
                     const QFont& font) {
    if (text.isEmpty() || rect.width() < 4)
        return;
    const Entry& entry = find(text, font, int(std::floor(rect.width() + 0.51)));
    if (entry.size.width() <= 0)
        return;
    double x = rect.left();
    if (align & Qt::AlignHCenter)
        x += std::max(0.0, (rect.width() - entry.size.width()) / 2);
    else if (align & Qt::AlignRight)
        x += std::max(0.0, rect.width() - entry.size.width());
    const double y = rect.top() + (rect.height() - entry.size.height()) / 2;
    painter.setFont(font);
    painter.drawStaticText(QPointF(std::round(x), std::round(y)), entry.text);
}

double TextCache::width(const QString& text, const QFont& font) {
    return find(text, font, unbounded).size.width();
}

} // namespace hidet::ui
