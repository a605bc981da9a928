// SPDX-License-Identifier: GPL-3.0-only
// The plots of a run, made from its report.
#pragma once

#include "app/session/explain/explain.h"
#include "app/ui/charts/plot.h"
#include "app/ui/run/run_report.h"

namespace hidet::ui {

enum class SweepMeasure { Time, Flops, Bytes };

PlotData distributionPlot(const RunReport* report);
PlotData sweepPlot(const RunReport* report, SweepMeasure measure);
// `predicted`: a kernel of the text as it is; null: none.
PlotData rooflinePlot(const RunReport* report, const session::RunRecord* baseline,
                      const session::KernelExplained* predicted);

} // namespace hidet::ui
