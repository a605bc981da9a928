// SPDX-License-Identifier: Apache-2.0
// A pipeline as a picture: when the warps of a block copy, wait, compute and store, by the clocks of runtime/vm/timeline.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/session/snapshot/outcome.h"
#include "app/session/snapshot/snapshot.h"

namespace hidet::vm {
struct BlockTimeline;
}

namespace hidet::session {

TimelineView timeline_view(const vm::BlockTimeline& timeline, const SourceMap& sources);

} // namespace hidet::session
