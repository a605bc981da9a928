// SPDX-License-Identifier: GPL-3.0-only
// What a plan and runs of a model say, as charts: no widgets, no model.
#pragma once

#include "app/session/model/view/overlay.h"
#include "app/ui/charts/bar_chart.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

struct ModelChart {
    Chart chart;
    // Of each bar: what selecting it selects, and what else in the graph it stands for.
    std::vector<GraphItem> items;
    std::vector<std::vector<quint32>> nodes;
    std::vector<quint32> values; // empty: bars are no values
};

// When each step of one run began and how long it took.
ModelChart timelineChart(const session::SnapshotPtr& snapshot,
                         const std::shared_ptr<const session::ModelBenchResult>& bench, bool isStale);
// Where values lie in the arena, from the step that makes them to the last that reads them.
ModelChart memoryChart(const session::SnapshotPtr& snapshot);
// The relative error of each value that could be compared, in the order of the run.
ModelChart errorChart(const session::SnapshotPtr& snapshot,
                      const std::shared_ptr<const session::ModelRunResult>& comparison, bool isStale);

QString joined(const std::vector<std::string>& names, std::size_t most); // "conv1, relu1 and 3 more"

} // namespace hidet::ui
