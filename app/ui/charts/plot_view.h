// SPDX-License-Identifier: GPL-3.0-only
// Draws a plot in the colours of the theme, with labels at the lines themselves. The mouse or the arrow keys say the values of
// a point; what is shown can be copied and saved as a picture or a table.
#pragma once

#include <QWidget>

#include "app/ui/charts/chart_frame.h"
#include "app/ui/charts/plot.h"
#include "app/ui/charts/saved_picture.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

class PlotView : public PaintedChart {
    Q_OBJECT
public:
    PlotView(ThemeSource& themes, QWidget* parent = nullptr) : PaintedChart(themes, parent) {}

    void show(const PlotData& data);
    using QWidget::show;
    const PlotData& plot() const { return m_data; }
    bool hasPlot() const { return m_data.empty.isEmpty(); }

    void copy(); // as a picture and as a table
    SavedPicture saved();
    QByteArray svg() const;
    QSize minimumSizeHint() const override { return {160, 96}; }
    QPoint placeOf(PlotSpot spot) const; // of a point, in the widget

signals:
    void chosen(int series, int point);    // by a click, or by walking there with the keys
    void activated(int series, int point); // by a double click, or Return

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void layOut() override;
    void leaveSpots() override { setSpot({}); }

private:
    using Spot = PlotSpot;
    void paint(QPainter& painter) const;
    void paintSeries(QPainter& painter, const PlotSeries& series) const;
    void paintLabels(QPainter& painter) const;
    QRectF placeOfLabel(const PlotSeries& series, const QSizeF& size, const QList<QRectF>& taken) const;
    QList<QRectF> dots() const; // in the widget
    void paintSpot(QPainter& painter) const;
    QColor colorOf(const PlotSeries& series) const;
    QPointF placeOf(const QPointF& point) const;
    void setSpot(Spot spot);
    Spot spotAt(const QPointF& place) const; // the nearest; none: nothing is near
    std::vector<Spot> spots() const;         // from left to right

    PlotData m_data;
    ChartFrame m_frame;
    Spot m_spot;
};

} // namespace hidet::ui
