// SPDX-License-Identifier: GPL-3.0-only
// The plots of a run, made from its report.
#pragma once

#include "app/ui/charts/plot.h"
#include "app/ui/run/run_report.h"

namespace hidet::ui {

enum class SweepMeasure { Time, Flops, Bytes };

PlotData distributionPlot(const RunReport* report);
PlotData sweepPlot(const RunReport* report, SweepMeasure measure);
PlotData rooflinePlot(const RunReport* report, const session::RunRecord* baseline);

} // namespace hidet::ui
