// SPDX-License-Identifier: Apache-2.0
// The loops over granules compare stamps with the floor, which is all that kernels with barriers of the block need. What
// is not settled by that is looked at exactly, granule by granule.
#include "runtime/vm/shadow.h"

#include <algorithm>

#include "runtime/vm/settle.h"

namespace hidet::vm {

namespace {

constexpr std::size_t fewest_together = 8; // granules beside each other that are worth a look at all of them

}

Shadow::Shadow(std::int64_t bytes, int granule) : m_shift(__builtin_ctz(static_cast<unsigned>(granule))) {
    const std::size_t count = static_cast<std::size_t>(bytes >> m_shift) + 1;
    m_writes.resize(count);
    m_reads.resize(count);
}

void Shadow::clear() {
    std::fill(m_writes.begin(), m_writes.end(), Cell{0});
    std::fill(m_reads.begin(), m_reads.end(), Cell{0});
    m_updates.clear();
    m_known = 0;
    m_has_histories = false;
}

void Shadow::fill() {
    clear();
    std::fill(m_writes.begin(), m_writes.end(), cell_of(1, 0, last_pc));
}

// Histories do not outlive the cluster that made them.
void Shadow::open_again() {
    if (m_has_histories)
        fill();
    m_updates.clear();
    m_known = 0;
}

bool Shadow::is_fine(Cell cell, Actor who, const Visit& visit, Conflict& conflict) {
    const bool is_known = cell == m_known && who == m_known_by && visit.by_unit == m_known_to_unit &&
                          visit.order.version() == m_known_version;
    if (is_known)
        return true;
    if (stamp_of(cell) <= visit.floor) // of threads, which all know of
        return true;
    Order::Pair pair;
    bool fine = true;
    visit.order.for_each(cell, [&](Cell each) {
        const Actor actor = actor_of(each);
        const bool is_own = actor == (visit.by_unit ? visit.unit : who) && actor < first_set;
        if (!fine || (is_own && !visit.by_unit) || (is_own && is_unit(actor)) ||
            visit.order.is_before(actor, stamp_of(each), who, false, pair))
            return;
        fine = false;
        conflict.first = pair.first, conflict.second = pair.second, conflict.first_pc = pc_of(each);
    });
    if (fine && actor_of(cell) < first_history) {
        m_known = cell, m_known_by = who, m_known_to_unit = visit.by_unit;
        m_known_version = visit.order.version();
    }
    return fine;
}

// Of what threads wrote: whether a unit sees it.
bool Shadow::is_fenced(Cell cell, Actor who, const Visit& visit, Conflict& conflict) {
    Order::Pair pair;
    bool fine = true;
    visit.order.for_each(cell, [&](Cell each) {
        if (!fine || is_unit(actor_of(each)) || stamp_of(each) <= 1 ||
            visit.order.is_before(actor_of(each), stamp_of(each), who, true, pair))
            return;
        fine = false;
        conflict.first = pair.first, conflict.second = pair.second, conflict.first_pc = pc_of(each);
    });
    return fine;
}

void Shadow::look(Kind kind, std::size_t granule, Actor who, const Visit& visit, std::vector<Conflict>& found) {
    Cell& written = m_writes[granule];
    Cell& read = m_reads[granule];
    Cell none = 0;
    Cell& updated = m_updates.empty() ? none : m_updates[granule];
    if (actor_of(updated) == several_updaters)
        updated = cell_of(stamp_of(updated), visit.order.set_of(m_rank, m_updaters[granule]), pc_of(updated));
    Conflict conflict;
    conflict.granule = granule;
    conflict.second = who;
    const Actor as = visit.by_unit ? visit.unit : who;
    const auto tell = [&](Clash clash) {
        conflict.clash = clash;
        found.push_back(conflict);
    };
    if (!written && !updated) {
        if (kind != Kind::Write) {
            tell(Clash::Unwritten);
            written = cell_of(1, 0, last_pc); // by nobody in particular, before all
        }
    } else if (stamp_of(written) == in_flight) {
        conflict.first = actor_of(written), conflict.first_pc = pc_of(written);
        tell(actor_of(written) == barrier_object ? Clash::Barrier : Clash::Pending);
    } else if (written && !is_fine(written, who, visit, conflict)) {
        tell(Clash::AfterWrite);
        written = cell_of(1, 0, pc_of(written));
    } else if (written && visit.by_unit && !is_fenced(written, who, visit, conflict)) {
        tell(Clash::Unfenced);
        written = cell_of(1, 0, pc_of(written));
    }
    if (kind != Kind::Read && read && !is_fine(read, who, visit, conflict)) {
        tell(Clash::AfterRead);
        read = 0;
    }
    if (kind != Kind::Update && updated && !is_fine(updated, who, visit, conflict)) {
        tell(Clash::AfterUpdate);
        updated = 0;
        written = written ? written : cell_of(1, 0, last_pc);
    } else if (updated && visit.by_unit && !is_fenced(updated, who, visit, conflict)) {
        tell(Clash::Unfenced);
        updated = 0;
        written = written ? written : cell_of(1, 0, last_pc);
    }
    switch (kind) {
    case Kind::Read:
        read = visit.order.merged(read, as, who, visit.pc);
        m_has_histories = m_has_histories || actor_of(read) >= first_history;
        break;
    case Kind::Update:
        updated = visit.order.merged(updated, as, who, visit.pc);
        m_has_histories = m_has_histories || actor_of(updated) >= first_history;
        break;
    case Kind::Write:
        written = visit.is_reserved ? cell_of(in_flight, who < first_unit ? who : under_way, visit.pc)
                                    : cell_of(visit.order.stamp_now(as), as, visit.pc);
        read = updated = 0; // they are before this write, and whoever is behind it is behind them
        break;
    }
}

template <Shadow::Kind kind>
void Shadow::touch(const Touch* touches, const Cell* tags, std::size_t count, std::size_t base, const Visit& visit,
                   std::vector<Conflict>& found) {
    constexpr bool reads = kind == Kind::Read;
    constexpr Stamp undefined = reads ? 1 : 0; // so that what was never written is above every floor
    const Cell head = cell_of(visit.order.now(), 0, visit.pc);
    std::vector<Cell>& recorded = reads ? m_reads : m_writes;
    const bool is_plain = m_updates.empty();
    std::size_t run = 0; // where those that lie beside each other end
    for (std::size_t t = 0; t < count; ++t) {
        if (tags && is_plain && t == run) {
            for (run = t + 1; run < count && touches[run].granule == touches[run - 1].granule + 1;)
                ++run;
            const std::size_t at = base + static_cast<std::size_t>(touches[t].granule);
            if (run - t >= fewest_together)
                t += settle({.recorded = recorded.data() + at,
                             .written = m_writes.data() + at,
                             .read = m_reads.data() + at,
                             .tags = tags + t,
                             .count = run - t,
                             .head = head,
                             .floor = visit.floor,
                             .needs_value = reads});
            if (t == run) {
                --t;
                continue;
            }
        }
        const Actor who = touches[t].who;
        const std::size_t at = base + static_cast<std::size_t>(touches[t].granule);
        const Cell written = m_writes[at], read = m_reads[at];
        const bool is_own = actor_of(written) == who && stamp_of(written) != in_flight && (written || !reads);
        const bool is_ordered = stamp_of(written) - undefined < visit.floor + 1 - undefined || is_own;
        const bool is_last = stamp_of(read) <= visit.floor || actor_of(read) == who;
        if (is_ordered && is_last && is_plain && (reads || who < first_set))
            recorded[at] = head | Cell{who} << actor_shift;
        else
            look(kind, at, who, visit, found);
    }
}

void Shadow::read(const Touch* touches, const Cell* tags, std::size_t count, std::size_t base, const Visit& visit,
                  std::vector<Conflict>& found) {
    touch<Kind::Read>(touches, tags, count, base, visit, found);
}

void Shadow::write(const Touch* touches, const Cell* tags, std::size_t count, std::size_t base, const Visit& visit,
                   std::vector<Conflict>& found) {
    touch<Kind::Write>(touches, tags, count, base, visit, found);
}

// Atomics behind the last barrier of all, which is what most are.
bool Shadow::is_settled_update(std::size_t granule, Actor who, const Visit& visit) {
    const Cell written = m_writes[granule];
    Cell& updated = m_updates[granule];
    const int lanes = visit.order.lanes();
    const bool is_behind = stamp_of(written) <= visit.floor && stamp_of(m_reads[granule]) <= visit.floor;
    if (!is_behind || !(written || updated) || visit.by_unit || who / lanes != m_rank)
        return false;
    const Stamp now = visit.order.now();
    if (stamp_of(updated) <= visit.floor) {
        updated = cell_of(now, who, visit.pc);
        return true;
    }
    const Actor by = actor_of(updated);
    if (stamp_of(updated) != now || (by != several_updaters && (!is_thread(by) || by / lanes != m_rank)))
        return false;
    if (by == who)
        return true;
    if (by != several_updaters) {
        m_updaters[granule] = {};
        m_updaters[granule].set(by % lanes);
        updated = cell_of(now, several_updaters, pc_of(updated));
    }
    m_updaters[granule].set(who % lanes);
    return true;
}

void Shadow::update(std::size_t granule, Actor who, const Visit& visit, bool reads, std::vector<Conflict>& found) {
    if (m_updates.empty()) {
        m_updates.resize(m_writes.size());
        m_updaters.resize(m_writes.size());
    }
    if (!reads && !m_writes[granule] && !m_updates[granule])
        m_writes[granule] = cell_of(1, 0, last_pc);
    if (!is_settled_update(granule, who, visit))
        look(Kind::Update, granule, who, visit, found);
}

// Tiles have runs of equal cells: what is said of the first one holds for those that follow.
template <class Look>
void Shadow::look_at_run(std::size_t first, std::size_t count, std::vector<Conflict>& found, Look&& look) {
    const bool is_plain = m_updates.empty();
    for (std::size_t g = first, end = first + count; g < end;) {
        const Cell written = m_writes[g], read = m_reads[g], updated = is_plain ? 0 : m_updates[g];
        const std::size_t known = found.size(), at = g++;
        look(at);
        if (found.size() != known)
            continue;
        const Cell next_written = m_writes[at], next_read = m_reads[at];
        if (actor_of(updated) == several_updaters)
            continue;
        for (; g < end && m_writes[g] == written && m_reads[g] == read && (is_plain || m_updates[g] == updated); ++g) {
            m_writes[g] = next_written, m_reads[g] = next_read;
            if (!is_plain)
                m_updates[g] = m_updates[at];
        }
    }
}

void Shadow::read_run(std::size_t first, std::size_t count, Actor who, const Visit& visit,
                      std::vector<Conflict>& found) {
    look_at_run(first, count, found, [&](std::size_t g) {
        const Cell written = m_writes[g];
        const bool by_clock = !visit.by_unit && m_updates.empty() && stamp_of(written) - 1 < visit.floor;
        if (by_clock && (stamp_of(m_reads[g]) <= visit.floor || actor_of(m_reads[g]) == who))
            m_reads[g] = cell_of(visit.order.now(), who, visit.pc);
        else
            look(Kind::Read, g, who, visit, found);
    });
}

void Shadow::write_run(std::size_t first, std::size_t count, Actor who, const Visit& visit,
                       std::vector<Conflict>& found) {
    look_at_run(first, count, found, [&](std::size_t g) { look(Kind::Write, g, who, visit, found); });
}

void Shadow::forget(std::size_t first, std::size_t count) {
    std::fill_n(m_writes.begin() + static_cast<std::ptrdiff_t>(first), count, Cell{0});
}

void Shadow::arrive(std::size_t first, std::size_t count, Actor actor, Stamp stamp, std::uint32_t pc) {
    for (std::size_t g = first; g < first + count; ++g)
        m_writes[g] = cell_of(stamp, actor, pc);
}

} // namespace hidet::vm
