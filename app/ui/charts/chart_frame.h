// SPDX-License-Identifier: GPL-3.0-only
// What painted charts have in common: the axes with their numbers and where a value lies between them, the card that says
// what something is, and the way to the clipboard.
#pragma once

#include <QFontMetricsF>
#include <QRectF>
#include <QStringList>
#include <QWidget>

#include "app/ui/charts/chart_axis.h"
#include "app/ui/core/theme.h"

class QPainter;

namespace hidet::ui {

struct ChartFrame {
    ChartAxis x, y;
    double from = 0, to = 1; // of x: what is in view, unless it is logarithmic
    QStringList lanes;       // from above, in the place of a y axis
    QRectF area;             // between the axes

    static constexpr double above = 12; // the pixels over the area
    static double below(const QFontMetricsF& metrics) { return 2 * metrics.height() + 8; }
    void layOut(const QSizeF& size, const QFontMetricsF& metrics); // the area that leaves room for the labels
    double xOf(double value) const;
    double yOf(double value) const;    // of a lane: its upper edge
    double valueAt(double x) const;    // of an axis that is not logarithmic
    QRectF within(QRectF label) const; // moved into the area, or to the strip above it
    void paint(QPainter& painter, const Theme& theme) const;

private:
    struct Ticks {
        std::vector<double> values;
        double step = 0;
    };
    Ticks xTicks() const;
    Ticks yTicks() const;
    void paintBelow(QPainter& painter, const Theme& theme) const;
    void paintBeside(QPainter& painter, const Theme& theme) const;
};

// A widget that is painted: it stands under the mouse, and takes the keyboard, which a strip at its left says.
class PaintedChart : public QWidget {
protected:
    PaintedChart(ThemeSource& themes, QWidget* parent);

    virtual void layOut() = 0;     // after another size, another theme, other data
    virtual void leaveSpots() = 0; // neither the mouse nor the keyboard stands anywhere
    const Theme& theme() const { return m_themes.theme(); }
    ThemeSource& themes() const { return m_themes; }
    void paintFocus(QPainter& painter) const;

    void resizeEvent(QResizeEvent* event) final;
    void leaveEvent(QEvent* event) final;
    void focusInEvent(QFocusEvent* event) final;
    void focusOutEvent(QFocusEvent* event) override;

private:
    ThemeSource& m_themes;
};

// One line or more, near the box that they are about, whole within `bounds`.
void paintCard(QPainter& painter, const Theme& theme, const QString& words, const QRectF& about, const QRectF& bounds);

// To screen readers too.
void describeChart(QWidget& chart, const QString& words);

// As a picture and as a table; `svg` may be empty.
void copyChart(QWidget& chart, const QString& tsv, const QByteArray& svg);

} // namespace hidet::ui
