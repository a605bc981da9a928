// SPDX-License-Identifier: GPL-3.0-only
// Beside the script: how much of the time each line has, by what a GPU counted. It is there where something was counted.
#pragma once

#include <QPainter>
#include <algorithm>

#include "app/ui/code/line_strip.h"
#include "app/ui/core/figures.h"
#include "app/ui/workbench/profiles.h"

namespace hidet::ui {

class HotStrip : public LineStrip {
    Q_OBJECT
public:
    HotStrip(CodeView& view, QWidget* parent) : LineStrip(view, "editor.hot", parent) {
        setAccessibleName(tr("Share of the time of each line"));
        setFixedWidth(hot_strip_width);
        hide();
    }

    // from 1
    void setLines(QHash<int, Profiles::Line> lines) {
        m_lines = std::move(lines);
        setVisible(!m_lines.isEmpty());
        update();
    }

    QString hintOf(int line) const override { return m_lines.value(line + 1).hint; }

protected:
    // The longer the bar, the more of the time; the figure stands on it, so that colour alone says nothing.
    void paintRow(QPainter& painter, int line, const QRect& row) override {
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

private:
    static constexpr int hot_strip_width = 48;
    static constexpr double least_shown = 0.005; // of all samples

    QHash<int, Profiles::Line> m_lines;
};

} // namespace hidet::ui
