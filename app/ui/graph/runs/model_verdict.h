// SPDX-License-Identifier: GPL-3.0-only
// One line of truth about the last runs of a model, as parts for the strip and a sentence for screen readers. No widgets.
#pragma once

#include "app/ui/graph/runs/model_report.h"
#include "app/ui/run/verdict.h"

namespace hidet::ui {

class LiveModel;

// The parts' ids: "verdict", "time", "launches", "roof", "memory", "schedules", "errors", "advice".
VerdictLine modelVerdict(const LiveModel& model, const ModelReport* report);

// The first row that is out of tolerance; null: none is.
const session::ModelNodeError* firstBad(const session::ModelRunResult& result);

double launchesOf(const session::ModelBenchResult& result);

} // namespace hidet::ui
