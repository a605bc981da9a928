// SPDX-License-Identifier: GPL-3.0-only
// Where a tensor is wrong: its elements folded into cells, each in the colour of its worst error. The mouse or the arrow keys
// say which elements a cell stands for.
#pragma once

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWidget>
#include <algorithm>
#include <optional>

#include "app/session/kernel_bench/kernel_bench.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

class ErrorMapView : public QWidget {
    Q_OBJECT
public:
    ErrorMapView(ThemeSource& themes, QWidget* parent = nullptr) : QWidget(parent), m_themes(themes) {
        setObjectName("run.map");
        setMouseTracking(true);
        setFocusPolicy(Qt::StrongFocus);
        connect(&themes, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
        show(std::nullopt);
    }

    void show(std::optional<session::Comparison> comparison) {
        m_comparison = std::move(comparison);
        m_row = m_column = -1;
        setAccessibleName(tr("Error map"));
        setAccessibleDescription(summary());
        update();
    }

    using QWidget::show;
    // "rows 0 to 1, columns 4 to 5 of 'c': 12 times what is tolerated"
    QString describe(int row, int column) const {
        if (!m_comparison || row < 0)
            return {};
        const session::ErrorMap& map = m_comparison->map;
        auto range = [](const QString& one, const QString& many, std::int64_t begin, std::int64_t count,
                        std::int64_t end) {
            const std::int64_t last = std::min(begin + count, end) - 1;
            return last <= begin ? QString("%1 %2").arg(one).arg(begin)
                                 : QString("%1 %2 to %3").arg(many).arg(begin).arg(last);
        };
        const double value = valueAt(row, column);
        QString error = value <= 1 ? tr("within tolerance") : tr("%1 times what is tolerated").arg(numberText(value));
        if (value >= session::worst_error)
            error = tr("more than a million times what is tolerated, or not a number");
        return tr("%1, %2: %3")
            .arg(range(tr("row"), tr("rows"), row * map.cell_rows, map.cell_rows, map.matrix_rows),
                 range(tr("column"), tr("columns"), column * map.cell_columns, map.cell_columns, map.matrix_columns),
                 error);
    }

    QString summary() const {
        if (!m_comparison)
            return tr("Where a result is wrong appears here after a run that is checked");
        const QString tensor = QString::fromStdString(m_comparison->tensor);
        if (!m_comparison->refusal.empty())
            return QString::fromStdString(m_comparison->refusal);
        if (m_comparison->bad == 0)
            return tr("No errors in '%1': %2 of %2 elements are right").arg(tensor).arg(m_comparison->count);
        return tr("%1 of %2 elements of '%3' are wrong").arg(m_comparison->bad).arg(m_comparison->count).arg(tensor);
    }

    QSize sizeHint() const override { return {240, 160}; }
    QSize minimumSizeHint() const override { return {160, 120}; }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const Theme& theme = m_themes.theme();
        painter.fillRect(rect(), theme.panel);
        const QRect area = grid();
        const bool drawn = m_comparison && m_comparison->refusal.empty() && m_comparison->bad > 0 && !area.isEmpty();
        if (!drawn) {
            painter.setPen(m_comparison && m_comparison->refusal.empty() ? theme.ok : theme.muted);
            painter.drawText(rect().adjusted(margin, margin, -margin, -margin), Qt::AlignCenter | Qt::TextWordWrap,
                             summary());
        } else {
            for (int row = 0; row < m_comparison->map.rows; ++row)
                for (int column = 0; column < m_comparison->map.columns; ++column)
                    painter.fillRect(cell(row, column), colorOf(valueAt(row, column)));
            painter.setPen(theme.line);
            painter.drawRect(area.adjusted(-1, -1, 0, 0));
            paintLegend(painter, QRect(area.right() + 12, area.top(), legend_width, area.height()));
            if (m_row >= 0) {
                painter.setPen(QPen(theme.text, 1));
                painter.drawRect(cell(m_row, m_column).adjusted(-1, -1, 0, 0));
            }
            painter.setFont(m_themes.smallFont());
            painter.setPen(m_row >= 0 ? theme.text : theme.muted);
            const QString text = m_row >= 0 ? describe(m_row, m_column) : summary();
            const QRect line(margin, height() - text_height - 2, width() - 2 * margin, text_height);
            painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                             painter.fontMetrics().elidedText(text, Qt::ElideRight, line.width()));
        }
        if (hasFocus()) {
            painter.setPen(QPen(theme.accent, 2));
            painter.drawLine(1, 0, 1, height());
        }
    }

    void mouseMoveEvent(QMouseEvent* event) override {
        const QRect area = grid();
        if (!m_comparison || !area.contains(event->pos()))
            return setCurrent(-1, -1);
        const session::ErrorMap& map = m_comparison->map;
        setCurrent(std::clamp((event->pos().y() - area.top()) * map.rows / area.height(), 0, map.rows - 1),
                   std::clamp((event->pos().x() - area.left()) * map.columns / area.width(), 0, map.columns - 1));
    }

    void leaveEvent(QEvent*) override {
        if (!hasFocus())
            setCurrent(-1, -1);
    }

    void keyPressEvent(QKeyEvent* event) override {
        int row = 0, column = 0;
        switch (event->key()) {
        case Qt::Key_Left: column = -1; break;
        case Qt::Key_Right: column = 1; break;
        case Qt::Key_Up: row = -1; break;
        case Qt::Key_Down: row = 1; break;
        default: return QWidget::keyPressEvent(event);
        }
        if (!m_comparison || grid().isEmpty())
            return;
        const session::ErrorMap& map = m_comparison->map;
        setCurrent(std::clamp(std::max(m_row, 0) + row, 0, map.rows - 1),
                   std::clamp(std::max(m_column, 0) + column, 0, map.columns - 1));
    }

    void focusInEvent(QFocusEvent* event) override {
        QWidget::focusInEvent(event);
        if (m_row >= 0 || !m_comparison || grid().isEmpty())
            return;
        // The worst cell first.
        const auto& values = m_comparison->map.values;
        const auto worst = std::max_element(values.begin(), values.end());
        if (worst == values.end() || m_comparison->bad == 0)
            return;
        const int at = int(worst - values.begin());
        setCurrent(at / m_comparison->map.columns, at % m_comparison->map.columns);
    }

private:
    static constexpr int text_height = 20; // under the map, for what is pointed at
    static constexpr int legend_width = 88;
    static constexpr int margin = 8;
    struct Band {
        double above; // times what is tolerated
        const char* label;
        double share; // from the colour of the ground to that of errors
    };
    // What is right is green at most faintly; what is wrong grows towards the colour of errors.
    static constexpr Band bands[] = {
        {0, "tolerated", 0}, {1, "up to 10×", 0.35}, {10, "up to 1000×", 0.65}, {1000, "more", 1}};
    static int bandOf(double value) {
        int out = 0;
        for (int i = 1; i < int(std::size(bands)); ++i)
            if (value > bands[i].above)
                out = i;
        return out;
    }

    static QColor between(const QColor& a, const QColor& b, double share) {
        auto of = [&](int x, int y) { return int(x + (y - x) * share); };
        return {of(a.red(), b.red()), of(a.green(), b.green()), of(a.blue(), b.blue())};
    }

    QRect grid() const {
        if (!m_comparison || m_comparison->map.rows < 1 || m_comparison->map.columns < 1)
            return {};
        const session::ErrorMap& map = m_comparison->map;
        const int width = this->width() - 2 * margin - legend_width;
        const int height = this->height() - 2 * margin - text_height;
        const int size = std::max(1, std::min({width / map.columns, height / map.rows, 24}));
        return {margin, margin, std::min(width, size * map.columns), std::min(height, size * map.rows)};
    }

    QRect cell(int row, int column) const {
        const QRect area = grid();
        const session::ErrorMap& map = m_comparison->map;
        const int left = area.left() + area.width() * column / map.columns;
        const int right = area.left() + area.width() * (column + 1) / map.columns;
        const int top = area.top() + area.height() * row / map.rows;
        const int bottom = area.top() + area.height() * (row + 1) / map.rows;
        return {left, top, std::max(1, right - left), std::max(1, bottom - top)};
    }

    double valueAt(int row, int column) const {
        const session::ErrorMap& map = m_comparison->map;
        const auto at = std::size_t(row) * std::size_t(map.columns) + std::size_t(column);
        return at < map.values.size() ? map.values[at] : 0;
    }

    QColor colorOf(double value) const {
        const Theme& theme = m_themes.theme();
        const int band = bandOf(value);
        const QColor ground = between(theme.panel, theme.ok, 0.25);
        return band == 0 ? ground : between(between(theme.panel, theme.error, 0.25), theme.error, bands[band].share);
    }

    void setCurrent(int row, int column) {
        if (row == m_row && column == m_column)
            return;
        m_row = row;
        m_column = column;
        setToolTip(describe(row, column));
        setAccessibleDescription(row >= 0 ? describe(row, column) : summary());
        QAccessibleEvent event(this, QAccessible::DescriptionChanged);
        QAccessible::updateAccessibility(&event);
        update();
    }

    void paintLegend(QPainter& painter, const QRect& area) const {
        painter.setFont(m_themes.smallFont());
        const int step = std::max(18, painter.fontMetrics().height() + 2);
        int y = area.top();
        for (const Band& band : bands) {
            if (y + step > height() - text_height)
                break;
            const QRect box(area.left(), y + (step - 12) / 2, 12, 12);
            painter.fillRect(box, colorOf(band.above + 0.5));
            painter.setPen(m_themes.theme().text);
            painter.drawText(QRect(box.right() + 6, y, legend_width - 18, step), Qt::AlignVCenter | Qt::AlignLeft,
                             tr(band.label));
            y += step;
        }
    }

    ThemeSource& m_themes;
    std::optional<session::Comparison> m_comparison;
    int m_row = -1, m_column = -1;
};

} // namespace hidet::ui
