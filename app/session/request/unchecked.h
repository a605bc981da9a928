// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/request/request.h"
#include "app/session/snapshot/snapshot.h"

namespace hidet::session {

// What the emulator does not look for in such a run.
inline const char* not_looked_for(const RunRequest& request) {
    return request.all_checks ? "reads of global memory that was never written" : not_emulated;
}

} // namespace hidet::session
