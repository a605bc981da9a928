// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/observe/timeline.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "runtime/vm/launch.h"

namespace hidet::vm {

namespace {

constexpr std::uint64_t together = 16;       // steps between two that count as one event
constexpr std::size_t most_events = 200'000; // of a block

template <class F>
void for_each_warp(std::uint32_t warps, F&& f) {
    for (; warps; warps &= warps - 1)
        f(std::countr_zero(warps));
}

} // namespace

Timeline::Timeline(const artifact::Function& function, std::int64_t block, int threads, int rank,
                   std::uint64_t copy_steps)
    : m_rank(rank) {
    m_out.kernel = function.name, m_out.function = &function;
    m_out.block = block, m_out.threads = threads, m_out.warps = (threads + 31) / 32;
    m_out.copy_steps = copy_steps;
    const auto warps = static_cast<std::size_t>(m_out.warps);
    m_clocks.resize(warps), m_last.resize(warps);
    m_copies.resize(warps), m_stores.resize(warps), m_products.resize(warps);
}

std::size_t Timeline::add(TimedEvent event) {
    if (m_out.events.size() >= most_events) {
        m_out.is_cut_short = true;
        return m_out.events.size() - 1;
    }
    m_last[static_cast<std::size_t>(event.warp)][static_cast<std::size_t>(event.kind)] = m_out.events.size() + 1;
    m_out.events.push_back(std::move(event));
    return m_out.events.size() - 1;
}

std::size_t Timeline::add_or_extend(TimedEvent event) {
    const std::size_t last = m_last[static_cast<std::size_t>(event.warp)][static_cast<std::size_t>(event.kind)];
    TimedEvent* before = last ? &m_out.events[last - 1] : nullptr;
    const bool goes_on = before && event.begin <= before->end + together && event.barrier == before->barrier &&
                         event.place == before->place;
    if (!goes_on)
        return add(std::move(event));
    before->end = std::max(before->end, event.end);
    before->landed = std::max(before->landed, event.landed);
    before->bytes += event.bytes;
    return last - 1;
}

void Timeline::advance(std::uint32_t warps, std::uint64_t steps) {
    for_each_warp(warps, [&](int w) { m_clocks[static_cast<std::size_t>(w)] += steps; });
}

void Timeline::compute(std::uint32_t warps, std::uint32_t pc, std::uint64_t steps) {
    for_each_warp(warps, [&](int w) {
        TimedEvent event{.kind = TimedKind::Compute, .warp = w, .pc = pc};
        event.end = now(w), event.begin = event.end - std::min(event.end, steps);
        add_or_extend(std::move(event));
    });
}

void Timeline::store(std::uint32_t warps, std::uint32_t pc) {
    for_each_warp(warps, [&](int w) {
        TimedEvent event{.kind = TimedKind::Store, .warp = w, .pc = pc};
        event.end = now(w), event.begin = event.end - std::min<std::uint64_t>(event.end, 1);
        add_or_extend(std::move(event));
    });
}

void Timeline::wait(int warp, std::uint32_t pc, AwaitedKind awaited, const Latest& last, const std::string& barrier,
                    std::uint64_t phase) {
    std::uint64_t& clock = m_clocks[static_cast<std::size_t>(warp)];
    if (last.at <= clock)
        return;
    TimedEvent event{.kind = TimedKind::Wait, .warp = warp, .pc = pc, .begin = clock, .end = last.at};
    event.awaited = awaited, event.barrier = barrier, event.phase = phase;
    event.by_copy = last.by_copy, event.by_warp = last.warp, event.by_rank = last.rank, event.by_pc = last.pc;
    clock = last.at;
    add(std::move(event));
}

// ---- groups -----------------------------------------------------------------------------------------------------------

void Timeline::close(Queue& queue) {
    for (const std::size_t event : queue.open.events)
        m_out.events[event].place = queue.open.place;
    queue.closed.push_back(std::exchange(queue.open, {}));
}

void Timeline::await_groups(Queue& queue, int warp, std::uint32_t pc, int pending, AwaitedKind awaited) {
    Latest last;
    const auto left = static_cast<std::size_t>(std::max(pending, 0));
    const std::size_t over = queue.closed.size() - std::min(queue.closed.size(), left);
    for (std::size_t i = 0; i < over; ++i)
        last.take(queue.closed[i].last);
    if (pending < 0)
        last.take(queue.open.last);
    queue.closed.erase(queue.closed.begin(), queue.closed.begin() + static_cast<std::ptrdiff_t>(over));
    wait(warp, pc, awaited, last);
}

void Timeline::copy(int warp, std::uint32_t pc, std::int64_t place, std::int64_t bytes) {
    Queue& queue = m_copies[static_cast<std::size_t>(warp)];
    TimedEvent event{.kind = TimedKind::Copy, .warp = warp, .pc = pc};
    event.end = now(warp), event.begin = event.end - std::min<std::uint64_t>(event.end, 1);
    event.landed = event.begin + m_out.copy_steps;
    event.bytes = bytes;
    Group& open = queue.open;
    open.last.take({event.landed, true, warp, m_rank, pc});
    open.place = open.place < 0 ? place : std::min(open.place, place);
    const std::size_t last = m_last[static_cast<std::size_t>(warp)][static_cast<std::size_t>(TimedKind::Copy)];
    const bool is_of_group = last && std::ranges::find(open.events, last - 1) != open.events.end();
    const std::size_t at = is_of_group ? add_or_extend(std::move(event)) : add(std::move(event));
    if (!is_of_group || at != last - 1)
        open.events.push_back(at);
}

void Timeline::commit(std::uint32_t warps) {
    for_each_warp(warps, [&](int w) { close(m_copies[static_cast<std::size_t>(w)]); });
}

void Timeline::await_copies(std::uint32_t warps, std::uint32_t pc, int pending) {
    for_each_warp(warps, [&](int w) {
        await_groups(m_copies[static_cast<std::size_t>(w)], w, pc, pending, AwaitedKind::Copies);
    });
}

// When all that the warp has issued are there.
Latest Timeline::copies_of(int warp) const {
    const Queue& queue = m_copies[static_cast<std::size_t>(warp)];
    Latest last = queue.open.last;
    for (const Group& group : queue.closed)
        last.take(group.last);
    return last;
}

void Timeline::copy_box(int warp, std::uint32_t pc, std::int64_t bytes, const std::string& barrier) {
    TimedEvent event{.kind = TimedKind::Copy, .warp = warp, .pc = pc};
    event.end = now(warp), event.begin = event.end - std::min<std::uint64_t>(event.end, 1);
    event.landed = event.begin + m_out.copy_steps;
    event.bytes = bytes, event.barrier = barrier;
    add_or_extend(std::move(event));
}

void Timeline::store_box(int warp, std::uint32_t pc) {
    store(std::uint32_t{1} << warp, pc);
    m_stores[static_cast<std::size_t>(warp)].open.last.take({now(warp) + m_out.copy_steps, true, warp, m_rank, pc});
}

void Timeline::commit_boxes(std::uint32_t warps) {
    for_each_warp(warps, [&](int w) { close(m_stores[static_cast<std::size_t>(w)]); });
}

void Timeline::await_boxes(std::uint32_t warps, std::uint32_t pc, int pending) {
    for_each_warp(warps, [&](int w) {
        await_groups(m_stores[static_cast<std::size_t>(w)], w, pc, pending, AwaitedKind::Stores);
    });
}

// ---- products of warp groups ------------------------------------------------------------------------------------------

void Timeline::multiply(int first_warp, std::uint32_t pc, std::uint64_t steps) {
    Queue& queue = m_products[static_cast<std::size_t>(first_warp)];
    const std::uint64_t begin = std::max(queue.busy, now(first_warp));
    queue.busy = begin + steps;
    queue.open.last.take({queue.busy, false, first_warp, m_rank, pc});
    for (int w = first_warp; w < std::min(first_warp + 4, m_out.warps); ++w)
        add_or_extend({.kind = TimedKind::Compute, .warp = w, .pc = pc, .begin = begin, .end = queue.busy});
}

void Timeline::commit_products(int first_warp) {
    close(m_products[static_cast<std::size_t>(first_warp)]);
}

void Timeline::await_products(int first_warp, std::uint32_t pc, int pending) {
    Queue& queue = m_products[static_cast<std::size_t>(first_warp)];
    const Queue before = queue;
    for (int w = first_warp; w < std::min(first_warp + 4, m_out.warps); ++w) {
        queue = before;
        await_groups(queue, w, pc, pending, AwaitedKind::Products);
    }
}

// ---- barriers ---------------------------------------------------------------------------------------------------------

void Timeline::arrive(int barrier, std::uint32_t warps, std::uint32_t pc, bool waits) {
    Turn& turn = m_turns[barrier];
    for_each_warp(warps, [&](int w) {
        turn.latest.take(arrival(w, pc, false));
        if (waits)
            turn.waiting.push_back({.kind = TimedKind::Wait, .warp = w, .pc = pc});
    });
}

void Timeline::meet(int barrier, const Latest& last) {
    const Turn turn = std::exchange(m_turns[barrier], {});
    const bool is_cluster = barrier == of_cluster;
    for (const TimedEvent& event : turn.waiting)
        wait(event.warp, event.pc, is_cluster ? AwaitedKind::Cluster : AwaitedKind::Barrier, last,
             is_cluster ? "the cluster" : "barrier " + std::to_string(barrier));
}

Latest Timeline::arrival(int warp, std::uint32_t pc, bool by_copy) const {
    return {now(warp) + (by_copy ? m_out.copy_steps : 0), by_copy, warp, m_rank, pc};
}

void Timeline::end_phase(const Mbarrier& barrier) {
    Phase& phase = m_phases[&barrier];
    phase.over = std::exchange(phase.coming, {});
    ++phase.number;
}

void Timeline::pass(const Mbarrier& barrier, std::uint32_t warps, std::uint32_t pc, const std::string& name) {
    const Phase& phase = m_phases[&barrier];
    for_each_warp(warps, [&](int w) { wait(w, pc, AwaitedKind::Mbarrier, phase.over, name, phase.number); });
}

BlockTimeline Timeline::take() {
    m_out.steps = *std::ranges::max_element(m_clocks);
    for (const TimedEvent& event : m_out.events)
        m_out.steps = std::max(m_out.steps, event.end);
    std::ranges::stable_sort(m_out.events, [](const TimedEvent& a, const TimedEvent& b) {
        return std::pair(a.warp, a.begin) < std::pair(b.warp, b.begin);
    });
    return std::move(m_out);
}

// ---- launches ---------------------------------------------------------------------------------------------------------

TimelineLog::TimelineLog(const artifact::Function& function, const artifact::LaunchShape& shape, std::int64_t block,
                         std::uint64_t copy_steps)
    : m_function(function), m_shape(shape), m_block(block), m_copy_steps(copy_steps) {}

Timeline* TimelineLog::begin(std::int64_t block) {
    const ClusterPlace chosen = cluster_of(m_shape, m_block), place = cluster_of(m_shape, block);
    if (chosen.cluster != place.cluster)
        return nullptr;
    std::unique_ptr<Timeline>& timeline = m_timelines[place.rank];
    timeline =
        std::make_unique<Timeline>(m_function, block, static_cast<int>(m_shape.threads()), place.rank, m_copy_steps);
    return timeline.get();
}

BlockTimeline TimelineLog::take() {
    const auto found = m_timelines.find(cluster_of(m_shape, m_block).rank);
    return found == m_timelines.end() ? BlockTimeline{} : found->second->take();
}

} // namespace hidet::vm
