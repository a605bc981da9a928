// SPDX-License-Identifier: Apache-2.0
#include "app/session/view/timeline_rows.h"

#include <algorithm>
#include <map>
#include <set>

#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::session {

std::string slot_name(const TimelineView& timeline, int slot) {
    std::set<std::string> barriers;
    for (const TimelineSpan& span : timeline.spans)
        if (span.slot >= 0 && !span.barrier.empty()) {
            barriers.insert(span.barrier);
            if (span.slot == slot)
                return span.barrier;
        }
    return cat("stage ", slot - static_cast<int>(barriers.size()));
}

std::string times_of(const TimelineView& timeline, std::int64_t count) {
    return cat(count, " ", timeline.unit, count == 1 ? "" : "s");
}

std::string clock_text(const TimelineView& timeline) {
    if (timeline.unit == "cycle")
        return cat("a cycle is one of the multiprocessor's clock",
                   timeline.nanoseconds > 0
                       ? cat("; the block took ", time_text(static_cast<double>(timeline.nanoseconds) * 1e-9),
                             " by the GPU's timer")
                       : "");
    const std::string step = "a step is an instruction of a warp, or 1024 operations of a product";
    return timeline.marked ? cat(step, "; marks take steps too")
                           : cat(step, "; a copy takes ", timeline.copy_steps, " until it lands");
}

std::string block_text(const TimelineView& timeline) {
    const bool is_only = timeline.launch == 1 && timeline.launches <= 1;
    return cat("block ", timeline.block, timeline.blocks > 1 ? cat(" of ", timeline.blocks) : "",
               is_only ? "" : cat(", launch ", timeline.launch, " of ", timeline.launches));
}

std::vector<TimelineLane> timeline_lanes(const TimelineView& timeline, std::size_t most_of_role) {
    std::vector<TimelineLane> out;
    for (const TimelineRole& role : timeline.roles)
        for (std::size_t i = 0; i < std::min(role.warps.size(), most_of_role); ++i)
            out.push_back({cat("warp ", role.warps[i], ": ", role.name), role.warps[i], -1});
    for (int slot = 0; slot < timeline.stages; ++slot)
        out.push_back({slot_name(timeline, slot), -1, slot});
    return out;
}

std::vector<TimelineStay> timeline_stays(const TimelineView& timeline) {
    std::vector<TimelineStay> out;
    for (std::size_t i = 0; i < timeline.spans.size(); ++i)
        if (const TimelineSpan& span = timeline.spans[i]; span.slot >= 0)
            out.push_back({i, span.begin, std::min(span.landed, timeline.steps), timeline.steps});
    std::ranges::stable_sort(out, {}, &TimelineStay::begin);
    std::map<std::pair<int, int>, TimelineStay> next; // of a slot and a warp
    for (auto stay = out.rbegin(); stay != out.rend(); ++stay) {
        const TimelineSpan& span = timeline.spans[stay->span];
        if (const auto at = next.find({span.slot, span.warp}); at != next.end())
            stay->end = at->second.begin > stay->begin ? at->second.begin : at->second.end;
        next[{span.slot, span.warp}] = *stay;
    }
    return out;
}

const TimelineBubble* bubble_of(const TimelineView& timeline, const TimelineSpan& span) {
    if (span.kind != "wait")
        return nullptr;
    const auto role = std::ranges::find_if(timeline.roles, [&](const TimelineRole& each) {
        return std::ranges::find(each.warps, span.warp) != each.warps.end();
    });
    const std::string barrier = span.barrier.substr(0, span.barrier.find('['));
    const auto found = std::ranges::find_if(timeline.bubbles, [&](const TimelineBubble& bubble) {
        return role != timeline.roles.end() && bubble.role == role->name && bubble.awaits == span.awaits &&
               bubble.barrier == barrier && bubble.place.line == span.place.line && bubble.by_copy == span.by_copy &&
               (!span.by_copy || bubble.by_place.line == span.by_place.line);
    });
    return found == timeline.bubbles.end() ? nullptr : &*found;
}

} // namespace hidet::session
