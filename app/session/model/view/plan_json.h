// SPDX-License-Identifier: Apache-2.0
// What the document says beyond the graph: programs, steps, memory, and what each step costs.
#pragma once

#include <string>

#include "app/session/model/stages.h"

namespace hidet::session {

std::string plan_json(ModelStages& stages);
// Of a run that was measured: where, how long, and each step.
std::string times_json(const ModelBenchResult& measured);

} // namespace hidet::session
