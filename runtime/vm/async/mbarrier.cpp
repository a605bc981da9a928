// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory. Their 64 bits are the hardware's business; what they stand for is kept beside the memory.
#include <algorithm>

#include "lang/base/text.h"
#include "runtime/vm/block.h"
#include "runtime/vm/observe/timeline.h"

namespace hidet::vm {

namespace {

constexpr std::int64_t most_threads = (1 << 20) - 1; // that a phase can wait for

// Counts of what is still to come.
std::string rest_of(const Mbarrier& barrier) {
    std::string text = cat(barrier.expected - barrier.pending, " of ", barrier.expected, " arrived");
    return barrier.bytes > 0   ? cat(text, ", ", barrier.bytes, " bytes to come")
           : barrier.bytes < 0 ? cat(text, ", ", -barrier.bytes, " bytes more than expected came")
                               : text;
}

} // namespace

// "full[1]"
std::string Mbarriers::name_of(std::uint64_t pointer) const {
    const auto row = static_cast<std::size_t>(id_of(pointer) - first_shared_id);
    const artifact::SharedArray& array = m_function.shared[row];
    const std::string& name = string_at(array.name);
    const bool is_word = artifact::scalar_bytes(array.element) == 8;
    return cat(name, is_word ? "[" : " at byte ", offset_of(pointer) / (is_word ? 8 : 1), is_word ? "]" : "");
}

// Where the barrier lies in the shared memory of a block of the cluster, which has the same arrays.
const std::byte* Mbarriers::place_of(Group& group, std::uint64_t pointer, int lane, const char* what) {
    if (!is_own_shared(pointer))
        fail(group, FindingKind::BarrierMisuse, lane,
             cat(what, " a barrier that is not in the shared memory of the block"));
    return m_block.memory.checked_pointer(group, pointer, 8, 8, lane, Purpose::Store, what);
}

Mbarrier& Mbarriers::at(Group& group, Block& owner, std::uint64_t pointer, int lane, const char* what) {
    place_of(group, pointer, lane, what);
    const auto row = static_cast<std::size_t>(id_of(pointer) - first_shared_id);
    if (&owner != &m_block && !owner.alive_threads())
        fail(group, FindingKind::InvalidPointer, lane,
             cat("uses the shared memory of block ", owner.rank, " of its cluster, which has ended"));
    Mbarrier* const found = owner.mbarriers.find(owner.shared[row].data + offset_of(pointer));
    if (!found)
        fail(group, FindingKind::BarrierMisuse, lane,
             cat(what, " the barrier ", name_of(pointer), ", which mbarrier_init has not made"));
    return *found;
}

void Mbarriers::reserve_barrier(std::uint64_t pointer, Actor actor, Epoch epoch, std::uint32_t pc) {
    m_shadow->arrive(m_shadow->granule_of(m_block.memory.shared_memory(pointer).place),
                     static_cast<std::size_t>(8 / m_shadow->granule_bytes()), cell_of(epoch, actor, pc), *m_order);
}

// Several threads that make the same barrier at once make one: hardware writes the same word. It is not defined all the
// same, so it is a finding where all is checked; ending it likewise.
void Mbarriers::make_mbarrier(Group& group, const Step& step) {
    std::vector<const std::byte*> made_now;
    for (int lane : running(group)) {
        const auto pointer = lane_value<std::uint64_t>(group, step.instr.a, lane);
        const auto count = static_cast<std::int64_t>(lane_value<std::uint32_t>(group, step.instr.b, lane));
        const std::byte* place = place_of(group, pointer, lane, "makes");
        if (count < 1 || count > most_threads)
            fail(group, FindingKind::BarrierMisuse, lane,
                 cat("makes a barrier for ", count, " threads; it can be 1 to ", most_threads));
        const bool is_same =
            !m_order && std::ranges::find(made_now, place) != made_now.end() && m_mbarriers.at(place).expected == count;
        if (is_same)
            continue;
        made_now.push_back(place);
        if (m_mbarriers.contains(place))
            fail(group, FindingKind::BarrierMisuse, lane,
                 cat("makes the barrier ", name_of(pointer), " a second time"));
        Mbarrier& made = m_mbarriers[place];
        made.expected = made.pending = count;
        if (!m_order)
            continue;
        m_block.races.check_bytes(group, pointer, 8, lane, Purpose::Store, false);
        made.unit = m_block.races.new_unit(UnitKind::Barrier, name_of(pointer), lane);
        made.maker = m_order->thread_actor(m_rank, lane);
        made.made = m_order->now();
        made.pc = group.pc - 1;
        reserve_barrier(pointer, barrier_object, in_flight, group.pc - 1);
    }
}

void Mbarriers::end_mbarrier(Group& group, const Step& step) {
    std::vector<std::uint64_t> ended_now;
    for (int lane : running(group)) {
        const auto pointer = lane_value<std::uint64_t>(group, step.instr.a, lane);
        if (!m_order && std::ranges::find(ended_now, pointer) != ended_now.end())
            continue;
        ended_now.push_back(pointer);
        at(group, m_block, pointer, lane, "invalidates");
        for (const auto& other : m_groups)
            if (other->state == GroupState::AtMbarrier && other->awaited == pointer)
                fail(group, FindingKind::BarrierMisuse, lane,
                     cat("invalidates the barrier ", name_of(pointer), ", which others wait at"));
        m_mbarriers.erase(place_of(group, pointer, lane, "invalidates"));
        if (m_order)
            reserve_barrier(pointer, m_order->thread_actor(m_rank, lane), m_order->now(), group.pc - 1);
    }
}

// The phase ends when all threads arrived and all bytes came.
void Mbarriers::settle(Mbarrier& barrier) {
    m_progress = true;
    if (barrier.pending || barrier.bytes)
        return;
    ++barrier.phase;
    if (m_timeline)
        m_timeline->end_phase(barrier);
    barrier.pending = barrier.expected;
    if (m_order) {
        barrier.over.join(barrier.arrived);
        barrier.over.seen.add(barrier.unit, m_order->epoch_now(barrier.unit));
        barrier.arrived = {};
        m_order->step();
    }
    for (const auto& group : m_groups)
        if (group->state == GroupState::AtMbarrier)
            group->state = GroupState::Ready;
}

// Those that signal the barrier that the lane signals.
Mask Mbarriers::lanes_that_signal(Group& group, const artifact::Operands& row, int lane) const {
    Mask lanes;
    for_each_lane(group.active, m_warps, [&](int other) {
        if (other >= lane && lane_value<std::uint32_t>(group, row.items[3], other) &&
            lane_value<std::uint64_t>(group, row.items[0], other) ==
                lane_value<std::uint64_t>(group, row.items[0], lane) &&
            lane_value<std::int32_t>(group, row.items[2], other) == lane_value<std::int32_t>(group, row.items[2], lane))
            lanes.set(other);
    });
    return lanes;
}

// Its memory is initialised by one thread, which others have to learn of.
void Mbarriers::check_made(Group& group, const Mbarrier& barrier, std::uint64_t pointer, int lane, BarrierUse use) {
    Order::Pair pair;
    const Actor self = m_order->thread_actor(m_rank, lane);
    const auto is_known_to = [&](bool to_unit) {
        return m_order->is_before(barrier.maker, barrier.made, self, to_unit, pair);
    };
    const bool is_known = is_known_to(false);
    const bool is_seen =
        use == BarrierUse::Own || barrier.is_published || (use == BarrierUse::Copy && is_known_to(true));
    if (is_known && is_seen)
        return;
    Finding finding =
        finding_at(group, FindingKind::BarrierMisuse, lane, "uses the barrier ", name_of(pointer), ", which ",
                   actor_text(barrier.maker), " makes, ",
                   !is_known ? "and nothing orders the two: syncthreads() after mbarrier_init does"
                   : use == BarrierUse::Copy
                       ? "for a copy without fence_barrier_init() or fence_view_async_shared() behind mbarrier_init"
                       : "from another block without fence_barrier_init() behind mbarrier_init");
    finding.related.push_back({m_function.origins[barrier.pc], cat("made here, by ", actor_text(barrier.maker))});
    note(std::move(finding));
}

void Mbarriers::signal_mbarrier(Group& group, const Step& step) {
    const artifact::Operands& row = operands_of(step);
    const bool arrives = step.op == Op::MbarArrive;
    std::vector<std::pair<const Mbarrier*, Mask>> released;
    for_each_lane(group.active, m_warps, [&](int lane) {
        if (!lane_value<std::uint32_t>(group, row.items[3], lane))
            return;
        const auto pointer = lane_value<std::uint64_t>(group, row.items[0], lane);
        const auto bytes = static_cast<std::int64_t>(lane_value<std::uint32_t>(group, row.items[1], lane));
        Block& owner = m_block.memory.peer(group, lane_value<std::int32_t>(group, row.items[2], lane), lane);
        Mbarrier& barrier = at(group, owner, pointer, lane, arrives ? "arrives at" : "counts bytes at");
        if (arrives && !barrier.pending)
            fail(group, FindingKind::BarrierMisuse, lane,
                 cat("arrives at the barrier ", name_of(pointer), ", where all ", barrier.expected,
                     " threads of this phase have arrived"));
        if (m_order) {
            check_made(group, barrier, pointer, lane, &owner == &m_block ? BarrierUse::Own : BarrierUse::Remote);
            m_block.races.note_remote(group, owner, m_order->thread_actor(m_rank, lane), lane);
            // Lanes of one instruction that go to one barrier release together: whole warps are one number.
            const auto is_done = [&](const auto& each) { return each.first == &barrier && each.second.test(lane); };
            if (std::ranges::none_of(released, is_done)) {
                const Mask lanes = lanes_that_signal(group, row, lane);
                released.emplace_back(&barrier, lanes);
                barrier.arrived.join(m_order->release(m_rank, lanes, alive_lanes()));
                m_order->step();
            }
        }
        if (m_timeline && owner.timeline)
            owner.timeline->arrive(barrier, m_timeline->arrival(lane / 32, group.pc - 1, false));
        barrier.bytes += step.op == Op::MbarComplete ? -bytes : bytes;
        barrier.pending -= arrives;
        owner.mbarriers.settle(barrier);
    });
}

// Of a new barrier, the phase of parity 1 is over: it is the one before the first.
bool Mbarriers::is_over(Group& group, const Step& step, int lane) {
    const auto pointer = lane_value<std::uint64_t>(group, step.instr.a, lane);
    const auto parity = lane_value<std::uint32_t>(group, step.instr.b, lane);
    const Mbarrier& barrier = at(group, m_block, pointer, lane, "waits at");
    if (parity > 1)
        fail(group, FindingKind::BarrierMisuse, lane,
             cat("waits at the barrier ", name_of(pointer), " for the parity ", parity, ", which is 0 or 1"));
    return (barrier.phase & 1) != parity;
}

// Of these lanes, those that ask for the same as the first of them.
Mask Mbarriers::lanes_that_ask(Group& group, const Step& step, const Mask& lanes) const {
    if (is_u(step.instr.a) && is_u(step.instr.b))
        return lanes;
    const int lane = lanes.first(m_chunks);
    const auto pointer = lane_value<std::uint64_t>(group, step.instr.a, lane);
    const auto parity = lane_value<std::uint32_t>(group, step.instr.b, lane);
    Mask same;
    for_each_lane(lanes, m_warps, [&](int other) {
        if (lane_value<std::uint64_t>(group, step.instr.a, other) == pointer &&
            lane_value<std::uint32_t>(group, step.instr.b, other) == parity)
            same.set(other);
    });
    return same;
}

// These lanes, which wait for the same, know what those knew who ended the phase.
void Mbarriers::observe_phase(Group& group, const Step& step, const Mask& lanes) {
    if (m_timeline)
        m_block.observer.note_phase(group, step, lanes);
    if (!m_order)
        return;
    const auto pointer = lane_value<std::uint64_t>(group, step.instr.a, lanes.first(m_chunks));
    const Mbarrier& barrier = at(group, m_block, pointer, lanes.first(m_chunks), "waits at");
    Order::Pair pair;
    const Actor all = m_order->set_of(m_rank, lanes);
    if (!m_order->is_before(barrier.maker, barrier.made, all, false, pair))
        check_made(group, barrier, pointer, pair.second % m_lanes, BarrierUse::Own);
    m_order->acquire(m_rank, lanes, barrier.over);
}

void Mbarriers::await_mbarrier(Group& group, const Step& step) {
    Mask rest = group.active;
    for (int lane = rest.first(m_chunks); lane >= 0; lane = rest.first(m_chunks)) {
        const Mask lanes = lanes_that_ask(group, step, rest);
        rest.remove(lanes, m_chunks);
        if (is_over(group, step, lane)) {
            observe_phase(group, step, lanes);
            continue;
        }
        m_block.flow.part_from_idle(group);
        group.state = GroupState::AtMbarrier;
        group.awaited = lane_value<std::uint64_t>(group, step.instr.a, lane);
        group.parity = lane_value<std::uint32_t>(group, step.instr.b, lane);
        --group.pc; // all of its threads ask again
        return;
    }
}

// Who asks in a loop lets others go on meanwhile.
void Mbarriers::test_mbarrier(Group& group, const Step& step) {
    auto* out = reinterpret_cast<std::uint32_t*>(lanes(step.instr.dst));
    Mask rest = group.active;
    for (int lane = rest.first(m_chunks); lane >= 0; lane = rest.first(m_chunks)) {
        const Mask asking = lanes_that_ask(group, step, rest);
        rest.remove(asking, m_chunks);
        const bool done = is_over(group, step, lane);
        for (int each = lane; each < m_lanes; ++each)
            if (asking.test(each))
                out[each] = done;
        if (done)
            observe_phase(group, step, asking);
        group.yielded = group.yielded || !done;
    }
    if (group.yielded)
        m_block.flow.part_from_idle(group);
    written(group, step.instr.dst);
}

// " at the barrier full[1] for its phase of parity 0 (1 of 2 arrived, 512 bytes to come);"
std::string Mbarriers::waiting_text(const Group& group) const {
    const auto row = static_cast<std::size_t>(id_of(group.awaited) - first_shared_id);
    const Mbarrier& barrier = m_mbarriers.at(m_shared[row].data + offset_of(group.awaited));
    return cat(" at the barrier ", name_of(group.awaited), " for its phase of parity ", group.parity, " (",
               rest_of(barrier), ");");
}

void Mbarriers::publish(const Mask& makers) {
    for (auto& [place, barrier] : m_mbarriers)
        barrier.is_published = barrier.is_published || makers.test(barrier.maker % m_lanes);
}

} // namespace hidet::vm
