// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/timeline_view.h"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "lang/base/quantity.h"
#include "lang/base/text.h"
#include "runtime/vm/observe/timeline.h"

namespace hidet::session {

namespace {

constexpr int most_slots = 32;

const char* kind_word(vm::TimedKind kind) {
    switch (kind) {
    case vm::TimedKind::Copy: return "copy";
    case vm::TimedKind::Wait: return "wait";
    case vm::TimedKind::Compute: return "compute";
    case vm::TimedKind::Store: return "store";
    }
    return "";
}

const char* awaited_word(vm::AwaitedKind awaited) {
    switch (awaited) {
    case vm::AwaitedKind::Copies: return "copies";
    case vm::AwaitedKind::Mbarrier: return "barrier in memory";
    case vm::AwaitedKind::Barrier: return "barrier";
    case vm::AwaitedKind::Cluster: return "cluster";
    case vm::AwaitedKind::Products: return "products";
    case vm::AwaitedKind::Stores: return "stores";
    }
    return "";
}

// "full[1]" without its number.
std::string array_name(const std::string& name) {
    return name.substr(0, name.find('['));
}

// The stage that a copy fills: one for each barrier that counts bytes; behind those, of copies that are waited for in groups, the
// rank of the place among those of the warp.
class Slots {
public:
    explicit Slots(const std::vector<vm::TimedEvent>& events) {
        for (const vm::TimedEvent& event : events) {
            if (event.kind != vm::TimedKind::Copy)
                continue;
            if (!event.barrier.empty())
                m_barriers.insert(event.barrier);
            else if (event.place >= 0)
                m_places[event.warp].insert(event.place);
        }
    }
    int of(const vm::TimedEvent& event) const {
        if (event.kind != vm::TimedKind::Copy)
            return -1;
        if (!event.barrier.empty())
            return static_cast<int>(std::distance(m_barriers.begin(), m_barriers.find(event.barrier)));
        const auto places = m_places.find(event.warp);
        if (places == m_places.end() || event.place < 0 || places->second.size() > most_slots)
            return -1;
        const auto rank = std::distance(places->second.begin(), places->second.find(event.place));
        return static_cast<int>(m_barriers.size()) + static_cast<int>(rank);
    }

private:
    std::set<std::string> m_barriers;
    std::map<int, std::set<std::int64_t>> m_places; // by warp
};

std::string role_name(const std::set<vm::TimedKind>& kinds) {
    std::vector<std::string> words;
    if (kinds.contains(vm::TimedKind::Copy))
        words.push_back("copy");
    if (kinds.contains(vm::TimedKind::Compute))
        words.push_back("compute");
    if (kinds.contains(vm::TimedKind::Store))
        words.push_back("store");
    return words.empty() ? "wait" : join(words, ", ");
}

std::vector<TimelineRole> roles_of(const vm::BlockTimeline& timeline) {
    std::map<int, std::set<vm::TimedKind>> kinds;
    for (int w = 0; w < timeline.warps; ++w)
        kinds[w] = {};
    for (const vm::TimedEvent& event : timeline.events)
        kinds[event.warp].insert(event.kind);
    std::vector<TimelineRole> out;
    for (const auto& [warp, of_warp] : kinds) {
        const std::string name = role_name(of_warp);
        const auto known = std::ranges::find(out, name, &TimelineRole::name);
        (known == out.end() ? out.emplace_back(TimelineRole{name, {}}) : *known).warps.push_back(warp);
    }
    return out;
}

std::string by_text(const TimelineSpan& span, const TimelineBubble& bubble) {
    if (span.awaits == "products")
        return "its own products, for which the matrix units take that long";
    if (span.awaits == "stores")
        return "its own copies to global memory";
    const std::string at = bubble.barrier.empty() ? "" : cat(" at ", bubble.barrier);
    if (span.awaits == "barrier in memory" && span.by_warp < 0) // marks do not know who came last
        return cat("copies or other warps", at);
    return cat(span.by_copy ? "a copy to land" : "other warps", at);
}

void add_bubbles(TimelineView& out) {
    using Key = std::tuple<std::size_t, std::string, std::string, int, int, bool>;
    std::map<Key, TimelineBubble> sums;
    const auto role_of = [&](int warp) {
        return static_cast<std::size_t>(std::ranges::find_if(out.roles,
                                                             [&](const TimelineRole& role) {
                                                                 return std::ranges::find(role.warps, warp) !=
                                                                        role.warps.end();
                                                             }) -
                                        out.roles.begin());
    };
    for (const TimelineSpan& span : out.spans) {
        if (span.kind != "wait")
            continue;
        const std::string name = array_name(span.barrier);
        const std::size_t role = role_of(span.warp);
        TimelineBubble& sum =
            sums[{role, span.awaits, name, span.place.line, span.by_copy ? span.by_place.line : 0, span.by_copy}];
        sum.role = out.roles[role].name;
        sum.warps = static_cast<int>(out.roles[role].warps.size());
        sum.awaits = span.awaits, sum.barrier = name, sum.place = span.place, sum.by_copy = span.by_copy;
        sum.by_place = span.by_place;
        sum.reason = by_text(span, sum);
        ++sum.times;
        sum.steps += span.end - span.begin;
    }
    for (auto& [key, sum] : sums) {
        sum.share = out.steps ? static_cast<double>(sum.steps) / sum.warps / static_cast<double>(out.steps) : 0;
        out.bubbles.push_back(std::move(sum));
    }
    std::ranges::stable_sort(out.bubbles,
                             [](const TimelineBubble& a, const TimelineBubble& b) { return a.share > b.share; });
}

} // namespace

using PlaceOfPc = std::function<Place(std::uint32_t)>;

static TimelineView view_of(const vm::BlockTimeline& timeline, const PlaceOfPc& place_of_pc) {
    TimelineView out;
    out.kernel = timeline.kernel;
    out.block = timeline.block, out.warps = timeline.warps;
    out.blocks = timeline.shape.blocks();
    out.steps = static_cast<std::int64_t>(timeline.steps);
    out.copy_steps = static_cast<std::int64_t>(timeline.copy_steps);
    out.is_cut_short = timeline.is_cut_short;
    out.roles = roles_of(timeline);
    const Slots slots(timeline.events);
    for (const vm::TimedEvent& event : timeline.events) {
        TimelineSpan span;
        span.kind = kind_word(event.kind);
        span.warp = event.warp;
        span.place = place_of_pc(event.pc);
        span.begin = static_cast<std::int64_t>(event.begin), span.end = static_cast<std::int64_t>(event.end);
        span.barrier = event.barrier;
        if (event.kind == vm::TimedKind::Copy) {
            span.landed = static_cast<std::int64_t>(event.landed);
            span.bytes = event.bytes;
            span.slot = slots.of(event);
            out.stages = std::max(out.stages, span.slot + 1);
        }
        if (event.kind == vm::TimedKind::Wait) {
            span.awaits = awaited_word(event.awaited);
            span.phase = static_cast<std::int64_t>(event.phase);
            span.by_copy = event.by_copy, span.by_warp = event.by_warp, span.by_rank = event.by_rank;
            if (event.by_warp >= 0)
                span.by_place = place_of_pc(event.by_pc);
        }
        out.spans.push_back(std::move(span));
    }
    add_bubbles(out);
    return out;
}

TimelineView timeline_view(const vm::BlockTimeline& timeline, const SourceMap& sources) {
    TimelineView out =
        view_of(timeline, [&](std::uint32_t pc) { return place_of(timeline.function->origins[pc].span, sources); });
    out.source = "the emulator's order, not time";
    return out;
}

// ---- marks ------------------------------------------------------------------------------------------------------------

// Of the kernel alone, where that is known.
static MarksCost cost_of(const std::string& kernel, const MarksSource& from) {
    const auto alone = from.kernels.find(kernel);
    return alone == from.kernels.end() ? from.call : alone->second;
}

static std::string source_text(const std::string& kernel, const MarksSource& from) {
    if (from.device.empty())
        return "marks in the kernel, in the emulator's order, not time";
    const MarksCost cost = cost_of(kernel, from);
    if (cost.seconds_without <= 0)
        return cat("measured on ", from.device, ", what marks cost was not");
    const double more = cost.seconds_with / cost.seconds_without - 1;
    return cat("measured on ", from.device, ", marks: ", more < 0 ? "" : "+", percent_text(more), " (",
               time_text(cost.seconds_with), " for ", time_text(cost.seconds_without),
               from.kernels.contains(kernel) ? " of this kernel alone" : "", ")");
}

namespace {

// Marks do not know when a copy lands. Where a wait names the copies that it is for, they count as there when it has ended.
class SeenCopies {
public:
    SeenCopies(const artifact::MarkTable& table, const std::vector<int>& indices, std::vector<vm::TimedEvent>& events)
        : m_table(table), m_indices(indices), m_events(events) {}

    // Those that no wait is for stay under way to the end where a barrier counts their bytes; else they fill no stage.
    void find(std::uint64_t last) {
        for (const vm::TimedEvent& event : m_events)
            if (event.kind == vm::TimedKind::Wait && !event.barrier.empty())
                m_ends[event.barrier].insert(event.end);
        for (std::size_t i = 0; i < m_events.size(); ++i)
            take(i, last);
        std::erase_if(m_events, [&](const vm::TimedEvent& event) {
            return event.kind == vm::TimedKind::Copy && !site_of(event).begins_copies;
        });
    }

private:
    struct Groups { // of a warp
        std::vector<std::size_t> open;
        std::vector<std::vector<std::size_t>> closed;
        std::size_t seen = 0; // of these
    };
    const artifact::MarkSite& site_of(const vm::TimedEvent& event) const { return m_table[event.pc]; }

    void take(std::size_t i, std::uint64_t last) {
        vm::TimedEvent& event = m_events[i];
        Groups& groups = m_groups[event.warp];
        if (event.kind == vm::TimedKind::Wait && event.awaited == vm::AwaitedKind::Copies)
            return see(groups, event);
        if (event.kind != vm::TimedKind::Copy)
            return;
        if (!site_of(event).barrier.empty()) {
            if (!event.barrier.ends_with(']')) { // which one is not known
                event.barrier.clear();
                return;
            }
            const std::set<std::uint64_t>& ends = m_ends[event.barrier];
            const auto first = ends.upper_bound(event.begin);
            event.landed = first == ends.end() ? last : *first;
            return;
        }
        if (site_of(event).begins_copies)
            groups.open.push_back(i);
        if (site_of(event).closes_group)
            groups.closed.push_back(std::exchange(groups.open, {}));
    }
    void see(Groups& groups, const vm::TimedEvent& wait) {
        const int pending = site_of(wait).pending;
        if (pending < 0)
            groups.closed.push_back(std::exchange(groups.open, {}));
        const std::size_t left = pending < 0 ? 0 : static_cast<std::size_t>(pending);
        for (; groups.seen + left < groups.closed.size(); ++groups.seen) {
            const std::vector<std::size_t>& group = groups.closed[groups.seen];
            for (const std::size_t copy : group) {
                m_events[copy].landed = wait.end;
                m_events[copy].place = site_of(m_events[copy]).is_by_place ? place_of(group) : m_indices[copy];
            }
        }
    }
    // Copies of one group are to several places of one stage, whose first is that of the stage.
    int place_of(const std::vector<std::size_t>& group) const {
        int place = -1;
        for (const std::size_t copy : group)
            if (m_indices[copy] >= 0 && (place < 0 || m_indices[copy] < place))
                place = m_indices[copy];
        return place;
    }

    const artifact::MarkTable& m_table;
    const std::vector<int>& m_indices;                     // by event
    std::vector<vm::TimedEvent>& m_events;                 // by warp, in order
    std::map<std::string, std::set<std::uint64_t>> m_ends; // of waits at barriers, of all warps
    std::map<int, Groups> m_groups;                        // by warp
};

vm::TimedEvent event_of(const artifact::MarkedTime& time, const artifact::MarkSite& site) {
    vm::TimedEvent event{.kind = site.kind, .warp = time.warp, .pc = time.site};
    event.begin = time.begin, event.end = event.landed = time.end;
    event.barrier = site.barrier;
    const bool is_in_memory = site.kind == artifact::TimedKind::Copy || site.awaited == artifact::AwaitedKind::Mbarrier;
    if (is_in_memory && !site.barrier.empty() && time.index >= 0)
        event.barrier += cat("[", time.index, "]");
    if (site.kind == artifact::TimedKind::Wait) {
        event.awaited = site.awaited;
        event.by_copy = site.awaited == artifact::AwaitedKind::Copies;
    }
    return event;
}

} // namespace

TimelineView timeline_view(const artifact::MarkedBlock& marked, const artifact::MarkTable& table,
                           const MarksSource& from, const SourceMap& sources) {
    const artifact::MarkedTimes times = artifact::marked_times(marked, table);
    vm::BlockTimeline timeline;
    timeline.kernel = marked.kernel, timeline.block = marked.block, timeline.shape = marked.shape;
    timeline.threads = static_cast<int>(marked.shape.threads()), timeline.warps = (timeline.threads + 31) / 32;
    timeline.steps = times.cycles, timeline.is_cut_short = times.dropped > 0;
    std::vector<int> indices;
    for (const artifact::MarkedTime& time : times.times) {
        timeline.events.push_back(event_of(time, table[time.site]));
        indices.push_back(time.index);
    }
    SeenCopies(table, indices, timeline.events).find(times.cycles);
    TimelineView out =
        view_of(timeline, [&](std::uint32_t site) { return place_of(table[site].origin.span, sources); });
    out.marked = true;
    out.source = source_text(marked.kernel, from);
    const MarksCost cost = cost_of(marked.kernel, from);
    out.seconds_with_marks = cost.seconds_with, out.seconds_without_marks = cost.seconds_without;
    out.dropped = times.dropped;
    if (!from.device.empty())
        out.unit = "cycle", out.nanoseconds = static_cast<std::int64_t>(times.nanoseconds);
    return out;
}

} // namespace hidet::session
