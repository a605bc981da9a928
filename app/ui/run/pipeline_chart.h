// SPDX-License-Identifier: GPL-3.0-only
// When the warps of a block copy, wait, compute and store, on the emulator or by marks in the kernel, as a chart: a lane for each
// warp, below them one for each stage that copies fill.
#pragma once

#include <memory>

#include "app/session/snapshot/snapshot.h"
#include "app/ui/charts/bar_chart.h"

namespace hidet::ui {

struct PipelineLook {
    std::size_t warpsOfRole = 1; // that are shown
    QStringList script;          // its lines, as they ran
    bool isStale = false;
};

struct PipelineChart {
    Chart chart;
    std::vector<std::size_t> spans; // of the timeline, by bar
};
PipelineChart pipelineChart(const std::shared_ptr<const session::TimelineView>& timeline, const PipelineLook& look);

// Bars of waits that one bubble counts.
QSet<int> barsOf(const session::TimelineView& timeline, const PipelineChart& chart,
                 const session::TimelineBubble& bubble);

QStringList pipelineLegend(const session::TimelineView& timeline); // of the colours

} // namespace hidet::ui
