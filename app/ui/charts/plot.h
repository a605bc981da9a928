// SPDX-License-Identifier: GPL-3.0-only
// What a plot shows, without a widget: series of points with their words, axes with their units.
#pragma once

#include <QList>
#include <QPointF>
#include <QStringList>

#include "app/ui/charts/chart_axis.h"

namespace hidet::ui {

enum class PlotMark {
    Line,
    Dashed,
    Area,
    Dots,
    Ghost,
    Predicted
}; // the last three are points: solid, hollow, a hollow square

struct PlotSeries {
    QString name; // also its label in the plot
    PlotMark mark = PlotMark::Line;
    int color = 0; // into Theme::series; -1: of text, -2: of errors
    QList<QPointF> points;
    QStringList words;    // of each point, for the mouse and for screen readers; empty: made from the axes
    bool labelled = true; // at its last point
};

struct PlotSpot {    // a point of a plot
    int series = -1; // -1: none
    int point = -1;
    friend bool operator==(const PlotSpot&, const PlotSpot&) = default;
};

struct PlotData {
    QString title;
    QString empty; // what will appear and how to make it appear; nothing else counts then
    ChartAxis x, y;
    QList<PlotSeries> series;
    PlotSpot marked; // outlined
    QString tsv() const;
    QString words() const; // for screen readers
};

} // namespace hidet::ui
