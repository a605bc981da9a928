// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/charts/chart_legend.h"

#include <QPainter>

namespace hidet::ui {

ChartLegend::ChartLegend(ThemeSource& themes, QWidget* parent) : QWidget(parent), m_themes(themes) {
    setAccessibleName(tr("Legend"));
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(&themes, &ThemeSource::changed, this, [this] { update(); });
}

void ChartLegend::show(const QStringList& names, std::function<std::vector<QColor>(const Theme&)> palette) {
    m_names = names;
    m_palette = std::move(palette);
    setAccessibleDescription(names.join("; "));
    update();
}

QSize ChartLegend::sizeHint() const {
    return {160, QFontMetrics(m_themes.smallFont()).height() + 6};
}

void ChartLegend::paintEvent(QPaintEvent*) {
    if (!m_palette)
        return;
    constexpr double mark = 10, gap = 6, between = 16, margin = 12;
    const Theme& theme = m_themes.theme();
    QPainter painter(this);
    painter.setFont(m_themes.smallFont());
    const QFontMetricsF metrics(painter.font());
    const std::vector<QColor> colors = m_palette(theme);
    double x = margin;
    for (qsizetype i = 0; i < m_names.size() && i < qsizetype(colors.size()); ++i) {
        if (m_names[i].isEmpty())
            continue;
        const double width = metrics.horizontalAdvance(m_names[i]);
        if (x + mark + gap + width > this->width() - margin)
            return; // what there is no room for is left out as a whole
        const QRectF box(x, (height() - mark) / 2, mark, mark);
        painter.setPen(theme.muted);
        painter.setBrush(colors[std::size_t(i)]);
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
        painter.drawText(QRectF(x + mark + gap, 0, width + 1, height()), Qt::AlignVCenter, m_names[i]);
        x += mark + gap + width + between;
    }
}

} // namespace hidet::ui
