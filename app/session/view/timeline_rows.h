// SPDX-License-Identifier: Apache-2.0
// The rows of a pipeline, as texts and pictures of it show them.
#pragma once

#include <string>
#include <vector>

#include "app/session/snapshot/snapshot.h"

namespace hidet::session {

// Of a stage that copies fill: the barrier that counts their bytes, "full[1]", or "stage 1" among those that have none.
std::string slot_name(const TimelineView& timeline, int slot);

std::string times_of(const TimelineView& timeline, std::int64_t count); // "630 steps", "1 cycle"
// What a time is: "a step is an instruction of a warp, or 1024 operations of a product; a copy takes 600 until it lands".
std::string clock_text(const TimelineView& timeline);
// "block 3 of 64, launch 2 of 5", without what there is one of.
std::string block_text(const TimelineView& timeline);

// A warp, or a stage.
struct TimelineLane {
    std::string name; // "warp 4: compute, store"
    int warp = -1, slot = -1;
};
// By role the first warps of it, up to so many of each; below them the stages.
std::vector<TimelineLane> timeline_lanes(const TimelineView& timeline, std::size_t most_of_role);

// What a copy does to its stage: it is under way until `landed`, and there until the next one begins.
struct TimelineStay {
    std::size_t span = 0; // of the timeline
    std::int64_t begin = 0, landed = 0, end = 0;
};
std::vector<TimelineStay> timeline_stays(const TimelineView& timeline); // by `begin`

// The bubble that a wait is counted in; null: it is no wait.
const TimelineBubble* bubble_of(const TimelineView& timeline, const TimelineSpan& span);

} // namespace hidet::session
