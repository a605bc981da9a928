// SPDX-License-Identifier: Apache-2.0
// What fences and atomics say of the order of accesses (order.h).
#include <utility>

#include "runtime/vm/checks/happens_before.h"

namespace hidet::vm {

namespace {

// Under which number a cluster publishes what only its own threads may learn.
std::int64_t near_number(std::int64_t cluster) {
    return ~cluster;
}

// And the accesses themselves that publish, which are behind what they publish.
std::int64_t access_number(std::int64_t cluster) {
    return cluster + (std::int64_t{1} << 40);
}

} // namespace

template <class Pass>
void Order::pass_fence(int rank, const Mask& lanes, std::vector<Epoch>& own, Pass&& pass) {
    m_has_fences = true;
    for (int lane = 0; lane < m_lanes; ++lane)
        if (lanes.test(lane))
            own[static_cast<std::size_t>(rank * m_lanes + lane)] = m_now;
    m_clocks.change(rank, lanes, pass);
    step();
}

void Order::fence_async(int rank, const Mask& lanes) {
    pass_fence(rank, lanes, m_own_fenced, [](Clock& clock) { clock.fenced.join(clock.seen); });
}

void Order::fence(int rank, const Mask& lanes, Reach reach) {
    pass_fence(rank, lanes, reach == Reach::Block ? m_own_near : m_own_flushed, [&](Clock& clock) {
        learn_heard(clock, reach);
        (reach == Reach::Block ? clock.near : clock.flushed).join(clock.seen);
        if (reach != Reach::System)
            return;
        clock.flushed_to_all.join(clock.seen);
        join_far(clock.far_to_all, clock.far);
    });
    if (reach == Reach::System)
        for (int lane = 0; lane < m_lanes; ++lane)
            if (lanes.test(lane))
                m_own_to_all[static_cast<std::size_t>(rank * m_lanes + lane)] =
                    m_own_flushed[static_cast<std::size_t>(rank * m_lanes + lane)];
}

void Order::learn(VectorClock& seen, const Far& heard) const {
    for (const std::int64_t number : {m_number, near_number(m_number)})
        if (const auto own = heard.clusters.find(number); own != heard.clusters.end())
            seen.join(own->second);
}

void Order::learn_heard(Clock& clock, Reach reach) const {
    if (clock.heard) {
        learn(clock.seen, *clock.heard);
        if (reach != Reach::Block)
            join_far(clock.far, std::exchange(clock.heard, nullptr));
    }
    if (clock.heard_from_all && reach == Reach::System) {
        learn(clock.seen, *clock.heard_from_all);
        join_far(clock.far, std::exchange(clock.heard_from_all, nullptr));
    }
}

namespace {

// A copy where others refer to what is there.
Far& published_at(std::shared_ptr<Far>& there) {
    if (!there)
        there = std::make_shared<Far>(Far{{}, &there});
    else if (there.use_count() > 1)
        there = std::make_shared<Far>(*there);
    return *there;
}

void add_known(Far& there, const std::shared_ptr<const Far>& known, bool is_there) {
    if (known && !is_there)
        for (const auto& [cluster, view] : known->clusters)
            there.clusters[cluster].join(view);
}

} // namespace

void Order::publish(int thread, const std::byte* address, Published& published) {
    const auto t = static_cast<std::size_t>(thread);
    const Clock& clock = m_clocks.of(thread);
    const auto is_empty = [this](const VectorClock& view) {
        return view.floor <= m_first && view.warps.empty() && view.actors.empty();
    };
    const bool has_near = m_own_near[t] || !is_empty(clock.near);
    if (!has_near && !m_own_flushed[t] && is_empty(clock.flushed) && !clock.far)
        return; // no fence is behind anything that it knows
    Far& there = published_at(published[address]);
    const bool has_known = clock.far && there.includes(*clock.far);
    ++there.turn;
    VectorClock& own = there.clusters[m_number];
    own.join(clock.flushed);
    own.add(static_cast<Actor>(thread), m_own_flushed[t]);
    if (has_near) {
        VectorClock& near = there.clusters[near_number(m_number)];
        near.join(clock.near);
        near.add(static_cast<Actor>(thread), m_own_near[t]);
    }
    there.clusters[access_number(m_number)].add(static_cast<Actor>(thread), m_now);
    add_known(there, clock.far, has_known);
    step();
}

void Order::publish_to_all(int thread, const std::byte* address, Published& published) {
    const Clock& clock = m_clocks.of(thread);
    Far& there = published_at(published[address]);
    const bool has_known = clock.far_to_all && there.includes(*clock.far_to_all);
    ++there.turn;
    VectorClock& own = there.clusters[m_number];
    own.join(clock.flushed_to_all);
    own.add(static_cast<Actor>(thread), m_own_to_all[static_cast<std::size_t>(thread)]);
    there.clusters[access_number(m_number)].add(static_cast<Actor>(thread), m_now);
    add_known(there, clock.far_to_all, has_known);
    step();
}

namespace {

std::shared_ptr<Far> news_at(const std::byte* address, const Published& published,
                             std::initializer_list<const std::shared_ptr<const Far>*> known) {
    const auto it = published.find(address);
    if (it == published.end())
        return nullptr;
    for (const auto* each : known)
        if (*each && (*each)->includes(*it->second))
            return nullptr;
    return it->second;
}

} // namespace

void Order::observe(int thread, const std::byte* address, const Published& published) {
    const Clock& own = m_clocks.of(thread);
    Clock known;
    known.heard = news_at(address, published, {&own.far, &own.heard});
    if (known.heard)
        acquire(thread / m_lanes, Mask::of(thread % m_lanes), known);
}

void Order::observe_all(int thread, const std::byte* address, const Published& published) {
    const Clock& own = m_clocks.of(thread);
    Clock known;
    known.heard_from_all = news_at(address, published, {&own.far, &own.heard_from_all});
    if (known.heard_from_all)
        acquire(thread / m_lanes, Mask::of(thread % m_lanes), known);
}

static bool covers(const std::shared_ptr<const Far>& far, std::int64_t cluster, Actor actor, Epoch epoch) {
    if (!far)
        return false;
    const auto it = far->clusters.find(cluster);
    return it != far->clusters.end() && it->second.covers(actor, epoch);
}

bool Order::is_far_before(std::int64_t cluster, Actor actor, Epoch epoch, int thread) const {
    return covers(clock(thread).far, cluster, actor, epoch);
}

bool Order::is_heard_before(std::int64_t cluster, Actor actor, Epoch epoch, int thread) const {
    const Clock& own = clock(thread);
    return covers(own.heard, cluster, actor, epoch) || covers(own.heard_from_all, cluster, actor, epoch);
}

bool Order::is_access_heard(std::int64_t cluster, Actor actor, Epoch epoch, int thread) const {
    return is_far_before(access_number(cluster), actor, epoch, thread) ||
           is_heard_before(access_number(cluster), actor, epoch, thread);
}

} // namespace hidet::vm
