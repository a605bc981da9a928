// SPDX-License-Identifier: Apache-2.0
// Tuning by several workers: the candidates of all models are one list without repetitions, of which each worker gets some at a time.
//
// What a worker measures is told at once and kept in the records of this machine, so a worker that is lost costs what it was
// measuring: that is given to others, and a candidate that takes three workers with it, at last by itself, is kept as one that does. The
// workers' GPUs are of one kind, the first one's; records say which. Who is asked again goes on where the records end.
#pragma once

#include "app/session/fleet/fleet.h"
#include "app/session/model/tune/tune.h"

namespace hidet::session {

struct FleetTuning {
    std::vector<ModelTuneResult> results; // of each model
    std::vector<std::string> notes;       // of workers that were lost, or left out
};
// The requests have records, token, deadline and progress in common.
FleetTuning tune_on_fleet(const std::vector<ModelRequest>& requests, const Fleet& fleet);

} // namespace hidet::session
