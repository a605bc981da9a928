// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/engine.h"

namespace hidet::session {

// Parses the request's script and runs it on the engine. Mistakes and findings are in the work's sink.
void run_script(Work& work, const RunRequest& request, ScriptEngine& engine);

} // namespace hidet::session
