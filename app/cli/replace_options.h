// SPDX-License-Identifier: Apache-2.0
// Kernels that run from a text of the user's: in 'run' and 'try'.
#pragma once

#include <string>
#include <vector>

#include "app/cli/verb.h"
#include "app/session/request/request.h"

namespace hidet::cli {

struct ReplaceOptions {
    std::vector<std::string> texts; // "scale=scale.cu"
};
void add_replace(Verb& verb, ReplaceOptions& options);
// False: what is wrong was told.
bool take_replacements(const ReplaceOptions& options, session::RunRequest& request, int& exit);

} // namespace hidet::cli
