// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/hot_strip.h"

#include <algorithm>

#include <QPainter>

#include "app/ui/core/figures.h"

namespace hidet::ui {

constexpr int hot_strip_width = 48;
constexpr double least_shown = 0.005; // of all samples

HotStrip::HotStrip(CodeView& view, QWidget* parent) : LineStrip(view, "editor.hot", parent) {
    setAccessibleName(tr("Share of the time of each line"));
    setFixedWidth(hot_strip_width);
    hide();
}

void HotStrip::setLines(QHash<int, Profiles::Line> lines) {
    m_lines = std::move(lines);
    setVisible(!m_lines.isEmpty());
    update();
}

QString HotStrip::hintOf(int line) const {
    return m_lines.value(line + 1).hint;
}

// The longer the bar, the more of the time; the figure stands on it, so that colour alone says nothing.
void HotStrip::paintRow(QPainter& painter, int line, const QRect& row) {
    const auto found = m_lines.constFind(line + 1);
    if (found == m_lines.cend() || found->share < least_shown)
        return;
    const Theme& theme = view().themes().theme();
    QColor heat = found->share > 0.25 ? theme.error : found->share > 0.1 ? theme.warning : theme.accent;
    heat.setAlpha(90);
    const int width = std::max(2, static_cast<int>((row.width() - 4) * std::min(1.0, found->share)));
    painter.fillRect(QRect(row.right() - 1 - width, row.top() + 2, width, row.height() - 4), heat);
    painter.setFont(view().themes().smallFont());
    painter.setPen(theme.text);
    painter.drawText(row.adjusted(0, 0, -4, 0), Qt::AlignRight | Qt::AlignVCenter, percentNumber(found->share));
}

} // namespace hidet::ui
