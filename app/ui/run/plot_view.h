// SPDX-License-Identifier: GPL-3.0-only
// Draws a plot in the colours of the theme, with labels at the lines themselves. The mouse or the arrow keys say the values of
// a point; what is shown can be copied and saved as a picture or a table.
#pragma once

#include <QtCharts/QChartView>

#include "app/ui/core/theme.h"
#include "app/ui/run/plot_data.h"

namespace hidet::ui {

class PlotView : public QChartView {
    Q_OBJECT
public:
    PlotView(ThemeSource& themes, QWidget* parent = nullptr);

    void show(const PlotData& data);
    using QWidget::show;
    const PlotData& plot() const { return m_data; }
    bool hasPlot() const { return m_data.empty.isEmpty(); }

    void copy();                    // as a picture and as a table
    bool save(const QString& path); // .png, .svg or .tsv, by its name
    QByteArray svg();

protected:
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    struct Spot {
        int series = -1;
        int point = -1;
        friend bool operator==(const Spot&, const Spot&) = default;
    };
    void rebuild();
    void addSeries(const PlotSeries& series);
    QColor colorOf(const PlotSeries& series) const;
    QPointF placeOf(const PlotSeries& series, int point) const; // in the scene
    void setSpot(Spot spot);
    std::vector<Spot> spots() const; // from left to right

    ThemeSource& m_themes;
    PlotData m_data;
    QAbstractSeries* m_frame = nullptr; // any series: all have the same axes
    Spot m_spot;
};

} // namespace hidet::ui
