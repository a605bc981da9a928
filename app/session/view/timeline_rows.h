// SPDX-License-Identifier: Apache-2.0
// The rows of a pipeline, as texts and pictures of it show them.
#pragma once

#include <string>

#include "app/session/snapshot/snapshot.h"

namespace hidet::session {

// Of a stage that copies fill: the barrier that counts their bytes, "full[1]", or "stage 1" among those that have none.
std::string slot_name(const TimelineView& timeline, int slot);

} // namespace hidet::session
