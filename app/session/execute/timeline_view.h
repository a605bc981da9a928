// SPDX-License-Identifier: Apache-2.0
// A pipeline as a picture: when the warps of a block copy, wait, compute and store, by the clocks of runtime/vm/timeline.h or by
// the marks of artifact/marks.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/session/snapshot/outcome.h"
#include "app/session/snapshot/snapshot.h"
#include "compiler/artifact/marks.h"

namespace hidet::vm {
struct BlockTimeline;
}

namespace hidet::session {

TimelineView timeline_view(const vm::BlockTimeline& timeline, const SourceMap& sources);

// Where marks were read, and what they cost.
struct MarksSource {
    std::string device;                           // empty: the emulator
    double seconds_with = 0, seconds_without = 0; // a call, its median; 0: not measured
};
TimelineView timeline_view(const artifact::MarkedBlock& marked, const artifact::MarkTable& table,
                           const MarksSource& from, const SourceMap& sources);

} // namespace hidet::session
