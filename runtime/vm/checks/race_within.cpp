// SPDX-License-Identifier: Apache-2.0
// The order of accesses to global memory by threads of one block. What meets something is looked at exactly, in pages as of
// shared memory, made where it touches something. They go on to the next block as they are: epochs never begin again, so what
// is in them is before all that comes.
#include <algorithm>

#include "runtime/vm/block.h"

namespace hidet::vm {

namespace {

constexpr std::int64_t page_bytes = 1024;

}

Shadow& GlobalChecker::global_page(std::uint32_t id, std::int64_t page) {
    const std::uint64_t key = std::uint64_t{id} << 40 | static_cast<std::uint64_t>(page);
    if (m_last_page && m_last_page_key == key)
        return *m_last_page;
    std::unique_ptr<Shadow>& found = m_global_pages[key];
    const int granule = m_context.global->granule_of(id);
    auto& spare = m_spare_pages.at(static_cast<std::size_t>(granule));
    if (!found && !spare.empty()) {
        found = std::move(spare.back());
        spare.pop_back();
    } else if (!found) {
        found = std::make_unique<Shadow>(page_bytes, granule);
        found->set_rank(m_rank);
        found->fill();
    }
    m_last_page = found.get();
    m_last_page_key = key;
    return *found;
}

void GlobalChecker::begin_launch() {
    m_global_shadows.clear();
    m_global_notes.forget_lines();
}

void GlobalChecker::begin() {
    for (auto& [key, page] : m_global_pages) {
        page->open_again();
        m_spare_pages.at(static_cast<std::size_t>(page->granule_bytes())).push_back(std::move(page));
    }
    m_global_pages.clear();
    m_global_notes.all().clear();
    m_last_page = nullptr;
}

void GlobalChecker::join() {
    if (m_order && m_order->has_wrapped()) {
        m_spare_pages = {};
        m_global_notes.forget_lines();
    }
    m_least_version = 0;
}

// Calls f(shadow, touches, base) for what each page has of an access; `base`: of the touches, a granule of the allocation.
template <class F>
void GlobalChecker::for_each_page(std::uint32_t id, const Touches& touches, std::int64_t base, F&& f) {
    const std::int64_t granules = page_bytes / m_context.global->granule_of(id);
    const Touch* const last = touches.all + touches.count;
    for (const Touch* from = touches.all; from != last;) {
        const std::int64_t page = (base + from->granule) / granules, end = (page + 1) * granules - base;
        const Touch* const next =
            std::partition_point(from, last, [&](const Touch& touch) { return touch.granule < end; });
        const auto skipped = from - touches.all;
        f(global_page(id, page),
          Touches{from, touches.tags ? touches.tags + skipped : nullptr, static_cast<std::size_t>(next - from)},
          static_cast<std::size_t>(base - page * granules));
        from = next;
    }
}

// In the order in which they were made.
void GlobalChecker::enter_global_notes() {
    for (const GlobalNotes::Note& note : m_global_notes.all())
        for_each_page(note.id, note.touches, note.base, [&](Shadow& shadow, const Touches& own, std::size_t from) {
            const PastAccess past{note.epoch, note.floor, note.pc, note.writes};
            shadow.enter_past(own, from, past, *m_order);
        });
    m_global_notes.all().clear();
}

void GlobalChecker::note_global(const GlobalNotes::Note& note) {
    std::vector<GlobalNotes::Note>& notes = m_global_notes.all();
    if (notes.size() >= GlobalNotes::most) {
        const Epoch known = m_order->least_floor();
        std::erase_if(notes, [&](const GlobalNotes::Note& each) { return each.epoch <= known; });
        if (notes.size() > GlobalNotes::most / 2)
            enter_global_notes();
    }
    notes.push_back(note);
}

GlobalNotes::Pass GlobalChecker::passing(Group& group, std::uint32_t id, Purpose purpose) {
    if (m_least_version != m_order->version()) {
        m_least_floor = m_order->least_floor();
        m_least_version = m_order->version();
    }
    const Visit now = m_block.races.visit(group);
    return {.id = id,
            .now = m_order->now(),
            .floor = now.floor,
            .least = m_least_floor,
            .reads = purpose != Purpose::Store,
            .writes = purpose != Purpose::Load};
}

// The page of a place, which is about to be looked at.
Shadow& GlobalChecker::entered_page(Group& group, std::uint32_t id, std::int64_t place, std::int64_t bytes,
                                    Purpose purpose) {
    Shadow& page = global_page(id, place / page_bytes);
    const std::int64_t granule = page.granule_bytes(), first = place / granule;
    const auto count = static_cast<std::int64_t>(page.granules_of(bytes));
    const GlobalNotes::Met met = m_global_notes.pass(passing(group, id, purpose), first, count);
    if (met.reads || met.writes)
        enter_global_notes();
    return page;
}

void GlobalChecker::check_within(Group& group, const Step& step, const Target& target, Purpose purpose) {
    const int bytes = ready_access(step).bytes;
    const bool stores = purpose == Purpose::Store;
    const Visit now = m_block.races.visit(group);
    m_block.races.look(group, step, purpose, [&](std::vector<Conflict>& found) {
        if (!target.part) {
            const Actor actor = m_block.races.who(group);
            Shadow& shadow = entered_page(group, target.id, target.place, bytes, purpose);
            shadow.touch_run(purpose, shadow.granule_of(target.place % page_bytes), shadow.granules_of(bytes), actor,
                             now, found);
            if (stores && actor >= first_set)
                m_block.races.check_together(group, step, {{0, actor}}, found);
        } else {
            const int granule = target.global->granule_bytes();
            const TouchList& list = m_block.races.touches(group, *target.part, bytes, granule);
            const std::int64_t base = target.place / granule;
            GlobalNotes::Pass pass = passing(group, target.id, purpose);
            pass.own = target.part->is_kept && !list.meets ? list.touches.data() : nullptr;
            const GlobalNotes::Met met = m_global_notes.pass(pass, list, base);
            if (target.part->is_kept && !met.writes && !(stores && (met.reads || list.meets)))
                return note_global({list.all(false), target.id, base, pass.now, now.floor, now.pc, stores});
            if (met.reads || met.writes)
                enter_global_notes();
            for_each_page(target.id, list.all(stores), base, [&](Shadow& shadow, const Touches& own, std::size_t from) {
                stores ? shadow.write(own, from, now, found) : shadow.read(own, from, now, found);
            });
            if (stores && list.meets)
                m_block.races.check_together(group, step, list.touches, found);
        }
        if (stores)
            m_block.races.forgive_equal_writes(group, step, target, found);
    });
}

// Atomics, strong accesses, and threads whose pointers go into several allocations.
void GlobalChecker::check_within_lane(Group& group, const Step& step, std::uint32_t id, std::int64_t place, int bytes,
                                      int lane, Purpose purpose) {
    const Purpose passes = step.flags & artifact::flag_strong ? Purpose::Atomic : purpose;
    Shadow& shadow = entered_page(group, id, place, bytes, passes);
    m_block.races.check_lane(group, step, shadow, place % page_bytes, bytes, lane, purpose);
}

void GlobalChecker::check_within_bytes(Group& group, std::uint64_t pointer, std::int64_t bytes, int lane,
                                       Purpose purpose) {
    if (!m_order || !bytes || is_own_shared(pointer) || is_remote_shared(pointer))
        return;
    const Allocation* allocation = m_context.memory->find(id_of(pointer));
    if (!allocation || !global_shadow(id_of(pointer), allocation->bytes))
        return;
    const Actor actor = m_order->thread_actor(m_rank, lane);
    for (std::int64_t at = offset_of(pointer), end = at + bytes; at < end;) {
        const std::int64_t until = std::min(end, (at / page_bytes + 1) * page_bytes);
        Shadow& shadow = entered_page(group, id_of(pointer), at, until - at, purpose);
        const std::size_t first = shadow.granule_of(at % page_bytes);
        const auto count = shadow.granules_of(until - at);
        m_block.races.look(group, shadow, purpose, [&](std::vector<Conflict>& found) {
            shadow.touch_run(purpose, first, count, actor, m_block.races.visit(group), found);
        });
        at = until;
    }
}

} // namespace hidet::vm
