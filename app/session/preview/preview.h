// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/session/request/request.h"
#include "app/session/snapshot/outcome.h"

namespace hidet::session {

struct PreviewResult : Outcome {
    std::vector<ModuleSnapshot> modules;
    int modules_built = 0; // also those that the request did not ask for
};

// Evaluates a script without data and lowers every module that it would build; each finished module is also published
// while the next one is being lowered.
PreviewResult preview(const PreviewRequest& request);

// All passes, in table order.
struct PassDescription {
    std::string name;
    std::string summary;
};
std::vector<PassDescription> describe_passes();
Diagnostic no_such_pass(const std::string& name); // with what was probably meant

} // namespace hidet::session
