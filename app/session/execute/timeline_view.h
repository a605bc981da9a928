// SPDX-License-Identifier: Apache-2.0
// A pipeline as a picture: when the warps of a block copy, wait, compute and store, by the clocks of runtime/vm/observe/timeline.h or by
// the marks of artifact/marks.h.
#pragma once

#include <cstdint>
#include <map>
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

// What marks cost: medians; 0: not measured.
struct MarksCost {
    double seconds_with = 0, seconds_without = 0;
};
// Where marks were read.
struct MarksSource {
    std::string device; // empty: the emulator
    MarksCost call;
    std::map<std::string, MarksCost> kernels; // of those that a call launches, each alone, where it launches several
};
TimelineView timeline_view(const artifact::MarkedBlock& marked, const artifact::MarkTable& table,
                           const MarksSource& from, const SourceMap& sources);

} // namespace hidet::session
