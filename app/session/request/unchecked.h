// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/session/request/request.h"
#include "app/session/snapshot/snapshot.h"

namespace hidet::session {

// What the emulator does not look for in such a run; empty: there is nothing.
inline std::string not_looked_for(const RunRequest& request) {
    return request.all_checks ? "" : not_emulated;
}

} // namespace hidet::session
