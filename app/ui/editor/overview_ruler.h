// SPDX-License-Identifier: GPL-3.0-only
// The whole text as a thin strip beside the scroll bar, with a mark for every problem and every hit of a search. A click
// goes there. Keys do the same by the commands for problems and hits.
#pragma once

#include <QMouseEvent>
#include <QPainter>
#include <QWidget>
#include <algorithm>
#include <cstdlib>

#include "app/ui/code/carets.h"
#include "app/ui/code/code_view.h"

namespace hidet::ui {

class OverviewRuler : public QWidget {
    Q_OBJECT
public:
    enum class Kind { Hit, Use, Warning, Error }; // later ones are drawn above

    OverviewRuler(CodeView& view, QWidget* parent) : QWidget(parent), m_view(view) {
        setObjectName("overview");
        setAccessibleName(tr("Overview of problems and hits"));
        setFixedWidth(strip_width);
        setMouseTracking(true);
        connect(&view.themes(), &ThemeSource::changed, this, qOverload<>(&QWidget::update));
        connect(&view, &QsciScintilla::linesChanged, this, qOverload<>(&QWidget::update));
    }

    // 0-based
    void setLines(Kind kind, std::vector<int> lines) {
        std::sort(lines.begin(), lines.end());
        lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
        std::vector<int>& slot = m_lines[static_cast<std::size_t>(kind)];
        if (slot == lines)
            return;
        slot = std::move(lines);
        update();
    }

    const std::vector<int>& lines(Kind kind) const { return m_lines[static_cast<std::size_t>(kind)]; }
    // of the nearest mark; -1: none is near
    int lineAt(int y) const {
        int best = -1, distance = reach + 1;
        for (auto kind = m_lines.rbegin(); kind != m_lines.rend(); ++kind)
            for (int line : *kind)
                if (const int away = std::abs(yOf(line) - y); away < distance) {
                    best = line;
                    distance = away;
                }
        return best;
    }

    // A short text is not stretched over the strip: its marks stand beside their lines.
    int yOf(int line) const {
        const int rows = std::max(1, lineCount(m_view));
        const int lineHeight = std::max(1, static_cast<int>(ask(m_view, QsciScintillaBase::SCI_TEXTHEIGHT)));
        const double step = std::min(static_cast<double>(lineHeight), static_cast<double>(height()) / rows);
        return static_cast<int>((line + 0.5) * step);
    }

signals:
    void lineClicked(int line);

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const Theme& theme = m_view.themes().theme();
        painter.fillRect(rect(), theme.panel);
        const QColor colors[] = {theme.accent, theme.muted, theme.warning, theme.error};
        for (std::size_t kind = 0; kind < m_lines.size(); ++kind) {
            int last = -mark_height;
            for (int line : m_lines[kind]) {
                const int y = yOf(line);
                if (y < last + 1) // many hits in a long text fall on one pixel
                    continue;
                painter.fillRect(QRect(2, y - mark_height / 2, width() - 4, mark_height), colors[kind]);
                last = y;
            }
        }
    }

    void mousePressEvent(QMouseEvent* event) override {
        const int line = lineAt(static_cast<int>(event->position().y()));
        if (event->button() == Qt::LeftButton && line >= 0)
            emit lineClicked(line);
    }

    void mouseMoveEvent(QMouseEvent* event) override {
        const bool onMark = lineAt(static_cast<int>(event->position().y())) >= 0;
        setCursor(onMark ? Qt::PointingHandCursor : Qt::ArrowCursor);
    }

private:
    static constexpr int strip_width = 10;
    static constexpr int mark_height = 3;
    static constexpr int reach = 4; // pixels around a mark that still are the mark

    CodeView& m_view;
    std::array<std::vector<int>, 4> m_lines;
};

} // namespace hidet::ui
