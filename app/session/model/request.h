// SPDX-License-Identifier: Apache-2.0
// What requests on models share.
#pragma once

#include <functional>

#include "app/session/model/model.h"
#include "app/session/work/work.h"
#include "compiler/artifact/launch_plan.h"

namespace hidet::session {

RunRequest run_request_of(const ModelRequest& request);
bool is_script(const ModelRequest& request); // that traces a graph, in the place of a file
// What the editor holds of it, or else the file.
bool read_script(const ModelRequest& request, const std::string& path, Source& source, DiagnosticSink& sink);
ModelFacts facts_of(const artifact::LaunchPlan& plan); // what a plan alone says

// Runs the body; what an operator refuses becomes a diagnostic.
bool guarded_by_model(Work& work, const std::function<bool()>& body);

} // namespace hidet::session
