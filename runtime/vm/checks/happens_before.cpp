// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/checks/happens_before.h"

#include <algorithm>
#include <cstring>

namespace hidet::vm {

namespace {

constexpr std::size_t few_actors = 16;    // that are added one by one
constexpr std::size_t most_sets = 0x2000; // of threads that are kept apart; then sets have whole warps
constexpr std::size_t most_entries = 64;  // of a history
constexpr std::size_t word_lanes = 32;
constexpr Epoch most_epochs = 1u << 27; // before a cluster begins

std::size_t warp_of(Actor thread) {
    return thread / word_lanes;
}

} // namespace

bool VectorClock::covers(Actor actor, Epoch epoch) const {
    if (is_thread(actor) && (epoch <= floor || (warp_of(actor) < warps.size() && epoch <= warps[warp_of(actor)])))
        return true;
    const auto it = std::lower_bound(actors.begin(), actors.end(), std::pair<Actor, Epoch>(actor, 0));
    return it != actors.end() && it->first == actor && epoch <= it->second;
}

void VectorClock::add(Actor actor, Epoch epoch) {
    if (covers(actor, epoch))
        return;
    const auto it = std::lower_bound(actors.begin(), actors.end(), std::pair<Actor, Epoch>(actor, 0));
    if (it != actors.end() && it->first == actor)
        it->second = epoch;
    else
        actors.insert(it, {actor, epoch});
}

void VectorClock::add_warp(std::size_t warp, std::size_t count, Epoch epoch) {
    if (epoch <= floor)
        return;
    if (warps.empty())
        warps.resize(count);
    warps[warp] = std::max(warps[warp], epoch);
}

void VectorClock::join(const VectorClock& other) {
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
    if (actors.empty())
        actors.reserve(other.actors.size());
    auto at = actors.begin();
    for (const auto& [actor, epoch] : other.actors) {
        while (at != actors.end() && at->first < actor)
            ++at;
        if (at != actors.end() && at->first == actor)
            at->second = std::max(at->second, epoch);
        else if (!is_thread(actor) || !covers(actor, epoch))
            at = actors.insert(at, {actor, epoch});
    }
}

void VectorClock::merge(const std::vector<std::pair<Actor, Epoch>>& others) {
    std::vector<std::pair<Actor, Epoch>> all;
    all.reserve(actors.size() + others.size());
    std::merge(actors.begin(), actors.end(), others.begin(), others.end(), std::back_inserter(all));
    actors.clear();
    for (const auto& [actor, epoch] : all) { // of one actor the larger epoch comes last
        const bool is_warp_better = warp_of(actor) < warps.size() && epoch <= warps[warp_of(actor)];
        if (is_thread(actor) && (epoch <= floor || is_warp_better))
            continue;
        if (!actors.empty() && actors.back().first == actor)
            actors.back().second = epoch;
        else
            actors.emplace_back(actor, epoch);
    }
}

void join_far(std::shared_ptr<const Far>& to, const std::shared_ptr<const Far>& from) {
    if (!from || (to && to->includes(*from)))
        return;
    if (!to || from->includes(*to)) {
        to = from;
        return;
    }
    auto both = std::make_shared<Far>(*to);
    both->place = nullptr;
    for (const auto& [cluster, view] : from->clusters)
        both->clusters[cluster].join(view);
    to = std::move(both);
}

void Clock::join(const Clock& other) {
    seen.join(other.seen);
    fenced.join(other.fenced);
    flushed.join(other.flushed);
    near.join(other.near);
    join_far(far, other.far);
    join_far(heard, other.heard);
    flushed_to_all.join(other.flushed_to_all);
    join_far(far_to_all, other.far_to_all);
    join_far(heard_from_all, other.heard_from_all);
}

void SharedClocks::start(const Clock& all) {
    clocks.assign(1, all);
    m_sharers.assign(1, static_cast<std::uint32_t>(refs.size()));
    m_part_of.assign(1, 0u);
    m_spare.clear();
    std::ranges::fill(refs, 0u);
    are_all_one = true;
    ++version;
}

bool SharedClocks::are_one(int thread) const {
    const std::uint32_t* const own = refs.data() + thread;
    return std::memcmp(own, own + 1, (word_lanes - 1) * sizeof *own) == 0; // each is as the one before
}

// Clocks that only these threads have are changed where they are, and others copied before.
void SharedClocks::change(int rank, const Mask& mask, const std::function<void(Clock&)>& change) {
    const int first = rank * lanes;
    m_parts.clear();
    const auto part_of = [&](std::uint32_t row) -> Part& {
        const std::uint32_t known = m_part_of[row];
        if (known < m_parts.size() && m_parts[known].from == row)
            return m_parts[known];
        m_part_of[row] = static_cast<std::uint32_t>(m_parts.size());
        return m_parts.emplace_back(Part{.from = row, .to = row});
    };
    const auto for_each_part = [&](auto&& f) { // and the threads of it; of a warp at once, where they share a clock
        for (int w = 0; w < lanes / 32; ++w) {
            const std::uint32_t on = mask.warp(w);
            std::uint32_t* const own_refs = refs.data() + first + 32 * w;
            const bool is_shared = on && are_one(first + 32 * w);
            for (std::uint32_t rest = on; rest; rest &= rest - 1) {
                const std::uint32_t own = is_shared ? rest : rest & -rest;
                f(part_of(own_refs[__builtin_ctz(rest)]), own_refs, own);
                rest = is_shared ? rest & -rest : rest;
            }
        }
    };
    for_each_part([](Part& part, const std::uint32_t*, std::uint32_t own) { part.threads += __builtin_popcount(own); });
    bool moves = false;
    for (Part& part : m_parts) {
        if (part.threads < m_sharers[part.from]) {
            moves = true;
            part.to = spare_row();
            clocks[part.to] = clocks[part.from];
            m_sharers[part.from] -= part.threads;
            m_sharers[part.to] = part.threads;
        }
        change(clocks[part.to]);
    }
    if (moves)
        for_each_part([](const Part& part, std::uint32_t* own_refs, std::uint32_t own) {
            for (; own; own &= own - 1)
                own_refs[__builtin_ctz(own)] = part.to;
        });
    are_all_one = m_parts.size() == 1 && m_parts[0].threads == refs.size();
    ++version;
}

std::uint32_t SharedClocks::spare_row() {
    if (!m_spare.empty()) {
        const std::uint32_t row = m_spare.back();
        m_spare.pop_back();
        return row;
    }
    clocks.emplace_back();
    m_sharers.push_back(0);
    m_part_of.push_back(0);
    return static_cast<std::uint32_t>(clocks.size()) - 1;
}

void SharedClocks::replace(int rank, const Mask& mask, Clock by) {
    const std::uint32_t row = spare_row();
    clocks[row] = std::move(by);
    for (int w = 0; w < lanes / 32; ++w)
        for (std::uint32_t rest = mask.warp(w); rest; rest &= rest - 1) {
            std::uint32_t& ref = refs[static_cast<std::size_t>(rank * lanes + 32 * w + __builtin_ctz(rest))];
            if (--m_sharers[ref] == 0)
                m_spare.push_back(ref);
            ref = row;
            ++m_sharers[row];
        }
    are_all_one = m_sharers[row] == refs.size();
    ++version;
}

template <class F>
bool ThreadSets::for_members(Actor actor, F&& f) const {
    if (actor < first_set)
        return f(actor);
    const ThreadSet& members = at(actor);
    for (int w = 0; w < lanes / 32; ++w)
        for (std::uint32_t rest = members.lanes.warp(w); rest; rest &= rest - 1)
            if (!f(static_cast<Actor>(members.rank * lanes + 32 * w + __builtin_ctz(rest))))
                return false;
    return true;
}

Actor ThreadSets::of(int rank, const Mask& whole) {
    const int chunks = lanes / 16;
    const int first = whole.first(chunks);
    Mask mask;
    if (first >= 0)
        mask.set(first);
    if (first >= 0 && mask.equals(whole, chunks))
        return static_cast<Actor>(rank * lanes + first);
    mask = whole;
    if (all.size() >= most_sets)
        for (int w = 0; w < lanes / 32; ++w)
            mask.set_warp(w, whole.warp(w) ? ~0u : 0u);
    std::string key(reinterpret_cast<const char*>(mask.bits), static_cast<std::size_t>(chunks) * sizeof mask.bits[0]);
    key += static_cast<char>(rank);
    const auto [it, is_new] = rows.try_emplace(std::move(key), static_cast<Actor>(first_set + all.size()));
    if (is_new)
        all.push_back({rank, mask});
    return it->second;
}

Actor ThreadSets::united(Actor a, Actor b) {
    if (a == b)
        return a;
    const auto key = std::minmax(a, b);
    const auto found = unions.find(key);
    if (found != unions.end())
        return found->second;
    Mask mask;
    int rank = 0;
    for (Actor actor : {a, b})
        for_members(actor, [&](Actor thread) {
            rank = thread / lanes;
            mask.set(thread % lanes);
            return true;
        });
    const Actor both = of(rank, mask);
    unions.emplace(key, both);
    return both;
}

// One cell for several accesses, of which the last one is kept in any case.
Cell Histories::add(std::vector<Cell> kept, std::uint32_t pc) {
    if (kept.size() == 1 || !has_room())
        return kept.back();
    if (kept.size() > most_entries)
        kept.erase(kept.begin());
    const Cell out = cell_of(in_flight - 1, static_cast<Actor>(first_history + all.size()), pc);
    all.push_back(std::move(kept));
    return out;
}

Order::Order(int blocks, int lanes)
    : m_lanes(lanes), m_threads(blocks * lanes), m_warps(static_cast<std::size_t>(m_threads) / word_lanes),
      m_clocks(lanes, m_threads), m_own_fenced(static_cast<std::size_t>(m_threads)),
      m_own_flushed(static_cast<std::size_t>(m_threads)), m_own_near(static_cast<std::size_t>(m_threads)),
      m_own_to_all(static_cast<std::size_t>(m_threads)), m_sets{lanes} {}

void Order::start(std::int64_t number) {
    m_number = number;
    m_has_wrapped = m_now > most_epochs;
    m_now = m_has_wrapped ? 2 : m_now + 1;
    m_first = m_now - 1;
    Clock all;
    all.seen.floor = all.fenced.floor = all.flushed.floor = all.near.floor = all.flushed_to_all.floor = m_now - 1;
    m_clocks.start(all);
    std::ranges::fill(m_own_fenced, 0u);
    std::ranges::fill(m_own_flushed, 0u);
    std::ranges::fill(m_own_near, 0u);
    std::ranges::fill(m_own_to_all, 0u);
    m_has_fences = false;
    m_units = first_unit;
    m_histories = {};
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
        for (std::uint32_t rest = m_clocks.are_one(first + 32 * w) ? on & -on : on; rest; rest &= rest - 1) {
            const auto thread = static_cast<std::size_t>(first + 32 * w + __builtin_ctz(rest));
            if (m_clocks.refs[thread] != last) {
                last = m_clocks.refs[thread];
                out.join(m_clocks.clocks[last]);
            }
        }
        if (is_whole)
            out.seen.add_warp(warp, m_warps, m_now);
        if (is_whole && !m_has_fences)
            continue;
        for (std::uint32_t rest = is_whole ? 0 : on; rest; rest &= rest - 1)
            out.seen.add(static_cast<Actor>(first + 32 * w + __builtin_ctz(rest)), m_now);
        for (const auto& [view, own] :
             {std::pair(&out.fenced, m_own_fenced.data()), std::pair(&out.flushed, m_own_flushed.data()),
              std::pair(&out.near, m_own_near.data()), std::pair(&out.flushed_to_all, m_own_to_all.data())}) {
            Epoch least = in_flight;
            for (std::uint32_t rest = on; rest; rest &= rest - 1)
                least = std::min(least, own[first + 32 * w + __builtin_ctz(rest)]);
            if (is_whole && least)
                view->add_warp(warp, m_warps, least);
            for (std::uint32_t rest = on; rest; rest &= rest - 1) {
                const int thread = first + 32 * w + __builtin_ctz(rest);
                if (own[thread])
                    view->add(static_cast<Actor>(thread), own[thread]);
            }
        }
    }
    // Of a block alone in its cluster, all whose threads are there.
    const std::vector<Epoch>& warps = out.seen.warps;
    if (m_threads == m_lanes && !warps.empty() && *std::ranges::min_element(warps) == m_now) {
        out.seen.floor = m_now;
        out.seen.warps.clear();
        std::erase_if(out.seen.actors, [](const auto& entry) { return is_thread(entry.first); });
    }
    return out;
}

// Most kernels do nothing else, often: one number for everybody.
void Order::sync_block(int rank, const Mask& all, const Mask& alive) {
    if (m_clocks.are_all_one && m_threads == m_lanes && !m_has_fences) {
        VectorClock& seen = m_clocks.clocks[m_clocks.refs[0]].seen;
        seen.floor = m_now;
        seen.warps.clear();
        std::erase_if(seen.actors, [](const auto& entry) { return is_thread(entry.first); });
        ++m_clocks.version;
    } else {
        sync(rank, all, alive);
    }
    step();
}

// Afterwards they all know the same.
void Order::sync(int rank, const Mask& lanes, const Mask& alive) {
    m_clocks.replace(rank, lanes, release(rank, lanes, alive));
}

void Order::acquire(int rank, const Mask& lanes, const Clock& clock) {
    m_clocks.change(rank, lanes, [&](Clock& own) { own.join(clock); });
}

Epoch Order::floor(int rank, const Mask& lanes) const {
    if (m_clocks.are_all_one)
        return m_clocks.clocks[m_clocks.refs[0]].seen.floor;
    std::uint32_t last = ~0u;
    Epoch least = in_flight;
    const int first = rank * m_lanes;
    for (int w = 0; w < m_lanes / 32; ++w) {
        const std::uint32_t on = lanes.warp(w);
        for (std::uint32_t rest = m_clocks.are_one(first + 32 * w) ? on & -on : on; rest; rest &= rest - 1) {
            const std::uint32_t ref = m_clocks.refs[static_cast<std::size_t>(first + 32 * w + __builtin_ctz(rest))];
            if (ref == last)
                continue;
            last = ref;
            least = std::min(least, m_clocks.clocks[ref].seen.floor);
        }
    }
    return least;
}

Epoch Order::least_floor() const {
    if (m_clocks.are_all_one)
        return m_clocks.clocks[m_clocks.refs[0]].seen.floor;
    Epoch least = in_flight;
    for (const std::uint32_t ref : m_clocks.refs)
        least = std::min(least, m_clocks.clocks[ref].seen.floor);
    return least;
}

// ---- who ---------------------------------------------------------------------------------------------------------

Mask Order::lanes_of(Actor actor) const {
    Mask lanes;
    if (is_thread(actor))
        lanes.set(actor % m_lanes);
    return is_thread(actor) ? lanes : set(actor).lanes;
}

bool Order::thread_is_before(const Clock& clock, Actor actor, Epoch epoch, Actor thread, bool to_unit) const {
    if (!to_unit)
        return actor == thread || clock.seen.covers(actor, epoch);
    if (!is_thread(actor))
        return clock.seen.covers(actor, epoch);
    return (actor == thread && m_own_fenced[thread] >= epoch) || clock.fenced.covers(actor, epoch);
}

bool Order::is_before(Actor actor, Epoch epoch, Actor who, bool to_unit, Pair& pair) const {
    std::uint32_t known = ~0u; // a clock that covers all of the actor
    const auto is_known_to = [&](Actor thread) {
        const std::uint32_t ref = m_clocks.refs[thread];
        if (ref == known)
            return true;
        const Clock& clock = m_clocks.clocks[ref];
        bool by_clock = true;
        const bool fine = m_sets.for_members(actor, [&](Actor first) {
            if ((to_unit && is_thread(first) ? clock.fenced : clock.seen).covers(first, epoch))
                return true;
            by_clock = false;
            pair = {first, thread};
            return thread_is_before(clock, first, epoch, thread, to_unit);
        });
        if (by_clock)
            known = ref;
        return fine;
    };
    if (who < first_set)
        return is_known_to(who);
    const ThreadSet& members = set(who);
    for (int w = 0; w < m_lanes / 32; ++w) {
        std::uint32_t rest = members.lanes.warp(w);
        const int first = members.rank * m_lanes + 32 * w;
        if (rest && m_clocks.are_one(first)) {
            if (!is_known_to(static_cast<Actor>(first + __builtin_ctz(rest))))
                return false;
            if (known == m_clocks.refs[static_cast<std::size_t>(first)])
                continue;
        }
        for (; rest; rest &= rest - 1)
            if (!is_known_to(static_cast<Actor>(first + __builtin_ctz(rest))))
                return false;
    }
    return true;
}

bool Order::knows_of(int rank, Actor who) const {
    Pair pair;
    for (int lane = 0; lane < m_lanes; ++lane)
        if (is_before(thread_actor(rank, lane), m_first + 1, who, false, pair))
            return true;
    return false;
}

Cell Order::merged(Cell cell, Actor as, Actor who, std::uint32_t pc) {
    if (m_histories.merged.from == cell && m_histories.merged.as == as && m_histories.merged.who == who &&
        m_histories.merged.pc == pc && m_histories.merged.now == m_now &&
        m_histories.merged.version == m_clocks.version && cell)
        return m_histories.merged.to;
    // At one epoch nothing is before what another one does.
    const Actor by = actor_of(cell);
    const bool is_now = cell && epoch_of(cell) == m_now && by < first_history && !is_unit(by) && !is_unit(as);
    if (is_now && m_sets.rank_of(by) == m_sets.rank_of(as)) {
        const Cell out = cell_of(m_now, m_sets.united(by, as), pc);
        m_histories.merged = {
            .from = cell, .to = out, .as = as, .who = who, .now = m_now, .version = m_clocks.version, .pc = pc};
        return out;
    }
    std::vector<Cell> kept;
    Actor now_by = as;
    Pair pair;
    for_each(cell, [&](Cell each) {
        const Actor actor = actor_of(each);
        if (actor == now_by || is_before(actor, epoch_of(each), who, false, pair))
            return;
        const bool unites =
            epoch_of(each) == m_now && !is_unit(actor) && !is_unit(as) && m_sets.rank_of(actor) == m_sets.rank_of(as);
        if (unites)
            now_by = m_sets.united(actor, now_by);
        else
            kept.push_back(each);
    });
    kept.push_back(cell_of(epoch_now(as), now_by, pc));
    const Cell out = m_histories.add(std::move(kept), pc);
    m_histories.merged = {
        .from = cell, .to = out, .as = as, .who = who, .now = m_now, .version = m_clocks.version, .pc = pc};
    return out;
}

Cell Order::joined(Cell cell, Cell late) {
    if (m_histories.joined.from == cell && m_histories.joined.late == late)
        return m_histories.joined.to;
    const auto clock_of = [](Cell each) { return epoch_of(each) & ~of_unit; };
    const Actor as = actor_of(late);
    std::vector<Cell> kept;
    for_each(cell, [&](Cell each) { kept.push_back(each); });
    Cell out = cell;
    if (const Cell last = kept.back(); clock_of(last) <= epoch_of(late)) {
        const Actor by = actor_of(last);
        const bool unites =
            epoch_of(last) == epoch_of(late) && !is_unit(by) && m_sets.rank_of(by) == m_sets.rank_of(as);
        if (unites)
            kept.back() = cell_of(epoch_of(late), m_sets.united(by, as), pc_of(late));
        else
            kept.push_back(late);
        out = m_histories.add(std::move(kept), pc_of(late));
    }
    m_histories.joined = {cell, late, out};
    return out;
}

Cell Order::renewed(Cell cell, Cell late) {
    if (!cell)
        return late;
    if (m_histories.renewed.from == cell && m_histories.renewed.late == late)
        return m_histories.renewed.to;
    std::vector<Cell> kept;
    for_each(cell, [&](Cell each) {
        if (actor_of(each) != actor_of(late))
            kept.push_back(each);
    });
    kept.push_back(late);
    const Cell out = m_histories.add(std::move(kept), pc_of(late));
    m_histories.renewed = {cell, late, out};
    return out;
}

} // namespace hidet::vm
