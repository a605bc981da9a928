// SPDX-License-Identifier: Apache-2.0
// What fences and atomics say of the order of accesses (order.h).
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

void Order::fence(int rank, const Mask& lanes, bool is_near) {
    pass_fence(rank, lanes, is_near ? m_own_near : m_own_flushed, [&](Clock& clock) {
        learn_heard(clock, is_near);
        (is_near ? clock.near : clock.flushed).join(clock.seen);
    });
}

void Order::learn_heard(Clock& clock, bool is_near) const {
    if (!clock.heard)
        return;
    for (const std::int64_t number : {m_number, near_number(m_number)})
        if (const auto own = clock.heard->clusters.find(number); own != clock.heard->clusters.end())
            clock.seen.join(own->second);
    if (is_near)
        return;
    join_far(clock.far, clock.heard);
    clock.heard = nullptr;
}

void Order::publish(int thread, const std::byte* address, Published& published) {
    const auto t = static_cast<std::size_t>(thread);
    const Clock& clock = m_clocks.of(thread);
    const auto is_empty = [this](const VectorClock& view) {
        return view.floor <= m_first && view.warps.empty() && view.actors.empty();
    };
    const bool has_near = m_own_near[t] || !is_empty(clock.near);
    if (!has_near && !m_own_flushed[t] && is_empty(clock.flushed) && !clock.far)
        return; // no fence is behind anything that it knows
    std::shared_ptr<Far>& there = published[address];
    if (!there)
        there = std::make_shared<Far>(Far{{}, address});
    else if (there.use_count() > 1)
        there = std::make_shared<Far>(*there);
    const bool has_known = !clock.far || there->includes(*clock.far);
    ++there->turn;
    VectorClock& own = there->clusters[m_number];
    own.join(clock.flushed);
    own.add(static_cast<Actor>(thread), m_own_flushed[t]);
    if (has_near) {
        VectorClock& near = there->clusters[near_number(m_number)];
        near.join(clock.near);
        near.add(static_cast<Actor>(thread), m_own_near[t]);
    }
    there->clusters[access_number(m_number)].add(static_cast<Actor>(thread), m_now);
    if (!has_known)
        for (const auto& [cluster, view] : clock.far->clusters)
            there->clusters[cluster].join(view);
    step();
}

void Order::observe(int thread, const std::byte* address, const Published& published) {
    if (published.empty())
        return;
    const auto it = published.find(address);
    if (it == published.end())
        return;
    const Clock& own = m_clocks.of(thread);
    const auto has = [&](const std::shared_ptr<const Far>& known) { return known && known->includes(*it->second); };
    if (has(own.far) || has(own.heard))
        return;
    Clock known;
    known.heard = it->second;
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
    return covers(clock(thread).heard, cluster, actor, epoch);
}

bool Order::is_access_heard(std::int64_t cluster, Actor actor, Epoch epoch, int thread) const {
    return is_far_before(access_number(cluster), actor, epoch, thread) ||
           is_heard_before(access_number(cluster), actor, epoch, thread);
}

} // namespace hidet::vm
