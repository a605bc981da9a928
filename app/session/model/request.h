// SPDX-License-Identifier: Apache-2.0
// What requests on models share.
#pragma once

#include <functional>

#include "app/session/model/model.h"
#include "app/session/work/work.h"
#include "compiler/artifact/launch_plan.h"

namespace hidet::session {

RunRequest run_request_of(const ModelRequest& request);
ModelFacts facts_of(const artifact::LaunchPlan& plan); // what a plan alone says

// Runs the body; what an operator refuses becomes a diagnostic.
bool guarded_by_model(Work& work, const std::function<bool()>& body);

} // namespace hidet::session
