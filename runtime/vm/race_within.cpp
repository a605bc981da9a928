// SPDX-License-Identifier: Apache-2.0
// The order of accesses to global memory by threads of one block. What a block remembers of it are pages as of shared
// memory, made where it touches something. They go on to the next block as they are: stamps never begin again, so what
// is in them is before all that comes.
#include <algorithm>

#include "runtime/vm/block.h"

namespace hidet::vm {

namespace {

constexpr std::int64_t page_bytes = 1024;

}

Shadow& Block::global_page(std::uint32_t id, std::int64_t page) {
    const std::uint64_t key = std::uint64_t{id} << 40 | static_cast<std::uint64_t>(page);
    if (m_last_page && m_last_page_key == key)
        return *m_last_page;
    std::unique_ptr<Shadow>& found = m_global_pages[key];
    if (!found && !m_spare_pages.empty()) {
        found = std::move(m_spare_pages.back());
        m_spare_pages.pop_back();
    } else if (!found) {
        found = std::make_unique<Shadow>(page_bytes, m_context.global->granule);
        found->set_rank(m_rank);
        found->fill();
    }
    m_last_page = found.get();
    m_last_page_key = key;
    return *found;
}

void Block::watch_within(Group& group, const Step& step, const Target& target, Purpose purpose) {
    const int bytes = m_context.code->accesses[static_cast<std::size_t>(step.instr.x)].bytes;
    const Visit now = visit(group);
    const bool stores = purpose == Purpose::Store;
    Shadow* shadow = &global_page(target.id, target.place / page_bytes);
    m_conflicts.clear();
    if (!target.part) {
        const Actor actor = who(group);
        const std::size_t first = shadow->granule_of(target.place % page_bytes);
        const auto count = shadow->granules_of(bytes);
        shadow->touch_run(purpose, first, count, actor, now, m_conflicts);
        if (stores && actor >= first_set)
            watch_together(group, step, {{0, actor}});
    } else {
        const TouchList& list = touches(group, *target.part, bytes, *shadow);
        const std::vector<Touch>& all = list.touches;
        const std::int64_t granules = page_bytes / shadow->granule_bytes();
        const std::int64_t base = target.place / shadow->granule_bytes();
        for (std::size_t i = 0; i < all.size();) {
            const std::int64_t page = (base + all[i].granule) / granules, end = (page + 1) * granules - base;
            std::size_t next = all.size();
            if (all.back().granule >= end)
                next = static_cast<std::size_t>(
                    std::partition_point(all.begin() + static_cast<std::ptrdiff_t>(i), all.end(),
                                         [&](const Touch& touch) { return touch.granule < end; }) -
                    all.begin());
            shadow = &global_page(target.id, page);
            const Touches own = list.from(i, next, stores);
            const auto from = static_cast<std::size_t>(base - page * granules);
            if (stores)
                shadow->write(own, from, now, m_conflicts);
            else if (!target.part->is_kept || !shadow->note(own, from, {}, now))
                shadow->read(own, from, now, m_conflicts);
            i = next;
        }
        if (stores && list.meets)
            watch_together(group, step, all);
    }
    if (m_conflicts.empty())
        return;
    if (stores)
        std::erase_if(m_conflicts, [&](const Conflict& c) { return writes_the_same(group, step, target, c); });
    tell(group, &step, *shadow, purpose);
}

// Atomics, strong accesses, and threads whose pointers go into several allocations.
void Block::watch_within_lane(Group& group, const Step& step, std::uint32_t id, std::int64_t place, int bytes, int lane,
                              Purpose purpose) {
    watch_lane(group, step, global_page(id, place / page_bytes), place % page_bytes, bytes, lane, purpose);
}

void Block::watch_within_bytes(Group& group, std::uint64_t pointer, std::int64_t bytes, int lane, Purpose purpose) {
    if (!m_order || !bytes || is_own_shared(pointer) || is_remote_shared(pointer))
        return;
    const Allocation* allocation = m_context.memory->find(id_of(pointer));
    if (!allocation || !global_shadow(id_of(pointer), allocation->bytes))
        return;
    const Actor actor = m_order->thread_actor(m_rank, lane);
    for (std::int64_t at = offset_of(pointer), end = at + bytes; at < end;) {
        Shadow& shadow = global_page(id_of(pointer), at / page_bytes);
        const std::int64_t until = std::min(end, (at / page_bytes + 1) * page_bytes);
        const std::size_t first = shadow.granule_of(at % page_bytes);
        const auto count = shadow.granules_of(until - at);
        m_conflicts.clear();
        shadow.touch_run(purpose, first, count, actor, visit(group), m_conflicts);
        if (!m_conflicts.empty())
            tell(group, nullptr, shadow, purpose);
        at = until;
    }
}

} // namespace hidet::vm
