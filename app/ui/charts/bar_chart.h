// SPDX-License-Identifier: GPL-3.0-only
// A painted chart of bars over steps or time: a timeline, lives of tensors in memory, errors along a run. Ctrl and the wheel,
// or + and -, zoom; dragging or the wheel pans; the mouse and the arrow keys say what a bar is, a click or Return picks it.
// With Shift, dragging and the arrow keys select a range, and what is in it is added up; Esc lets go of it.
//
// Bars are drawn once into a picture that lives until the data, the view or the theme changes: what the mouse is on is
// drawn over it, so that twenty thousand of them do not make the mouse slow.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include <QPixmap>
#include <QSet>
#include <QWidget>

#include "app/ui/charts/chart_frame.h"
#include "app/ui/charts/saved_picture.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

struct ChartBar {
    double left = 0, right = 0;
    double bottom = 0, top = 0; // of a chart with lanes: `bottom` is its lane
    int hue = 0;                // into the chart's palette; else one of:
    static constexpr int muted = -1, error = -2;
    double from = 0, to = 1; // of the height of its lane, from above
};

struct ChartLine { // across
    double at = 0;
    QString label;
    bool isDashed = false;
};

struct Chart {
    QString name;    // "Timeline of one run"
    QString summary; // for screen readers
    ChartAxis x, y;
    QStringList lanes;          // from above; empty: there is a y axis
    std::vector<ChartBar> bars; // by `left`
    std::vector<ChartLine> lines;
    std::function<std::vector<QColor>(const Theme&)> palette;
    std::function<QString(int)> label;                  // in a bar, where there is room; may be empty
    std::function<QString(int)> words;                  // of a bar, a line or more
    std::function<QString(double from, double to)> sum; // of a range of x, a line or more; null: none is selected
    QStringList header;                                 // of the table that is copied
    std::function<QStringList(int)> row;
    bool isStale = false;

    QString tsv() const;
};

class BarChart : public PaintedChart {
    Q_OBJECT
public:
    explicit BarChart(ThemeSource& themes, QWidget* parent = nullptr) : PaintedChart(themes, parent) {}

    void show(Chart chart); // keeps the view where the axis stays the same
    using QWidget::show;
    const Chart& chart() const { return m_chart; }
    void setSelected(const QSet<int>& bars); // in other views; brings the first of them into view
    void setHovered(int bar);                // in other views; -1: none
    int current() const { return m_current; }
    void setCurrent(int bar);              // -1: none
    int barAt(const QPointF& place) const; // -1: none
    QRectF rectOf(int bar) const;
    void zoom(double factor, double around); // around a value of the x axis
    void fit() { setView(m_chart.x.min, m_chart.x.max); }
    double from() const { return m_frame.from; }
    double to() const { return m_frame.to; }
    using Range = std::optional<std::pair<double, double>>;
    Range range() const { return m_range; } // of x, that is selected
    void copy();
    SavedPicture saved(const QString& name);
    QSize minimumSizeHint() const override { return {160, 72}; }
    int wholeHeight() const; // in which each lane has room for its name

signals:
    void hovered(int bar); // by the mouse or the keys; -1: none any more
    void picked(int bar);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void layOut() override; // the picture of the bars is old
    void leaveSpots() override { setCurrent(-1); }
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    double yOf(double value) const;
    void setView(double from, double to);
    void paintLayer();
    void paintBars(QPainter& painter) const;
    void paintBar(QPainter& painter, int bar, const QRectF& box) const;
    QColor fillOf(const ChartBar& bar) const;
    void paintLines(QPainter& painter) const;
    void paintFrame(QPainter& painter, int bar, const QColor& color, double width) const;
    void paintRange(QPainter& painter) const;
    void describe();
    void step(int by);
    void selectRange(Range range);
    void extendRange(int from);          // from that bar to the current one
    bool moveBy(const QKeyEvent& event); // false: it is another key

    Chart m_chart;
    ChartFrame m_frame;
    int m_current = -1; // under the mouse, or of the keyboard
    int m_hovered = -1; // elsewhere
    QSet<int> m_selected;
    std::optional<QPointF> m_pressed;
    double m_pressedFrom = 0;
    bool m_dragged = false;
    Range m_range;
    QString m_sum;                     // of the range
    std::optional<double> m_rangeFrom; // while the mouse selects
    int m_rangeBar = -1;               // where the keys began
    QPixmap m_layer;
    std::vector<QColor> m_palette;
};

} // namespace hidet::ui
