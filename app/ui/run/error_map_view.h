// SPDX-License-Identifier: GPL-3.0-only
// Where a tensor is wrong: its elements folded into cells, each in the colour of its worst error. The mouse or the arrow keys
// say which elements a cell stands for.
#pragma once

#include <optional>

#include <QWidget>

#include "app/session/kernel_bench/kernel_bench.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

class ErrorMapView : public QWidget {
    Q_OBJECT
public:
    ErrorMapView(ThemeSource& themes, QWidget* parent = nullptr);

    void show(std::optional<session::Comparison> comparison);
    using QWidget::show;
    QString describe(int row, int column) const; // "rows 0 to 1, columns 4 to 5 of 'c': 12 times what is tolerated"
    QString summary() const;
    QSize sizeHint() const override { return {240, 160}; }
    QSize minimumSizeHint() const override { return {160, 120}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    QRect grid() const;
    QRect cell(int row, int column) const;
    double valueAt(int row, int column) const;
    QColor colorOf(double value) const;
    void setCurrent(int row, int column);
    void paintLegend(QPainter& painter, const QRect& area) const;

    ThemeSource& m_themes;
    std::optional<session::Comparison> m_comparison;
    int m_row = -1, m_column = -1;
};

} // namespace hidet::ui
