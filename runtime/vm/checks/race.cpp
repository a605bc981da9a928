// SPDX-License-Identifier: Apache-2.0
// The order of accesses to shared memory: what an instruction touches is shown to the shadow, and conflicts become
// findings. The kernel goes on after them.
#include <algorithm>

#include "compiler/artifact/memory_scope.h"
#include "lang/base/text.h"
#include "runtime/vm/checks/block_notes.h"
#include "runtime/vm/update.h"

namespace hidet::vm {

namespace {

constexpr std::size_t no_row = ~std::size_t{0};

} // namespace

bool FindingLog::add(Finding finding) {
    const std::lock_guard lock(m_mutex);
    const Span first = finding.related.empty() ? Span{} : finding.related.front().origin.span;
    const auto [it, is_new] =
        m_rows.try_emplace({finding.kind, finding.origin.span.begin, first.begin}, m_findings.size());
    if (is_new) {
        m_findings.push_back(std::move(finding));
        return true;
    }
    Finding& known = m_findings[it->second];
    const std::int64_t count = known.count + 1;
    if (finding.reach > known.reach) // what orders those orders the others too
        known = std::move(finding);
    known.count = count;
    return false;
}

std::vector<Finding> FindingLog::take() {
    m_rows.clear();
    for (Finding& finding : m_findings)
        if (finding.count > 1)
            finding.message += cat(", and ", finding.count - 1, finding.count == 2 ? " time more" : " times more");
    return std::exchange(m_findings, {});
}

Visit RaceChecker::visit(Group& group) {
    if (group.floor_version != m_order->version() || group.floor_mask != group.mask_version) {
        group.floor = m_order->floor(m_rank, group.active);
        group.floor_version = m_order->version();
        group.floor_mask = group.mask_version;
    }
    return {.order = *m_order, .floor = group.floor, .pc = group.pc - 1};
}

// All that run.
Actor RaceChecker::who(Group& group) {
    if (group.who_mask != group.mask_version) {
        group.who = m_order->set_of(m_rank, group.active);
        group.who_mask = group.mask_version;
    }
    return group.who;
}

Actor RaceChecker::warp_set(int w) {
    Actor& known = m_warp_sets.at(static_cast<std::size_t>(w));
    if (!known) {
        Mask lanes;
        lanes.set_warp(w, ~0u);
        known = m_order->set_of(m_rank, lanes);
    }
    return known;
}

// Each granule of the pattern once, with the threads that have it.
const TouchList& RaceChecker::touches(Group& group, const LanePart& part, int bytes, int granule) const {
    for (const auto& list : part.touches)
        if (list->granule == granule)
            return *list;
    auto& lists = const_cast<LanePart&>(part).touches;
    TouchList& out = *lists.emplace_back(std::make_unique<TouchList>());
    out.granule = granule;
    const int each = std::max(bytes / granule, 1);
    std::vector<std::pair<std::int32_t, int>> all;
    for (int lane = 16 * part.first_chunk; lane < 16 * part.first_chunk + static_cast<int>(part.offsets.size());
         ++lane) {
        if (!group.active.test(lane))
            continue;
        const std::int64_t offset = part.offset_of(lane);
        for (int i = 0; i < each; ++i)
            all.emplace_back(static_cast<std::int32_t>(offset / granule + i), lane);
    }
    if (!std::is_sorted(all.begin(), all.end()))
        std::ranges::sort(all);
    for (std::size_t i = 0; i < all.size();) {
        std::size_t end = i + 1;
        while (end < all.size() && all[end].first == all[i].first)
            ++end;
        Actor actor = m_order->thread_actor(m_rank, all[i].second);
        if (end > i + 1) {
            out.meets = true;
            Mask lanes;
            for (std::size_t k = i; k < end; ++k)
                lanes.set(all[k].second);
            actor = m_order->set_of(m_rank, lanes);
        }
        out.touches.push_back({all[i].first, actor});
        out.tags.push_back(Cell{actor} << actor_shift);
        i = end;
    }
    for (const Touch& touch : out.touches) {
        if (out.lines.empty() || out.lines.back().line != touch.granule >> 6)
            out.lines.push_back({touch.granule >> 6, 0});
        out.lines.back().mask |= std::uint64_t{1} << (touch.granule & 63);
    }
    return out;
}

void RaceChecker::watch(Group& group, const Step& step, const Target& target, Purpose purpose) {
    Shadow& shadow = *target.shadow;
    if (target.shadow != m_shadow)
        note_owner(group, *target.shadow, who(group), group.active.first(m_chunks));
    if (step.flags & artifact::flag_strong)
        return check_strong(group, step, target, purpose);
    const int bytes = ready_access(step).bytes;
    const Visit now = visit(group);
    const std::size_t base = shadow.granule_of(target.place);
    look(group, step, purpose, [&](std::vector<Conflict>& found) {
        if (!target.part) {
            const Actor actor = who(group);
            shadow.touch_run(purpose, base, shadow.granules_of(bytes), actor, now, found);
            if (purpose == Purpose::Store && actor >= first_set)
                check_together(group, step, {{0, actor}}, found);
        } else {
            const TouchList& list = touches(group, *target.part, bytes, shadow.granule_bytes());
            const bool stays = target.part->is_kept && target.shadow == m_shadow;
            if (purpose == Purpose::Load && !(stays && shadow.note(list.all(false), base, {}, now)))
                shadow.read(list.all(false), base, now, found);
            if (purpose == Purpose::Store && !(stays && shadow.note_write(list.all(true), base, now)))
                shadow.write(list.all(true), base, now, found);
            if (purpose == Purpose::Store && list.meets)
                check_together(group, step, list.touches, found);
        }
        if (purpose == Purpose::Store)
            forgive_equal_writes(group, step, target, found);
    });
}

// Threads that write one place in one instruction: fine when they write the same.
void RaceChecker::check_together(Group& group, const Step& step, const std::vector<Touch>& all,
                                 std::vector<Conflict>& found) {
    if (is_u(step.instr.a))
        return;
    const bool is_wide = ready_access(step).bytes == 8;
    const auto value = [&](int lane) { return lane_bits(group, step.instr.a, lane, is_wide); };
    for (const Touch& touch : all) {
        if (touch.who < first_set)
            continue;
        const Mask& lanes = m_order->set(touch.who).lanes;
        const int first = lanes.first(m_chunks);
        const std::uint64_t written = value(first);
        for (int lane = first + 1; lane < m_lanes; ++lane)
            if (lanes.test(lane) && value(lane) != written) {
                found.push_back({.clash = Clash::AfterWrite,
                                 .first = m_order->thread_actor(m_rank, first),
                                 .second = m_order->thread_actor(m_rank, lane),
                                 .first_pc = group.pc - 1});
                break;
            }
    }
}

// Two writes of one statement that leave the same in memory are what kernels do to set a flag.
void RaceChecker::forgive_equal_writes(Group& group, const Step& step, const Target& target,
                                       std::vector<Conflict>& found) {
    std::erase_if(found, [&](const Conflict& conflict) {
        return conflict.clash == Clash::AfterWrite && conflict.first_pc == group.pc - 1 && is_thread(conflict.first) &&
               writes_what_is_there(group, step, target, conflict.second % m_lanes);
    });
}

bool RaceChecker::writes_what_is_there(Group& group, const Step& step, const Target& target, int lane) const {
    const int bytes = ready_access(step).bytes;
    const std::uint64_t mine = lane_bits(group, step.instr.a, lane, bytes == 8);
    return std::memcmp(target.base + target.offset_of(lane), &mine, static_cast<std::size_t>(bytes)) == 0;
}

// One thread of an access whose pointers go into several allocations.
void RaceChecker::check_lane(Group& group, const Step& step, Shadow& shadow, std::int64_t place, int bytes, int lane,
                             Purpose purpose) {
    Visit now = visit(group);
    now.updates = sees_earlier(step.op);
    const Actor actor = m_order->thread_actor(m_rank, lane);
    if (&shadow != m_shadow)
        note_owner(group, shadow, actor, lane);
    const std::size_t first = shadow.granule_of(place), count = shadow.granules_of(bytes);
    const bool reads = reads_first(step.op);
    look(group, step, purpose, [&](std::vector<Conflict>& found) {
        if (purpose != Purpose::Atomic && !(step.flags & artifact::flag_strong))
            return shadow.touch_run(purpose, first, count, actor, now, found);
        for (std::size_t g = first; g < first + count; ++g)
            shadow.update(g, actor, now, reads, found);
    });
}

void RaceChecker::check_strong(Group& group, const Step& step, const Target& target, Purpose purpose) {
    const int bytes = ready_access(step).bytes;
    for (int lane : running(group)) {
        const std::int64_t offset = target.offset_of(lane);
        check_lane(group, step, *target.shadow, target.place + offset, bytes, lane, purpose);
        const int thread = m_order->thread_actor(m_rank, lane);
        if (purpose == Purpose::Load)
            m_order->observe(thread, target.base + offset, m_order->published());
        else
            m_order->publish(thread, target.base + offset, m_order->published());
    }
}

// Atomics on shared memory, where no fence makes the order among them matter. False: each is watched when it is done.
bool RaceChecker::check_updates(Group& group, const Step& step, const Target& target) {
    if (!target.shadow || target.lane_by_lane)
        return false;
    if (target.shadow != m_shadow)
        note_owner(group, *target.shadow, who(group), group.active.first(m_chunks));
    if (m_order->has_fences() || !m_order->published().empty())
        return false;
    const int bytes = ready_access(step).bytes;
    const std::size_t count = target.shadow->granules_of(bytes);
    const bool reads = reads_first(step.op);
    Visit now = visit(group);
    now.updates = sees_earlier(step.op);
    look(group, step, Purpose::Atomic, [&](std::vector<Conflict>& found) {
        for_each_lane(group.active, m_warps, [&](int lane) {
            const std::size_t first = target.shadow->granule_of(target.place + target.offset_of(lane));
            for (std::size_t g = first; g < first + count; ++g)
                target.shadow->update(g, m_order->thread_actor(m_rank, lane), now, reads, found);
        });
    });
    return true;
}

// Bytes of shared memory that one thread reads or writes, or has copied into.
void RaceChecker::check_bytes(Group& group, std::uint64_t pointer, std::int64_t bytes, int lane, Purpose purpose,
                              bool is_reserved) {
    if (!m_order || (!is_own_shared(pointer) && !is_remote_shared(pointer)))
        return;
    const MemoryArea memory = m_block.memory.shared_memory(pointer);
    Shadow& shadow = *memory.shadow;
    Visit now = visit(group);
    now.is_reserved = is_reserved;
    if (is_remote_shared(pointer))
        note_remote(group, *m_cluster[remote_rank(pointer)], m_order->thread_actor(m_rank, lane), lane);
    const Actor actor = m_order->thread_actor(m_rank, lane);
    const std::size_t first = shadow.granule_of(memory.place), count = shadow.granules_of(bytes);
    look(group, shadow, purpose,
         [&](std::vector<Conflict>& found) { shadow.touch_run(purpose, first, count, actor, now, found); });
}

Actor RaceChecker::new_unit(UnitKind kind, std::string name, int lane) {
    const Actor unit = m_order->new_unit();
    m_units[unit] = {kind, std::move(name), lane};
    return unit;
}

void RaceChecker::fence(Group& group, const Step& step) {
    if (!m_order)
        return;
    switch (static_cast<artifact::FenceKind>(step.instr.x)) {
    case artifact::FenceKind::Threads:
        return m_order->fence(m_rank, group.active,
                              artifact::has_scope(step.flags, artifact::flag_block_scope)    ? Reach::Block
                              : artifact::has_scope(step.flags, artifact::flag_system_scope) ? Reach::System
                                                                                             : Reach::Gpu);
    case artifact::FenceKind::Units: return m_order->fence_async(m_rank, group.active);
    case artifact::FenceKind::Barriers: return m_block.mbarriers.publish(group.active);
    }
}

// ---- what a conflict says ----------------------------------------------------------------------------------------

// "smem_a[12]": its elements in the order of memory.
std::string RaceChecker::granule_text(const Shadow& shadow, std::size_t granule) const {
    const auto is_memory_of = [&](const Block* block) { return block->shadow.get() == &shadow; };
    if (std::ranges::none_of(m_cluster, is_memory_of))
        return "global memory";
    const auto place = static_cast<std::int64_t>(granule) * shadow.granule_bytes();
    std::size_t row = no_row;
    for (std::size_t r = 0; r < m_shared_place.size(); ++r)
        if (m_shared_place[r] <= place)
            row = r;
    if (row == no_row)
        return "shared memory";
    const artifact::SharedArray& array = m_function.shared[row];
    const std::int64_t at = place - m_shared_place[row];
    if (array.name < 0)
        return cat("byte ", at, " of shared memory");
    const std::string& name = string_at(array.name);
    return cat(name, " at element ", at / artifact::scalar_bytes(array.element));
}

std::string RaceChecker::cure(const Conflict& conflict) const {
    if (is_unit(conflict.first)) {
        for (const Block* block : m_cluster)
            if (const auto it = block->races.m_units.find(conflict.first); it != block->races.m_units.end()) {
                const Unit& unit = it->second;
                const auto own = static_cast<Actor>(block->rank * m_lanes + unit.lane);
                switch (unit.kind) {
                case UnitKind::Barrier: return cat("mbarrier_wait(", unit.name, ") before it makes sure");
                case UnitKind::Stores:
                    return cat("copy_bulk_wait_group(0, read=True) of ", actor_text(own), " before it makes sure");
                case UnitKind::Products: return "wgmma_wait_group(0) before it makes sure";
                }
            }
        return "a wait for it makes sure";
    }
    if (conflict.first / m_lanes != conflict.second / m_lanes)
        return "a barrier of the cluster between them does";
    if (conflict.first / 32 == conflict.second / 32)
        return "syncwarp() between them does";
    return "syncthreads(), or another barrier of both, between them does";
}

// Of what would order the two.
int RaceChecker::reach_of(const Conflict& conflict) const {
    constexpr int warp_threads = 32;
    const bool is_ordered_by_barrier = conflict.clash == Clash::AfterWrite || conflict.clash == Clash::AfterRead ||
                                       conflict.clash == Clash::AfterUpdate || conflict.clash == Clash::Pending;
    if (!is_ordered_by_barrier || is_unit(conflict.first))
        return 0;
    if (conflict.first / m_lanes != conflict.second / m_lanes)
        return 2;
    return conflict.first / warp_threads != conflict.second / warp_threads ? 1 : 0;
}

// `step`: a Load, Store or atomic, whose element is named; null: an access of bytes of the shadow.
void RaceChecker::tell(Group& group, const Step* step, const Shadow* shadow, Purpose purpose) {
    for (const Conflict& conflict : m_conflicts) {
        const int lane = conflict.second < first_unit ? conflict.second % m_lanes
                                                      : m_order->set(conflict.second).lanes.first(m_chunks);
        Finding finding = finding_at(group, lane);
        finding.is_store = purpose == Purpose::Store;
        finding.reach = reach_of(conflict);
        const std::string element = step ? m_block.findings.name_element(finding, group, access_of(*step), lane)
                                         : granule_text(*shadow, conflict.granule);
        const std::string first = is_thread(conflict.first) ? actor_text(conflict.first) : "";
        const bool is_copy = is_unit(conflict.first);
        std::string text = text_of(verb_of(purpose)) + element;
        const char* was = "";
        switch (conflict.clash) {
        case Clash::Unwritten:
            finding.kind = FindingKind::Unwritten;
            text += ", which nothing has been written to: shared memory begins undefined";
            break;
        case Clash::Pending:
            finding.kind = FindingKind::MissingWait;
            text += " while an asynchronous copy to it is under way: " +
                    (is_thread(conflict.first)
                         ? cat("cp_async_wait_group, or mbarrier_wait at its barrier, of ", first,
                               conflict.first == conflict.second ? "" : " and a barrier", " before it makes sure")
                         : std::string("a wait for it makes sure"));
            was = "the copy begins here";
            break;
        case Clash::Barrier:
            finding.kind = FindingKind::BarrierMisuse;
            text += ", where a barrier lies: only mbarrier functions may touch it before mbarrier_invalidate";
            was = "made here";
            break;
        case Clash::AfterWrite:
            finding.kind = is_copy ? FindingKind::MissingWait : FindingKind::Race;
            if (is_copy)
                text += ", which an asynchronous copy writes, and did not wait for it: " + cure(conflict);
            else if (purpose == Purpose::Store && conflict.first_pc == group.pc - 1)
                text +=
                    cat(", which ", first, " writes by the same statement, and nothing orders the two: let one thread ",
                        "alone write, or each an element of its own, or, in a loop, put a barrier between turns");
            else
                text += cat(", which ", first, " writes, and nothing orders the two: ", cure(conflict));
            was = is_copy ? "the copy begins here" : "written here";
            break;
        case Clash::AfterRead:
            finding.kind = is_copy ? FindingKind::MissingWait : FindingKind::Race;
            text += is_copy ? " while it may still be read: " + cure(conflict)
                            : cat(", which ", first, " reads, and nothing orders the two: ", cure(conflict));
            was = "read here";
            break;
        case Clash::AfterUpdate:
            finding.kind = FindingKind::Race;
            text += cat(", which ", first, " updates, and nothing orders the two: ", cure(conflict));
            was = "updated here";
            break;
        case Clash::Unfenced:
            finding.kind = FindingKind::MissingFence;
            text += cat(", which ", first, " writes, by a copy or product that does not see it yet: ",
                        "fence_view_async_shared() after the write and before the barrier makes sure");
            was = "written here";
            break;
        }
        finding.message = "kernel '" + m_function.name + "' " + text + where(lane);
        const bool is_known = conflict.clash != Clash::Unwritten && conflict.first_pc < m_function.origins.size();
        if (is_known)
            finding.related.push_back(
                {m_function.origins[conflict.first_pc], first.empty() ? was : cat(was, ", by ", first)});
        if (is_known && is_thread(conflict.first))
            BlockParties::add_accesses(m_block, finding, group, lane, BlockParties::doing_of(purpose),
                                       BlockParties::first_access(m_block, conflict));
        note(std::move(finding));
    }
}

} // namespace hidet::vm
