// SPDX-License-Identifier: Apache-2.0
// What models and scripts share when they are tuned for a report: what is asked for, and what becomes of the answer.
#pragma once

#include "app/session/model/tune/tune.h"
#include "app/session/tune/tuning.h"

namespace hidet::session {

TuningOptions tuning_options(const ModelRequest& request, int level);

// To what the report has already: a script has several graphs.
void add_search(ModelTuneResult& report, const graph::Graph& graph, const artifact::TargetSpec& target,
                const tune::FusionSearch& fusions, const tune::Search& search);
void add_outcome(ModelTuneResult& report, const TuningOutcome& outcome);

} // namespace hidet::session
