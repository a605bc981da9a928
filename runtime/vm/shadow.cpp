// SPDX-License-Identifier: Apache-2.0
// The loops over granules compare stamps with the floor, which is all that kernels with barriers of the block need. What
// is not settled by that is looked at exactly, granule by granule.
#include "runtime/vm/shadow.h"

#include <algorithm>

namespace hidet::vm {

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
}

bool Shadow::is_fine(Cell cell, Actor who, const Visit& visit, Conflict& conflict) {
    const bool is_known = cell == m_known && who == m_known_by && visit.by_unit == m_known_to_unit &&
                          visit.order.version() == m_known_version;
    if (is_known)
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

void Shadow::look(Kind kind, std::size_t granule, Actor who, const Visit& visit, std::vector<Conflict>& found) {
    Cell& written = m_writes[granule];
    Cell& read = m_reads[granule];
    Cell none = 0;
    Cell& updated = m_updates.empty() ? none : m_updates[granule];
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
        tell(Clash::Pending);
    } else if (written && !is_fine(written, who, visit, conflict)) {
        tell(Clash::AfterWrite);
        written = cell_of(1, 0, pc_of(written));
    } else if (written && visit.by_unit && is_thread(actor_of(written))) {
        Order::Pair pair;
        if (stamp_of(written) > 1 && !visit.order.is_before(actor_of(written), stamp_of(written), who, true, pair)) {
            conflict.first = pair.first, conflict.second = pair.second, conflict.first_pc = pc_of(written);
            tell(Clash::Unfenced);
            written = cell_of(1, 0, pc_of(written));
        }
    }
    if (kind != Kind::Read && read && !is_fine(read, who, visit, conflict)) {
        tell(Clash::AfterRead);
        read = 0;
    }
    if (kind != Kind::Update && updated && !is_fine(updated, who, visit, conflict)) {
        tell(Clash::AfterUpdate);
        updated = 0;
        written = written ? written : cell_of(1, 0, last_pc);
    }
    switch (kind) {
    case Kind::Read: read = visit.order.merged(read, as, who, visit.pc); break;
    case Kind::Update: updated = visit.order.merged(updated, as, who, visit.pc); break;
    case Kind::Write:
        written = visit.is_reserved ? cell_of(in_flight, who < first_unit ? who : under_way, visit.pc)
                                    : cell_of(visit.order.stamp_now(as), as, visit.pc);
        read = updated = 0; // they are before this write, and whoever is behind it is behind them
        break;
    }
}

template <Shadow::Kind kind>
void Shadow::touch(const Touch* touches, std::size_t count, std::size_t base, const Visit& visit,
                   std::vector<Conflict>& found) {
    constexpr bool reads = kind == Kind::Read;
    constexpr Stamp undefined = reads ? 1 : 0; // so that what was never written is above every floor
    const Cell head = cell_of(visit.order.now(), 0, visit.pc);
    std::vector<Cell>& recorded = reads ? m_reads : m_writes;
    const bool is_plain = m_updates.empty();
    for (std::size_t t = 0; t < count; ++t) {
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

void Shadow::read(const Touch* touches, std::size_t count, std::size_t base, const Visit& visit,
                  std::vector<Conflict>& found) {
    touch<Kind::Read>(touches, count, base, visit, found);
}

void Shadow::write(const Touch* touches, std::size_t count, std::size_t base, const Visit& visit,
                   std::vector<Conflict>& found) {
    touch<Kind::Write>(touches, count, base, visit, found);
}

void Shadow::update(std::size_t granule, Actor who, const Visit& visit, bool reads, std::vector<Conflict>& found) {
    if (m_updates.empty())
        m_updates.resize(m_writes.size());
    if (!reads && !m_writes[granule] && !m_updates[granule])
        m_writes[granule] = cell_of(1, 0, last_pc);
    look(Kind::Update, granule, who, visit, found);
}

void Shadow::read_run(std::size_t first, std::size_t count, Actor who, const Visit& visit,
                      std::vector<Conflict>& found) {
    for (std::size_t g = first; g < first + count; ++g) {
        const Cell written = m_writes[g];
        const bool by_clock = !visit.by_unit && m_updates.empty() && stamp_of(written) - 1 < visit.floor;
        if (by_clock && (stamp_of(m_reads[g]) <= visit.floor || actor_of(m_reads[g]) == who))
            m_reads[g] = cell_of(visit.order.now(), who, visit.pc);
        else
            look(Kind::Read, g, who, visit, found);
    }
}

void Shadow::write_run(std::size_t first, std::size_t count, Actor who, const Visit& visit,
                       std::vector<Conflict>& found) {
    for (std::size_t g = first; g < first + count; ++g)
        look(Kind::Write, g, who, visit, found);
}

void Shadow::forget(std::size_t first, std::size_t count) {
    std::fill_n(m_writes.begin() + static_cast<std::ptrdiff_t>(first), count, Cell{0});
}

void Shadow::arrive(std::size_t first, std::size_t count, Actor actor, Stamp stamp, std::uint32_t pc) {
    for (std::size_t g = first; g < first + count; ++g)
        m_writes[g] = cell_of(stamp, actor, pc);
}

} // namespace hidet::vm
