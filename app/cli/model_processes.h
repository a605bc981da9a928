// SPDX-License-Identifier: Apache-2.0
// The actions of 'hidetc model' that several processes share: '--tensor-parallel'.
#pragma once

#include <memory>

#include "app/session/model/processes.h"

namespace hidet::cli {

// Starts the others where the request is of several; 0, or the exit code of what was refused. The first process alone writes
// and says what there is.
int share(session::ModelRunRequest& request, std::unique_ptr<session::ModelProcesses>& others);
inline bool is_first(const std::unique_ptr<session::ModelProcesses>& others) {
    return !others || others->is_first();
}
// Why another process has left this one alone is what it has said.
void wait_for(session::ModelProcesses& others, const session::Outcome& result);

} // namespace hidet::cli
