// SPDX-License-Identifier: Apache-2.0
// The loops over granules compare epochs with the floor, which is all that kernels with barriers of the block need. What
// is not settled by that is looked at exactly, granule by granule.
#include "runtime/vm/checks/shadow.h"

#include <algorithm>

#include "runtime/vm/async/settle.h"

namespace hidet::vm {

namespace {

constexpr Cell any_before = 1; // no cell; stands for all writes that are before, which differ in nothing that matters
constexpr std::size_t fewest_together = 8; // granules beside each other that are worth a look at all of them
constexpr std::size_t most_pages = 256;    // of an access that is noted
constexpr std::size_t most_notes = 256;

std::size_t first_of(const Touches& touches, std::size_t base) {
    return base + static_cast<std::size_t>(touches.all[0].granule);
}
std::size_t last_of(const Touches& touches, std::size_t base) {
    return base + static_cast<std::size_t>(touches.all[touches.count - 1].granule);
}

// Where the granules end that lie beside each other. Each is there once.
std::size_t end_of_run(const Touches& touches, std::size_t from) {
    const std::size_t last = touches.count - 1;
    if (static_cast<std::size_t>(touches.all[last].granule - touches.all[from].granule) == last - from)
        return touches.count;
    std::size_t end = from + 1;
    while (end < touches.count && touches.all[end].granule == touches.all[end - 1].granule + 1)
        ++end;
    return end;
}

// Whether somebody wrote all of them; `writes` from their base on.
bool are_written(const Cell* writes, const Touches& touches) {
    for (std::size_t t = 0; t < touches.count; ++t)
        if (!writes[touches.all ? static_cast<std::ptrdiff_t>(touches.all[t].granule) : static_cast<std::ptrdiff_t>(t)])
            return false;
    return true;
}

void record_all(Cell* writes, const Touches& touches, Cell head) {
    for (std::size_t t = 0; t < touches.count;) {
        const std::size_t end = end_of_run(touches, t);
        vm::record(writes + touches.all[t].granule, touches.tags + t, end - t, head);
        t = end;
    }
}

// Accesses that are told late: what was written there later stays.
void write_late(Cell* writes, const Touches& touches, Cell head) {
    for (std::size_t t = 0; t < touches.count; ++t) {
        Cell& written = writes[touches.all[t].granule];
        if (epoch_of(written) <= epoch_of(head))
            written = head | touches.tags[t];
    }
}

} // namespace

Shadow::Shadow(std::int64_t bytes, int granule) : m_shift(__builtin_ctz(static_cast<unsigned>(granule))) {
    const std::size_t count = static_cast<std::size_t>(bytes >> m_shift) + 1;
    m_writes.resize(count);
    m_reads.resize(count);
    m_pages.resize((count >> page_shift) + 1);
}

void Shadow::clear() {
    m_updates.cells.clear();
    m_ordered = {};
    m_has_histories = false;
    m_notes.clear();
    m_tiles = {};
    std::ranges::fill(m_pages, Page{});
}

void Shadow::fill() {
    clear();
    for (Page& page : m_pages)
        page.all = cell_of(1, 0, last_pc);
}

// Histories do not outlive the cluster that made them.
void Shadow::open_again() {
    if (m_has_histories)
        fill();
    m_updates.cells.clear();
    m_ordered = {};
    m_notes.clear();
    m_tiles = {};
    for (Page& page : m_pages)
        page.noted = page.stored = page.read = 0;
}

// ---- pages and notes ---------------------------------------------------------------------------------------------

Shadow::Pages Shadow::look_at_pages(std::size_t first, std::size_t last, const Visit& visit) {
    if (visit.by_unit || m_has_histories || !m_updates.cells.empty() || last - first >= most_pages << page_shift)
        return Pages::Unsettled;
    Pages all = Pages::Written;
    for (std::size_t p = first >> page_shift; p <= last >> page_shift; ++p) {
        Page& page = m_pages[p];
        if (page.is_whole)
            open_page(p, visit.order);
        if (!page.is_known) {
            const std::size_t begin = p << page_shift;
            const Survey cells = survey(m_writes.data() + begin, std::min(page_granules, m_writes.size() - begin));
            page.last = epoch_of(cells.highest);
            page.is_written = !cells.has_none;
            page.is_known = true;
        }
        if (std::max(page.last, page.stored) > visit.floor)
            return Pages::Unsettled;
        if (!page.is_written)
            all = Pages::Settled;
    }
    return all;
}

void Shadow::add_note(const Note& note, std::size_t first, std::size_t last, const Visit& visit) {
    if (m_notes.size() >= most_notes) {
        const Epoch known = visit.order.least_floor();
        std::erase_if(m_notes, [&](const Note& each) { return each.epoch <= known; });
        if (m_notes.size() > most_notes / 2)
            enter_notes(visit.order);
    }
    m_notes.push_back(note);
    for (std::size_t p = first >> page_shift; p <= last >> page_shift; ++p)
        (note.writes ? m_pages[p].stored : m_pages[p].noted) = note.epoch;
}

bool Shadow::note(const Touches& touches, std::size_t base, std::span<const Repeat> repeats, const Visit& visit) {
    std::int64_t first = touches.all[0].granule, last = touches.all[touches.count - 1].granule;
    if (!repeats.empty()) {
        const auto [low, high] = std::ranges::minmax(repeats, {}, &Repeat::bytes);
        first += low.bytes >> m_shift, last += high.bytes >> m_shift;
    }
    const auto from = static_cast<std::size_t>(static_cast<std::int64_t>(base) + first);
    const auto to = static_cast<std::size_t>(static_cast<std::int64_t>(base) + last);
    const Pages pages = look_at_pages(from, to, visit);
    const auto is_written_there = [&](const Repeat& repeat) {
        return are_written(m_writes.data() + base + (repeat.bytes >> m_shift), touches);
    };
    if (pages == Pages::Unsettled)
        return false;
    if (pages == Pages::Settled && !(repeats.empty() ? are_written(m_writes.data() + base, touches)
                                                     : std::ranges::all_of(repeats, is_written_there)))
        return false;
    add_note({touches, base, repeats, visit.order.now(), visit.floor, visit.pc, 0, false}, from, to, visit);
    return true;
}

bool Shadow::are_reads_past(std::size_t first, std::size_t last, Epoch floor) const {
    for (std::size_t p = first >> page_shift; p <= last >> page_shift; ++p)
        if (std::max(m_pages[p].noted, m_pages[p].read) > floor)
            return false;
    return true;
}

// Where all that was done to the pages is before it.
bool Shadow::reserve_past(const Touches& touches, std::size_t base, const Visit& visit) {
    if (!m_has_threads_only || !touches.tags || !touches.count)
        return false;
    const std::size_t from = first_of(touches, base), to = last_of(touches, base);
    if (look_at_pages(from, to, visit) == Pages::Unsettled || !are_reads_past(from, to, visit.floor))
        return false;
    record_all(m_writes.data() + base, touches, cell_of(in_flight, 0, visit.pc));
    for (std::size_t p = from >> page_shift; p <= to >> page_shift; ++p)
        m_pages[p].is_known = false;
    return true;
}

bool Shadow::note_write(const Touches& touches, std::size_t base, const Visit& visit) {
    if (!m_has_threads_only || !touches.tags)
        return false;
    const std::size_t from = first_of(touches, base), to = last_of(touches, base);
    if (look_at_pages(from, to, visit) != Pages::Written || !are_reads_past(from, to, visit.floor))
        return false;
    add_note({touches, base, {}, visit.order.now(), visit.floor, visit.pc, 0, true}, from, to, visit);
    return true;
}

// Before granules are looked at: what has been noted of them and does not come before that is entered.
void Shadow::expect(std::size_t first, std::size_t last, const Visit& visit, bool writes) {
    for (std::size_t p = first >> page_shift; p <= last >> page_shift; ++p) {
        Page& page = m_pages[p];
        if (page.is_whole)
            open_page(p, visit.order);
        if (std::max(page.noted, page.stored) > visit.floor)
            enter_notes(visit.order);
        page.is_known = page.is_known && !writes;
        page.read = writes ? page.read : visit.order.epoch_now(visit.by_unit ? visit.unit : 0);
    }
}

void Shadow::changed(std::size_t first, std::size_t last, Order& order) {
    open(first, last, order);
    for (std::size_t p = first >> page_shift; p <= last >> page_shift; ++p)
        m_pages[p].is_known = false;
}

void Shadow::enter_notes(Order& order) {
    for (std::size_t p = 0; p < m_pages.size(); ++p)
        if (m_pages[p].is_whole && (m_pages[p].noted || m_pages[p].stored))
            open_page(p, order);
    for (const Note& note : m_notes) {
        if (note.writes)
            write_late(m_writes.data() + note.base, note.touches, cell_of(note.epoch, 0, note.pc));
        else if (note.repeats.empty())
            enter(note, note.base, note.pc, order);
        for (const Repeat& repeat : note.repeats)
            enter(note, note.base + static_cast<std::size_t>(repeat.bytes >> m_shift), repeat.pc, order);
    }
    m_notes.clear();
    for (Page& page : m_pages) {
        page.is_known = page.is_known && !page.stored;
        page.read = std::max(page.read, page.noted);
        page.noted = page.stored = 0;
    }
}

void Shadow::enter_past(const Touches& touches, std::size_t base, const PastAccess& past, Order& order) {
    const std::size_t first = first_of(touches, base), last = last_of(touches, base);
    open(first, last, order);
    for (std::size_t p = first >> page_shift; p <= last >> page_shift; ++p) {
        m_pages[p].is_known = m_pages[p].is_known && !past.writes;
        m_pages[p].read = past.writes ? m_pages[p].read : std::max(m_pages[p].read, past.epoch);
    }
    if (past.writes)
        write_late(m_writes.data() + base, touches, cell_of(past.epoch, 0, past.pc));
    else
        enter({touches, base, {}, past.epoch, past.floor, past.pc, 0, false}, base, past.pc, order);
}

void Shadow::enter(const Note& note, std::size_t base, std::uint32_t pc, Order& order) {
    const Touches& touches = note.touches;
    if (!touches.all) {
        for (std::size_t g = base; g < base + touches.count; ++g)
            enter(g, cell_of(note.epoch, note.who, pc), note.floor, order);
        return;
    }
    for (std::size_t t = 0; t < touches.count;) {
        const std::size_t run = end_of_run(touches, t), at = base + static_cast<std::size_t>(touches.all[t].granule);
        if (run - t >= fewest_together)
            t += settle({.recorded = m_reads.data() + at,
                         .written = m_writes.data() + at,
                         .read = m_reads.data() + at,
                         .tags = touches.tags + t,
                         .count = run - t,
                         .head = cell_of(note.epoch, 0, pc),
                         .floor = note.floor,
                         .needs_value = true});
        for (; t < run; ++t)
            enter(base + static_cast<std::size_t>(touches.all[t].granule), cell_of(note.epoch, touches.all[t].who, pc),
                  note.floor, order);
    }
}

// A write that came after the read knew of it.
void Shadow::enter(std::size_t granule, Cell read, Epoch floor, Order& order) {
    if (epoch_of(m_writes[granule]) > epoch_of(read))
        return;
    Cell& known = m_reads[granule];
    if (epoch_of(known) <= floor || (actor_of(known) == actor_of(read) && epoch_of(known) <= epoch_of(read)))
        known = read;
    else
        known = order.joined(known, read);
    m_has_histories = m_has_histories || actor_of(known) >= first_history;
}

// ---- accesses ----------------------------------------------------------------------------------------------------

bool OrderedCells::is_ok(Cell cell, Actor who, const Visit& visit, Conflict& conflict) {
    const Known look{.cell = cell, .version = visit.order.version(), .who = who, .to_unit = visit.by_unit};
    Known& known = m_known[pc_of(cell) % m_known.size()];
    if (known == look)
        return true;
    if (epoch_of(cell) <= visit.floor) // of threads, which all know of
        return true;
    Order::Pair pair;
    bool fine = true;
    visit.order.for_each(cell, [&](Cell each) {
        const Actor actor = actor_of(each);
        const bool is_own = actor == (visit.by_unit ? visit.unit : who) && actor < first_set;
        if (!fine || (is_own && !visit.by_unit) || (is_own && is_unit(actor)) ||
            visit.order.is_before(actor, epoch_of(each), who, false, pair))
            return;
        fine = false;
        conflict.first = pair.first, conflict.second = pair.second, conflict.first_pc = pc_of(each);
    });
    if (fine && actor_of(cell) < first_history)
        known = look;
    return fine;
}

// Updates see those before them, each the last one: who is behind the last of them is behind all (the causality order of PTX).
bool ShadowUpdates::is_behind(std::size_t granule, Actor who, const Visit& visit) const {
    const Cell last = last_ones[granule];
    Order::Pair pair;
    return last && visit.order.is_before(actor_of(last), epoch_of(last), who, visit.by_unit, pair);
}

bool is_fenced(Cell cell, Actor who, const Visit& visit, Conflict& conflict) {
    Order::Pair pair;
    bool fine = true;
    visit.order.for_each(cell, [&](Cell each) {
        if (!fine || is_unit(actor_of(each)) || epoch_of(each) <= 1 ||
            visit.order.is_before(actor_of(each), epoch_of(each), who, true, pair))
            return;
        fine = false;
        conflict.first = pair.first, conflict.second = pair.second, conflict.first_pc = pc_of(each);
    });
    return fine;
}

void Shadow::look(Purpose purpose, std::size_t granule, Actor who, const Visit& visit, std::vector<Conflict>& found) {
    Cell& written = m_writes[granule];
    Cell& read = m_reads[granule];
    Cell none = 0;
    Cell& updated = m_updates.cells.empty() ? none : m_updates.cells[granule];
    if (actor_of(updated) == several_updaters)
        updated = cell_of(epoch_of(updated), visit.order.set_of(m_rank, m_updates.updaters[granule]), pc_of(updated));
    Conflict conflict;
    conflict.granule = granule;
    conflict.second = who;
    const Actor as = visit.by_unit ? visit.unit : who;
    const auto tell = [&](Clash clash) {
        conflict.clash = clash;
        found.push_back(conflict);
    };
    if (!written && !updated) {
        if (purpose != Purpose::Store) {
            tell(Clash::Unwritten);
            written = cell_of(1, 0, last_pc); // by nobody in particular, before all
        }
    } else if (epoch_of(written) == in_flight) {
        conflict.first = actor_of(written), conflict.first_pc = pc_of(written);
        tell(actor_of(written) == barrier_object ? Clash::Barrier : Clash::Pending);
    } else if (written && !m_ordered.is_ok(written, who, visit, conflict)) {
        tell(Clash::AfterWrite);
        written = cell_of(1, 0, pc_of(written));
    } else if (written && visit.by_unit && !is_fenced(written, who, visit, conflict)) {
        tell(Clash::Unfenced);
        written = cell_of(1, 0, pc_of(written));
    }
    if (purpose != Purpose::Load && read && !m_ordered.is_ok(read, who, visit, conflict)) {
        tell(Clash::AfterRead);
        read = 0;
    }
    if (purpose != Purpose::Atomic && updated && !m_ordered.is_ok(updated, who, visit, conflict) &&
        !m_updates.is_behind(granule, who, visit)) {
        tell(Clash::AfterUpdate);
        updated = 0;
        written = written ? written : cell_of(1, 0, last_pc);
    } else if (updated && visit.by_unit && !is_fenced(updated, who, visit, conflict)) {
        tell(Clash::Unfenced);
        updated = 0;
        written = written ? written : cell_of(1, 0, last_pc);
    }
    switch (purpose) {
    case Purpose::Load:
        read = visit.order.merged(read, as, who, visit.pc);
        m_has_histories = m_has_histories || actor_of(read) >= first_history;
        break;
    case Purpose::Atomic:
        updated = visit.order.merged(updated, as, who, visit.pc);
        m_has_histories = m_has_histories || actor_of(updated) >= first_history;
        break;
    case Purpose::Store:
        written = visit.is_reserved ? reserved_cell(who, visit) : cell_of(visit.order.epoch_now(as), as, visit.pc);
        read = updated = 0; // they are before this write, and whoever is behind it is behind them
        break;
    }
}

template <Purpose purpose>
void Shadow::touch(const Touches& touches, std::size_t base, const Visit& visit, std::vector<Conflict>& found) {
    constexpr bool reads = purpose == Purpose::Load;
    constexpr Epoch undefined = reads ? 1 : 0; // so that what was never written is above every floor
    if (touches.count == 0)
        return;
    expect(first_of(touches, base), last_of(touches, base), visit, !reads);
    const Cell head = cell_of(visit.is_reserved ? in_flight : visit.order.now(), 0, visit.pc);
    std::vector<Cell>& recorded = reads ? m_reads : m_writes;
    const bool is_plain = m_updates.cells.empty();
    std::size_t run = 0; // where those that lie beside each other end
    // Reads that were looked at and found in order; tiles have many that are alike.
    struct Alike {
        Cell written = 0, read = 0, next = 0;
        Actor who = under_way;
    };
    Alike alike[fewest_together];
    for (std::size_t t = 0; t < touches.count; ++t) {
        if (touches.tags && is_plain && t == run) {
            run = end_of_run(touches, t);
            const std::size_t at = base + static_cast<std::size_t>(touches.all[t].granule);
            if (run - t >= fewest_together)
                t += settle({.recorded = recorded.data() + at,
                             .written = m_writes.data() + at,
                             .read = m_reads.data() + at,
                             .tags = touches.tags + t,
                             .count = run - t,
                             .head = head,
                             .floor = visit.floor,
                             .needs_value = reads});
            if (t == run) {
                --t;
                continue;
            }
        }
        const Actor who = touches.all[t].who;
        const std::size_t at = base + static_cast<std::size_t>(touches.all[t].granule);
        const Cell written = m_writes[at], read = m_reads[at];
        const bool is_own = actor_of(written) == who && epoch_of(written) != in_flight && (written || !reads);
        const bool is_ordered = epoch_of(written) - undefined < visit.floor + 1 - undefined || is_own;
        const bool is_last = epoch_of(read) <= visit.floor || actor_of(read) == who;
        if (is_ordered && is_last && is_plain && (reads || who < first_set))
            recorded[at] = head | Cell{who} << actor_shift;
        else {
            Alike& known = alike[who % fewest_together];
            const Cell writer = is_ordered ? any_before : written;
            if (reads && is_plain && who == known.who && writer == known.written && read == known.read) {
                m_reads[at] = known.next;
                continue;
            }
            const std::size_t count_before = found.size();
            look(purpose, at, who, visit, found);
            if (found.size() == count_before)
                known = {.written = writer, .read = read, .next = m_reads[at], .who = who};
        }
    }
}

void Shadow::read(const Touches& touches, std::size_t base, const Visit& visit, std::vector<Conflict>& found) {
    touch<Purpose::Load>(touches, base, visit, found);
}

void Shadow::write(const Touches& touches, std::size_t base, const Visit& visit, std::vector<Conflict>& found) {
    if (!visit.is_reserved || !reserve_past(touches, base, visit))
        touch<Purpose::Store>(touches, base, visit, found);
}

// Atomics behind the last barrier of all, which is what most are.
bool Shadow::is_settled_update(std::size_t granule, Actor who, const Visit& visit) {
    const Cell written = m_writes[granule];
    Cell& updated = m_updates.cells[granule];
    const int lanes = visit.order.lanes();
    const bool is_behind = epoch_of(written) <= visit.floor && epoch_of(m_reads[granule]) <= visit.floor;
    if (!is_behind || !(written || updated) || visit.by_unit || who / lanes != m_rank)
        return false;
    const Epoch now = visit.order.now();
    if (epoch_of(updated) <= visit.floor) {
        updated = cell_of(now, who, visit.pc);
        return true;
    }
    const Actor by = actor_of(updated);
    if (epoch_of(updated) != now || (by != several_updaters && (!is_thread(by) || by / lanes != m_rank)))
        return false;
    if (by == who)
        return true;
    if (by != several_updaters) {
        m_updates.updaters[granule] = {};
        m_updates.updaters[granule].set(by % lanes);
        updated = cell_of(now, several_updaters, pc_of(updated));
    }
    m_updates.updaters[granule].set(who % lanes);
    return true;
}

void Shadow::update(std::size_t granule, Actor who, const Visit& visit, bool reads, std::vector<Conflict>& found) {
    expect(granule, granule, visit, true);
    if (m_updates.cells.empty()) {
        enter_notes(visit.order);
        m_updates.begin(m_writes.size());
    }
    m_updates.last_ones[granule] = visit.updates ? cell_of(visit.order.now(), who, visit.pc) : 0;
    if (!reads && !m_writes[granule] && !m_updates.cells[granule])
        m_writes[granule] = cell_of(1, 0, last_pc);
    if (!is_settled_update(granule, who, visit))
        look(Purpose::Atomic, granule, who, visit, found);
}

// Tiles have runs of equal cells: what is said of the first one holds for those that follow.
template <class Look>
void Shadow::look_at_run(std::size_t first, std::size_t count, std::vector<Conflict>& found, Look&& look) {
    const bool is_plain = m_updates.cells.empty();
    for (std::size_t g = first, end = first + count; g < end;) {
        const Cell written = m_writes[g], read = m_reads[g], updated = is_plain ? 0 : m_updates.cells[g];
        const std::size_t known = found.size(), at = g++;
        look(at);
        if (found.size() != known)
            continue;
        const Cell next_written = m_writes[at], next_read = m_reads[at];
        if (actor_of(updated) == several_updaters)
            continue;
        for (; g < end && m_writes[g] == written && m_reads[g] == read && (is_plain || m_updates.cells[g] == updated);
             ++g) {
            m_writes[g] = next_written, m_reads[g] = next_read;
            if (!is_plain)
                m_updates.cells[g] = m_updates.cells[at];
        }
    }
}

void Shadow::read_run(std::size_t first, std::size_t count, Actor who, const Visit& visit,
                      std::vector<Conflict>& found) {
    const Touches run{.all = nullptr, .tags = nullptr, .count = count};
    const Pages pages = look_at_pages(first, first + count - 1, visit);
    if (pages == Pages::Written || (pages == Pages::Settled && are_written(m_writes.data() + first, run)))
        return add_note({run, first, {}, visit.order.now(), visit.floor, visit.pc, who, false}, first,
                        first + count - 1, visit);
    expect(first, first + count - 1, visit, false);
    look_at_run(first, count, found, [&](std::size_t g) {
        const Cell written = m_writes[g];
        const bool by_clock = !visit.by_unit && m_updates.cells.empty() && epoch_of(written) - 1 < visit.floor;
        if (by_clock && (epoch_of(m_reads[g]) <= visit.floor || actor_of(m_reads[g]) == who))
            m_reads[g] = cell_of(visit.order.now(), who, visit.pc);
        else
            look(Purpose::Load, g, who, visit, found);
    });
}

void Shadow::write_run(std::size_t first, std::size_t count, Actor who, const Visit& visit,
                       std::vector<Conflict>& found) {
    expect(first, first + count - 1, visit, true);
    look_at_run(first, count, found, [&](std::size_t g) { look(Purpose::Store, g, who, visit, found); });
}

void Shadow::forget(std::size_t first, std::size_t count, Order& order) {
    changed(first, first + count - 1, order);
    std::fill_n(m_writes.begin() + static_cast<std::ptrdiff_t>(first), count, Cell{0});
}

void Shadow::arrive(std::size_t first, std::size_t count, Cell write, Order& order) {
    m_tiles.fine_pages = {};
    for (std::size_t g = first, end = first + count; g < end;) {
        const std::size_t p = g >> page_shift, next = std::min(end, (p + 1) << page_shift);
        if (m_pages[p].is_whole && next - g == page_granules) {
            m_pages[p].all = write;
        } else {
            changed(g, next - 1, order);
            std::fill_n(m_writes.begin() + static_cast<std::ptrdiff_t>(g), next - g, write);
        }
        g = next;
    }
}

void Shadow::arrive(const Touches& touches, std::size_t base, Epoch epoch, std::uint32_t pc, Order& order) {
    const Cell head = cell_of(epoch, 0, pc);
    changed(first_of(touches, base), last_of(touches, base), order);
    for (std::size_t t = 0; t < touches.count;) {
        const std::size_t end = end_of_run(touches, t);
        const std::size_t from = base + static_cast<std::size_t>(touches.all[t].granule);
        vm::record(m_writes.data() + from, touches.tags + t, end - t, head);
        for (std::size_t p = (from + page_granules - 1) >> page_shift; p < (from + end - t) >> page_shift; ++p) {
            m_pages[p].last = epoch;
            m_pages[p].is_known = m_pages[p].is_written = true;
        }
        t = end;
    }
}

} // namespace hidet::vm
