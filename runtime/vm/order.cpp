// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/order.h"

#include <algorithm>

namespace hidet::vm {

namespace {

constexpr std::size_t spare_clocks = 512; // that no thread has, before they are dropped
constexpr std::size_t few_actors = 16;    // that are added one by one
constexpr std::size_t most_sets = 0x3000; // of threads that are kept apart; then sets have whole warps
constexpr std::size_t most_entries = 64;  // of a history
constexpr std::size_t word_lanes = 32;
constexpr Stamp most_stamps = 1u << 27; // before a cluster begins

std::size_t warp_of(Actor thread) {
    return thread / word_lanes;
}

} // namespace

bool View::covers(Actor actor, Stamp stamp) const {
    if (is_thread(actor) && (stamp <= floor || (warp_of(actor) < warps.size() && stamp <= warps[warp_of(actor)])))
        return true;
    const auto it = std::lower_bound(actors.begin(), actors.end(), std::pair<Actor, Stamp>(actor, 0));
    return it != actors.end() && it->first == actor && stamp <= it->second;
}

void View::add(Actor actor, Stamp stamp) {
    if (covers(actor, stamp))
        return;
    const auto it = std::lower_bound(actors.begin(), actors.end(), std::pair<Actor, Stamp>(actor, 0));
    if (it != actors.end() && it->first == actor)
        it->second = stamp;
    else
        actors.insert(it, {actor, stamp});
}

void View::add_warp(std::size_t warp, std::size_t count, Stamp stamp) {
    if (stamp <= floor)
        return;
    if (warps.empty())
        warps.resize(count);
    warps[warp] = std::max(warps[warp], stamp);
}

void View::join(const View& other) {
    bool rises = floor < other.floor;
    floor = std::max(floor, other.floor);
    if (warps.size() < other.warps.size())
        warps.resize(other.warps.size());
    for (std::size_t w = 0; w < other.warps.size(); ++w) {
        rises = rises || warps[w] < other.warps[w];
        warps[w] = std::max(warps[w], other.warps[w]);
    }
    if (rises)
        std::erase_if(actors, [&](const auto& entry) {
            const std::size_t warp = warp_of(entry.first);
            return is_thread(entry.first) &&
                   (entry.second <= floor || (warp < warps.size() && entry.second <= warps[warp]));
        });
    if (other.actors.size() > few_actors)
        return merge(other.actors);
    for (const auto& [actor, stamp] : other.actors)
        add(actor, stamp);
}

void View::merge(const std::vector<std::pair<Actor, Stamp>>& others) {
    std::vector<std::pair<Actor, Stamp>> all;
    all.reserve(actors.size() + others.size());
    std::merge(actors.begin(), actors.end(), others.begin(), others.end(), std::back_inserter(all));
    actors.clear();
    for (const auto& [actor, stamp] : all) { // of one actor the larger stamp comes last
        const bool is_warp_better = warp_of(actor) < warps.size() && stamp <= warps[warp_of(actor)];
        if (is_thread(actor) && (stamp <= floor || is_warp_better))
            continue;
        if (!actors.empty() && actors.back().first == actor)
            actors.back().second = stamp;
        else
            actors.emplace_back(actor, stamp);
    }
}

namespace {

void join_far(std::shared_ptr<const Far>& to, const std::shared_ptr<const Far>& from) {
    if (!from || from == to)
        return;
    if (!to) {
        to = from;
        return;
    }
    auto both = std::make_shared<Far>(*to);
    for (const auto& [cluster, view] : *from)
        (*both)[cluster].join(view);
    to = std::move(both);
}

// Under which number a cluster publishes what only its own threads may learn.
std::int64_t near_number(std::int64_t cluster) {
    return ~cluster;
}

} // namespace

void Clock::join(const Clock& other) {
    seen.join(other.seen);
    fenced.join(other.fenced);
    flushed.join(other.flushed);
    near.join(other.near);
    join_far(far, other.far);
    join_far(heard, other.heard);
}

Order::Order(int blocks, int lanes)
    : m_lanes(lanes), m_threads(blocks * lanes), m_warps(static_cast<std::size_t>(m_threads) / word_lanes),
      m_refs(static_cast<std::size_t>(m_threads)), m_clocks(1), m_own_fenced(static_cast<std::size_t>(m_threads)),
      m_own_flushed(static_cast<std::size_t>(m_threads)), m_own_near(static_cast<std::size_t>(m_threads)) {}

void Order::start(std::int64_t number) {
    m_number = number;
    m_has_wrapped = m_now > most_stamps;
    m_now = m_has_wrapped ? 2 : m_now + 1;
    m_first = m_now - 1;
    ++m_version;
    Clock all;
    all.seen.floor = all.fenced.floor = all.flushed.floor = all.near.floor = m_now - 1;
    m_clocks.assign(1, all);
    m_most_clocks = spare_clocks;
    std::fill(m_refs.begin(), m_refs.end(), 0u);
    std::fill(m_own_fenced.begin(), m_own_fenced.end(), 0u);
    std::fill(m_own_flushed.begin(), m_own_flushed.end(), 0u);
    std::fill(m_own_near.begin(), m_own_near.end(), 0u);
    m_is_uniform = true;
    m_has_fences = false;
    m_units = first_unit;
    m_histories.clear();
    m_last = {};
    m_last_join = m_last_renewed = {};
    m_published.clear();
}

Actor Order::new_unit() {
    return m_units + 1 < several_updaters ? m_units++ : static_cast<Actor>(several_updaters - 1);
}

Clock Order::release(int rank, const Mask& lanes, const Mask& alive) {
    Clock out;
    std::uint32_t last = ~0u;
    const int first = rank * m_lanes;
    for (int w = 0; w < m_lanes / 32; ++w) {
        const std::uint32_t on = lanes.warp(w);
        if (!on)
            continue;
        const std::size_t warp = warp_of(static_cast<Actor>(first)) + static_cast<std::size_t>(w);
        const bool is_whole = (alive.warp(w) & ~on) == 0;
        Stamp fenced = in_flight, flushed = in_flight, near = in_flight;
        for (std::uint32_t rest = on; rest; rest &= rest - 1) {
            const auto thread = static_cast<std::size_t>(first + 32 * w + __builtin_ctz(rest));
            if (m_refs[thread] != last) {
                last = m_refs[thread];
                out.join(m_clocks[last]);
            }
            fenced = std::min(fenced, m_own_fenced[thread]);
            flushed = std::min(flushed, m_own_flushed[thread]);
            near = std::min(near, m_own_near[thread]);
        }
        if (is_whole)
            out.seen.add_warp(warp, m_warps, m_now);
        if (is_whole && fenced)
            out.fenced.add_warp(warp, m_warps, fenced);
        if (is_whole && flushed)
            out.flushed.add_warp(warp, m_warps, flushed);
        if (is_whole && near)
            out.near.add_warp(warp, m_warps, near);
        for (std::uint32_t rest = on; rest; rest &= rest - 1) {
            const auto thread = static_cast<Actor>(first + 32 * w + __builtin_ctz(rest));
            if (!is_whole)
                out.seen.add(thread, m_now);
            if (m_own_fenced[thread])
                out.fenced.add(thread, m_own_fenced[thread]);
            if (m_own_flushed[thread])
                out.flushed.add(thread, m_own_flushed[thread]);
            if (m_own_near[thread])
                out.near.add(thread, m_own_near[thread]);
        }
    }
    // Of a block alone in its cluster, all whose threads are there.
    const std::vector<Stamp>& warps = out.seen.warps;
    if (m_threads == m_lanes && !warps.empty() && *std::min_element(warps.begin(), warps.end()) == m_now) {
        out.seen.floor = m_now;
        out.seen.warps.clear();
        std::erase_if(out.seen.actors, [](const auto& entry) { return is_thread(entry.first); });
    }
    return out;
}

void Order::set_clock(int rank, const Mask& lanes, const Clock& other) {
    if (m_clocks.size() > m_most_clocks)
        collect();
    std::uint32_t last = ~0u, row = 0;
    int distinct = 0, count = 0;
    const int first = rank * m_lanes;
    for (int w = 0; w < m_lanes / 32; ++w)
        for (std::uint32_t rest = lanes.warp(w); rest; rest &= rest - 1, ++count) {
            std::uint32_t& ref = m_refs[static_cast<std::size_t>(first + 32 * w + __builtin_ctz(rest))];
            if (ref != last) {
                last = ref;
                ++distinct;
                Clock joined = m_clocks[ref];
                joined.join(other);
                row = static_cast<std::uint32_t>(m_clocks.size());
                m_clocks.push_back(std::move(joined));
            }
            ref = row;
        }
    m_is_uniform = distinct == 1 && count == m_threads;
    ++m_version;
}

// Most kernels do nothing else, often: one number for everybody.
void Order::sync_block(int rank, const Mask& all, const Mask& alive) {
    if (m_is_uniform && m_threads == m_lanes && !m_has_fences) {
        View& seen = m_clocks[m_refs[0]].seen;
        seen.floor = m_now;
        seen.warps.clear();
        std::erase_if(seen.actors, [](const auto& entry) { return is_thread(entry.first); });
        ++m_version;
    } else {
        acquire(rank, all, release(rank, all, alive));
    }
    step();
}

void Order::acquire(int rank, const Mask& lanes, const Clock& clock) {
    set_clock(rank, lanes, clock);
}

// Clocks that threads have, in the order of the threads.
void Order::collect() {
    std::vector<Clock> kept;
    std::unordered_map<std::uint32_t, std::uint32_t> rows;
    for (std::uint32_t& ref : m_refs) {
        const auto [it, is_new] = rows.try_emplace(ref, static_cast<std::uint32_t>(kept.size()));
        if (is_new)
            kept.push_back(std::move(m_clocks[ref]));
        ref = it->second;
    }
    m_clocks = std::move(kept);
    m_most_clocks = 2 * m_clocks.size() + spare_clocks;
}

template <class Pass>
void Order::pass_fence(int rank, const Mask& lanes, std::vector<Stamp>& own, Pass&& pass) {
    std::uint32_t last = ~0u, row = 0;
    const int first = rank * m_lanes;
    m_is_uniform = false;
    m_has_fences = true;
    for (int lane = 0; lane < m_lanes; ++lane) {
        if (!lanes.test(lane))
            continue;
        const auto thread = static_cast<std::size_t>(first + lane);
        own[thread] = m_now;
        if (m_refs[thread] != last) {
            last = m_refs[thread];
            Clock passed = m_clocks[last];
            pass(passed);
            row = static_cast<std::uint32_t>(m_clocks.size());
            m_clocks.push_back(std::move(passed));
        }
        m_refs[thread] = row;
    }
    step();
    ++m_version;
    if (m_clocks.size() > m_most_clocks)
        collect();
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
        if (const auto own = clock.heard->find(number); own != clock.heard->end())
            clock.seen.join(own->second);
    if (is_near)
        return;
    join_far(clock.far, clock.heard);
    clock.heard = nullptr;
}

Stamp Order::floor(int rank, const Mask& lanes) const {
    if (m_is_uniform)
        return m_clocks[m_refs[0]].seen.floor;
    std::uint32_t last = ~0u;
    Stamp least = in_flight;
    const int first = rank * m_lanes;
    for (int w = 0; w < m_lanes / 32; ++w)
        for (std::uint32_t rest = lanes.warp(w); rest; rest &= rest - 1) {
            const std::uint32_t ref = m_refs[static_cast<std::size_t>(first + 32 * w + __builtin_ctz(rest))];
            if (ref == last)
                continue;
            last = ref;
            least = std::min(least, m_clocks[ref].seen.floor);
        }
    return least;
}

Stamp Order::least_floor() const {
    if (m_is_uniform)
        return m_clocks[m_refs[0]].seen.floor;
    Stamp least = in_flight;
    for (const std::uint32_t ref : m_refs)
        least = std::min(least, m_clocks[ref].seen.floor);
    return least;
}

// ---- who ---------------------------------------------------------------------------------------------------------

Actor Order::set_of(int rank, const Mask& lanes) {
    const int chunks = m_lanes / 16;
    const int first = lanes.first(chunks);
    Mask mask;
    if (first >= 0)
        mask.set(first);
    if (first >= 0 && mask.equals(lanes, chunks))
        return thread_actor(rank, first);
    mask = lanes;
    if (m_sets.size() >= most_sets)
        for (int w = 0; w < m_lanes / 32; ++w)
            mask.set_warp(w, lanes.warp(w) ? ~0u : 0u);
    std::string key(reinterpret_cast<const char*>(mask.bits), static_cast<std::size_t>(chunks) * sizeof mask.bits[0]);
    key += static_cast<char>(rank);
    const auto [it, is_new] = m_set_rows.try_emplace(std::move(key), static_cast<Actor>(first_set + m_sets.size()));
    if (is_new)
        m_sets.push_back({rank, mask});
    return it->second;
}

Mask Order::lanes_of(Actor actor) const {
    Mask lanes;
    if (is_thread(actor))
        lanes.set(actor % m_lanes);
    return is_thread(actor) ? lanes : set(actor).lanes;
}

template <class F>
bool Order::for_members(Actor actor, F&& f) const {
    if (actor < first_set)
        return f(actor);
    const ThreadSet& members = set(actor);
    for (int w = 0; w < m_lanes / 32; ++w)
        for (std::uint32_t rest = members.lanes.warp(w); rest; rest &= rest - 1)
            if (!f(static_cast<Actor>(members.rank * m_lanes + 32 * w + __builtin_ctz(rest))))
                return false;
    return true;
}

bool Order::thread_is_before(const Clock& clock, Actor actor, Stamp stamp, Actor thread, bool to_unit) const {
    if (!to_unit)
        return actor == thread || clock.seen.covers(actor, stamp);
    if (!is_thread(actor))
        return clock.seen.covers(actor, stamp);
    return (actor == thread && m_own_fenced[thread] >= stamp) || clock.fenced.covers(actor, stamp);
}

bool Order::is_before(Actor actor, Stamp stamp, Actor who, bool to_unit, Pair& pair) const {
    std::uint32_t known = ~0u; // a clock that covers all of the actor
    return for_members(who, [&](Actor thread) {
        const std::uint32_t ref = m_refs[thread];
        if (ref == known)
            return true;
        const Clock& clock = m_clocks[ref];
        bool by_clock = true;
        const bool fine = for_members(actor, [&](Actor first) {
            if ((to_unit && is_thread(first) ? clock.fenced : clock.seen).covers(first, stamp))
                return true;
            by_clock = false;
            pair = {first, thread};
            return thread_is_before(clock, first, stamp, thread, to_unit);
        });
        if (by_clock)
            known = ref;
        return fine;
    });
}

Actor Order::united(Actor a, Actor b) {
    if (a == b)
        return a;
    const auto key = std::minmax(a, b);
    const auto found = m_unions.find(key);
    if (found != m_unions.end())
        return found->second;
    Mask mask;
    int rank = 0;
    for (Actor actor : {a, b})
        for_members(actor, [&](Actor thread) {
            rank = thread / m_lanes;
            mask.set(thread % m_lanes);
            return true;
        });
    const Actor both = set_of(rank, mask);
    m_unions.emplace(key, both);
    return both;
}

// One cell for several accesses, of which the last one is kept in any case.
Cell Order::history_of(std::vector<Cell> kept, std::uint32_t pc) {
    if (kept.size() == 1 || !has_room())
        return kept.back();
    if (kept.size() > most_entries)
        kept.erase(kept.begin());
    const Cell out = cell_of(in_flight - 1, static_cast<Actor>(first_history + m_histories.size()), pc);
    m_histories.push_back(std::move(kept));
    return out;
}

Cell Order::merged(Cell cell, Actor as, Actor who, std::uint32_t pc) {
    if (m_last.from == cell && m_last.as == as && m_last.who == who && m_last.pc == pc && m_last.now == m_now &&
        m_last.version == m_version && cell)
        return m_last.to;
    // At one stamp nothing is before what another one does.
    const Actor by = actor_of(cell);
    const bool is_now = cell && stamp_of(cell) == m_now && by < first_history && !is_unit(by) && !is_unit(as);
    if (is_now && rank_of(by) == rank_of(as)) {
        const Cell out = cell_of(m_now, united(by, as), pc);
        m_last = {.from = cell, .to = out, .as = as, .who = who, .now = m_now, .version = m_version, .pc = pc};
        return out;
    }
    std::vector<Cell> kept;
    Actor now_by = as;
    Pair pair;
    for_each(cell, [&](Cell each) {
        const Actor actor = actor_of(each);
        if (actor == now_by || is_before(actor, stamp_of(each), who, false, pair))
            return;
        const bool unites = stamp_of(each) == m_now && !is_unit(actor) && !is_unit(as) && rank_of(actor) == rank_of(as);
        if (unites)
            now_by = united(actor, now_by);
        else
            kept.push_back(each);
    });
    kept.push_back(cell_of(stamp_now(as), now_by, pc));
    const Cell out = history_of(std::move(kept), pc);
    m_last = {.from = cell, .to = out, .as = as, .who = who, .now = m_now, .version = m_version, .pc = pc};
    return out;
}

Cell Order::joined(Cell cell, Cell late) {
    if (m_last_join.from == cell && m_last_join.late == late)
        return m_last_join.to;
    const auto clock_of = [](Cell each) { return stamp_of(each) & ~of_unit; };
    const Actor as = actor_of(late);
    std::vector<Cell> kept;
    for_each(cell, [&](Cell each) { kept.push_back(each); });
    Cell out = cell;
    if (const Cell last = kept.back(); clock_of(last) <= stamp_of(late)) {
        const Actor by = actor_of(last);
        const bool unites = stamp_of(last) == stamp_of(late) && !is_unit(by) && rank_of(by) == rank_of(as);
        if (unites)
            kept.back() = cell_of(stamp_of(late), united(by, as), pc_of(late));
        else
            kept.push_back(late);
        out = history_of(std::move(kept), pc_of(late));
    }
    m_last_join = {cell, late, out};
    return out;
}

Cell Order::renewed(Cell cell, Cell late) {
    if (!cell)
        return late;
    if (m_last_renewed.from == cell && m_last_renewed.late == late)
        return m_last_renewed.to;
    std::vector<Cell> kept;
    for_each(cell, [&](Cell each) {
        if (actor_of(each) != actor_of(late))
            kept.push_back(each);
    });
    kept.push_back(late);
    const Cell out = history_of(std::move(kept), pc_of(late));
    m_last_renewed = {cell, late, out};
    return out;
}

// ---- atomics -----------------------------------------------------------------------------------------------------

void Order::publish(int thread, const std::byte* address, Published& published) {
    const auto t = static_cast<std::size_t>(thread);
    const Clock& clock = m_clocks[m_refs[t]];
    const auto is_empty = [this](const View& view) {
        return view.floor <= m_first && view.warps.empty() && view.actors.empty();
    };
    const bool has_near = m_own_near[t] || !is_empty(clock.near);
    if (!has_near && !m_own_flushed[t] && is_empty(clock.flushed) && !clock.far)
        return; // no fence is behind anything that it knows
    std::shared_ptr<Far>& there = published[address];
    if (!there)
        there = std::make_shared<Far>();
    else if (there.use_count() > 1)
        there = std::make_shared<Far>(*there);
    View& own = (*there)[m_number];
    own.join(clock.flushed);
    own.add(static_cast<Actor>(thread), m_own_flushed[t]);
    if (has_near) {
        View& near = (*there)[near_number(m_number)];
        near.join(clock.near);
        near.add(static_cast<Actor>(thread), m_own_near[t]);
    }
    for (const auto& [cluster, view] : clock.far ? *clock.far : Far{})
        (*there)[cluster].join(view);
    step();
}

void Order::observe(int thread, const std::byte* address, const Published& published) {
    if (published.empty())
        return;
    const auto it = published.find(address);
    if (it == published.end())
        return;
    const Clock& own = m_clocks[m_refs[static_cast<std::size_t>(thread)]];
    if (own.far == it->second || own.heard == it->second)
        return;
    Clock known;
    known.heard = it->second;
    Mask one;
    one.set(thread % m_lanes);
    set_clock(thread / m_lanes, one, known);
}

static bool covers(const std::shared_ptr<const Far>& far, std::int64_t cluster, Actor actor, Stamp stamp) {
    if (!far)
        return false;
    const auto it = far->find(cluster);
    return it != far->end() && it->second.covers(actor, stamp);
}

bool Order::is_far_before(std::int64_t cluster, Actor actor, Stamp stamp, int thread) const {
    return covers(clock(thread).far, cluster, actor, stamp);
}

bool Order::is_heard_before(std::int64_t cluster, Actor actor, Stamp stamp, int thread) const {
    return covers(clock(thread).heard, cluster, actor, stamp);
}

} // namespace hidet::vm
