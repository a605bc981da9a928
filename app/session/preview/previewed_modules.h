// SPDX-License-Identifier: Apache-2.0
// A preview within a work of somebody else's, who goes on with what was evaluated and lowered for it.
#pragma once

#include <vector>

#include "app/session/preview/preview.h"
#include "app/session/preview/sites.h"

namespace hidet::session {

struct PreviewedModules {
    BuiltScript built;
    std::vector<ir::ModuleRef> emulated; // of each module of the result; null: it did not come that far
};

// Fills all of the result but its outcome, which is the work's.
PreviewedModules preview_into(Work& work, const PreviewRequest& request, PreviewResult& result);

} // namespace hidet::session
