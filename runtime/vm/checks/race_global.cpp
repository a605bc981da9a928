// SPDX-License-Identifier: Apache-2.0
// The order of accesses to global memory, of different blocks here.
#include <algorithm>
#include <bit>

#include "compiler/artifact/memory_scope.h"
#include "lang/base/text.h"
#include "runtime/vm/async/tensor_map.h"
#include "runtime/vm/checks/block_notes.h"
#include "runtime/vm/launch.h"
#include "runtime/vm/update.h"

namespace hidet::vm {

namespace {

TraceScope scope_of(const Step& step) {
    return artifact::has_scope(step.flags, artifact::flag_system_scope)    ? TraceScope::System
           : artifact::has_scope(step.flags, artifact::flag_block_scope)   ? TraceScope::Block
           : artifact::has_scope(step.flags, artifact::flag_cluster_scope) ? TraceScope::Cluster
                                                                           : TraceScope::Gpu;
}

// What a copy by a map has of global memory, where the map is a parameter.
std::optional<artifact::TensorMap> map_of(const LaunchContext& context, const Instr& i) {
    if (i.op != Op::TensorStore && i.op != Op::TensorLoad)
        return std::nullopt;
    const std::int32_t map = context.kernel->operands[static_cast<std::size_t>(i.x)].items[1];
    const auto row = static_cast<std::size_t>(register_of(map));
    if (!is_u(map) || row >= context.kernel->params.size())
        return std::nullopt;
    const artifact::TensorMap known = tensor_map_at(*context.memory, context.args[row]);
    return known.made == artifact::TensorMap::mark ? std::optional(known) : std::nullopt;
}

// The allocation of an access, where it is by a parameter.
std::optional<std::uint32_t> allocation_of(const LaunchContext& context, const Access& access) {
    const auto row = static_cast<std::size_t>(register_of(access.base));
    if (!is_u(access.base) || row >= context.kernel->params.size())
        return std::nullopt;
    return id_of(context.args[row]);
}

void report_apart(LaunchShadow& shadow, std::optional<std::uint32_t> id, int bytes) {
    if (id)
        shadow.narrower.emplace_back(*id, bytes);
    else
        shadow.granule = std::min(shadow.granule, bytes);
}

// Elements of one access are told apart; of copies bytes, and where the map is known elements.
void track_copy(LaunchContext& context, const Instr& i) {
    LaunchShadow& shadow = *context.global;
    const bool writes = i.op == Op::TensorStore || i.op == Op::BulkStore;
    if (!writes && i.op != Op::TensorLoad)
        return;
    const std::optional<artifact::TensorMap> map = map_of(context, i);
    const std::optional<std::uint32_t> id = map ? std::optional(id_of(map->address)) : std::nullopt;
    report_apart(shadow, id, map ? int{map->element_bytes} : 1);
    if (writes && id)
        shadow.tracked.push_back(*id);
    shadow.tracks_all = shadow.tracks_all || (writes && !id);
}

} // namespace

void track_writes(LaunchContext& context) {
    const Function& kernel = *context.kernel;
    for (const Instr& i : kernel.code) {
        const bool writes = i.op == Op::Store || (i.op >= Op::AtomicAdd && i.op <= Op::AtomicBits);
        track_copy(context, i);
        if (!writes && i.op != Op::Load)
            continue;
        const Access& access = kernel.accesses[static_cast<std::size_t>(i.x)];
        if (access.space != artifact::Space::Pointer)
            continue;
        const std::optional<std::uint32_t> id = allocation_of(context, access);
        report_apart(*context.global, id, artifact::scalar_bytes(access.element));
        if (writes && id)
            context.global->tracked.push_back(*id);
        context.global->tracks_all = context.global->tracks_all || (writes && !id);
    }
}

GlobalShadow* GlobalChecker::global_shadow(std::uint32_t id, std::int64_t bytes) {
    for (const auto& [known, shadow] : m_global_shadows)
        if (known == id)
            return shadow;
    LaunchShadow& launch = *m_context.global;
    const std::lock_guard lock(launch.mutex);
    const auto [it, is_new] = launch.shadows.try_emplace({m_context.memory->was(id)->data, bytes});
    const bool is_tracked = launch.tracks_all || std::ranges::count(launch.tracked, id) > 0;
    if (is_new && is_tracked)
        it->second = std::make_unique<GlobalShadow>(bytes, launch.granule_of(id),
                                                    m_context.ranks ? m_context.shape.blocks() : 0, launch.is_shared);
    m_global_shadows.emplace_back(id, it->second.get());
    return it->second.get();
}

// Bytes that lie together.
const std::vector<LanePart::Run>& GlobalChecker::runs_of(Group& group, const LanePart& part, int bytes) const {
    auto& out = const_cast<LanePart&>(part).runs;
    if (!out.empty())
        return out;
    std::vector<std::int64_t> offsets;
    for (int lane = 16 * part.first_chunk; lane < 16 * part.first_chunk + static_cast<int>(part.offsets.size()); ++lane)
        if (group.active.test(lane))
            offsets.push_back(part.offset_of(lane));
    if (!std::is_sorted(offsets.begin(), offsets.end()))
        std::ranges::sort(offsets);
    for (std::int64_t offset : offsets) {
        if (!out.empty() && offset <= out.back().offset + out.back().bytes)
            out.back().bytes = std::max(out.back().bytes, offset + bytes - out.back().offset);
        else
            out.push_back({offset, bytes});
    }
    return out;
}

void GlobalChecker::touch_global(Group& group, GlobalShadow& shadow, GlobalKind kind, std::int64_t begin,
                                 std::int64_t bytes, int lane, const Step* step, const Target* target) {
    touch_lines(
        group, shadow, kind, [&](auto&& look) { shadow.for_each_line(begin, bytes, look); }, lane, step, target);
}

// Whether what threads of this block do now is behind what another block did. Which of several threads of that did it is not
// known, but who has heard of none, or of one alone that is not its own counterpart, is behind no barrier of theirs.
bool GlobalChecker::is_behind_trace(const Trace& first, const Trace& self, GlobalKind kind, const Mask& lanes) const {
    const auto peer =
        std::ranges::find_if(m_cluster, [&, at = static_cast<std::int64_t>(first.block) - m_context.first_block() -
                                                 1](const Block* block) { return block->number == at; });
    const bool is_peer = peer != m_cluster.end();
    if (is_peer && first.is_atomic && self.is_atomic && std::min(first.scope, self.scope) >= TraceScope::Cluster)
        return true;
    if (!is_peer && !m_context.kernel->needs_order)
        return false;
    const auto [cluster, rank] = cluster_of(m_context.shape, std::int64_t{first.block} - 1);
    const auto knows = [&, cluster = cluster, rank = rank](Actor thread, int l) {
        const Actor actor = m_order->thread_actor(rank, l);
        Order::Pair pair;
        if (is_peer)
            return m_order->is_before(actor, first.epoch, thread, false, pair);
        return m_order->is_far_before(cluster, actor, first.epoch, thread) ||
               (kind == GlobalKind::AtomicRead && !first.is_atomic &&
                m_order->is_heard_before(cluster, actor, first.epoch, thread)) ||
               (first.is_atomic && !self.is_atomic && m_order->is_access_heard(cluster, actor, first.epoch, thread));
    };
    const auto knows_them = [&](Actor thread) {
        if ((!first.warps || first.is_mixed) && knows(thread, static_cast<int>(first.lane)))
            return true;
        int known = 0;
        for (std::uint32_t warps = first.warps; warps && known < 2; warps &= warps - 1)
            for (int l = 32 * __builtin_ctz(warps), end = std::min(l + 32, m_threads); l < end && known < 2; ++l)
                known += knows(thread, l);
        return known >= 2;
    };
    int last = -1; // whose clock is one that does
    for (int l = lanes.first(m_chunks); l < m_lanes; ++l) {
        if (!lanes.test(l))
            continue;
        const Actor thread = m_order->thread_actor(m_rank, l);
        if (last >= 0 && m_order->know_the_same(last, thread))
            continue;
        if (knows_them(thread))
            last = thread;
        else if (!first.warps || !knows(thread, l))
            return false;
    }
    return true;
}

// The threads of an access that have granules of the conflict.
Mask GlobalChecker::lanes_there(Group& group, const Step& step, const Target& target,
                                const GlobalConflict& conflict) const {
    if (!target.part)
        return group.active;
    constexpr std::int64_t line = 64;
    const std::int64_t granule = target.global->granule_bytes(), from = conflict.byte & -line * granule;
    const int bytes = ready_access(step).bytes;
    Mask out;
    for_each_lane(group.active, m_warps, [&](int lane) {
        const std::int64_t at = target.place + target.part->offset_of(lane) - from;
        const std::int64_t first = std::max<std::int64_t>(at / granule, 0);
        const std::int64_t end = std::min((at + bytes + granule - 1) / granule, line);
        if (end > first && conflict.mask << (line - end) >> (line - end + first))
            out.set(lane);
    });
    return out;
}

// What other ranks did there in launches before. Flags are read and written whenever that is.
template <class ForEachLine>
void GlobalChecker::touch_history(Group& group, const GlobalShadow& shadow, GlobalKind kind,
                                  ForEachLine&& for_each_line, int lane, const Step* step) {
    const auto of = std::ranges::find(m_global_shadows, &shadow, &std::pair<std::uint32_t, GlobalShadow*>::second);
    if (kind == GlobalKind::AtomicRead || kind == GlobalKind::AtomicWrite || of == m_global_shadows.end())
        return;
    const std::byte* const data = m_context.memory->was(of->first)->data;
    const bool writes = kind == GlobalKind::Write;
    const int bytes = shadow.granule_bytes();
    RankHistory::Earlier found;
    for_each_line([&](std::int64_t line, std::uint64_t mask) {
        while (mask != 0) {
            const int first = std::countr_zero(mask), count = std::countr_one(mask >> first);
            const std::byte* const at = data + (line * 64 + first) * bytes;
            const RankHistory::Earlier earlier =
                m_context.history->touch(at, static_cast<std::size_t>(count * bytes), m_context.rank, writes);
            if (found.rank < 0)
                found = earlier;
            mask &= first + count < 64 ? ~std::uint64_t{0} << (first + count) : 0;
        }
    });
    if (found.rank >= 0)
        report_earlier(group, step, found, writes, lane);
}

void GlobalChecker::report_earlier(Group& group, const Step* step, const RankHistory::Earlier& earlier, bool writes,
                                   int lane) {
    Finding finding = finding_at(group, lane);
    finding.kind = FindingKind::Race;
    finding.is_store = writes;
    const std::string element =
        step ? m_block.findings.name_element(finding, group, access_of(*step), lane) : "global memory";
    finding.message =
        sentence(lane, "", writes ? "writes " : "reads ", element, ", which rank ", earlier.rank, " ",
                 earlier.writes ? "writes" : "reads", " in a launch of kernel '", earlier.kernel,
                 "' before, and nothing orders the two: launches of two ranks are in no order, so a kernel waits for a "
                 "signal that the other one sends behind its access, or both ranks meet between the launches, as in "
                 "hidet.distributed.barrier()");
    note(std::move(finding));
}

// `for_each_line(look)`: calls look(line, mask) for what is touched of each line.
template <class ForEachLine>
void GlobalChecker::touch_lines(Group& group, GlobalShadow& shadow, GlobalKind kind, ForEachLine&& for_each_line,
                                int lane, const Step* step, const Target* target) {
    if (m_context.history)
        touch_history(group, shadow, kind, for_each_line, lane, step);
    if (m_context.shape.blocks() * m_context.rank_count() == 1)
        return;
    Trace self{.block = static_cast<std::uint32_t>(m_context.first_block() + m_number + 1),
               .epoch = m_order->now(),
               .pc = group.pc - 1,
               .lane = static_cast<std::uint32_t>(lane)};
    self.is_atomic = kind == GlobalKind::AtomicRead || kind == GlobalKind::AtomicWrite;
    if (target && group.active.count(m_chunks) > 1)
        self.warps = warp_bits(group.active);
    self.updates = step && sees_earlier(step->op);
    self.scope = step && self.is_atomic ? scope_of(*step) : TraceScope::Gpu;
    m_global_conflicts.clear();
    const auto is_ordered = [&](const GlobalConflict& conflict, const Trace& first) {
        return is_behind_trace(first, self, kind,
                               target ? lanes_there(group, *step, *target, conflict) : Mask::of(lane));
    };
    for_each_line([&](std::int64_t line, std::uint64_t mask) {
        shadow.touch(kind, line, mask, self, is_ordered, m_global_conflicts);
    });
    for (const GlobalConflict& conflict : m_global_conflicts) {
        int second = lane;
        if (target && target->part) // who has that byte
            for (int l : running(group)) {
                const std::int64_t at = target->place + target->part->offset_of(l);
                const int each = m_context.code->accesses[static_cast<std::size_t>(step->instr.x)].bytes;
                if (conflict.byte >= at && conflict.byte < at + each)
                    second = l;
            }
        // Two blocks that leave the same at a place by one statement.
        if (step && step->op == Op::Store && conflict.first_writes && conflict.first.pc == self.pc && target &&
            m_block.races.writes_what_is_there(group, *step, *target, second))
            continue;
        report_global(group, step, conflict, kind, second);
    }
}

void GlobalChecker::check_global(Group& group, const Step& step, const Target& target, Purpose purpose) {
    const int bytes = ready_access(step).bytes;
    const int first = group.active.first(m_chunks);
    if (step.flags & artifact::flag_strong) {
        for (int lane : running(group)) {
            const std::int64_t offset = target.offset_of(lane);
            check_global_lane(group, step, {*target.global, target.id}, target.place + offset, bytes, lane, purpose,
                              target.base + offset);
        }
        if (m_context.is_random && purpose == Purpose::Store && m_block.flow.chosen(2) == 0)
            group.yielded = true; // others may see what it has done up to here, and not what comes
        return;
    }
    // A signal may find its receiver, or the next put its reader, anywhere: also between two plain accesses.
    if (m_context.is_random && m_context.ranks && m_block.flow.chosen(4) == 0)
        group.yielded = true;
    check_within(group, step, target, purpose);
    const GlobalKind kind = purpose == Purpose::Load ? GlobalKind::Read : GlobalKind::Write;
    if (!target.part)
        return touch_global(group, *target.global, kind, target.place, bytes, first, &step, &target);
    const TouchList& list = m_block.races.touches(group, *target.part, bytes, target.global->granule_bytes());
    const std::int64_t base = target.place / target.global->granule_bytes();
    touch_lines(
        group, *target.global, kind, [&](auto&& look) { list.for_each_line(base, look); }, first, &step, &target);
}

// Atomics, strong accesses, and threads whose pointers go into several allocations.
void GlobalChecker::check_global_lane(Group& group, const Step& step, const Shadowed& memory, std::int64_t place,
                                      int bytes, int lane, Purpose purpose, const std::byte* address) {
    GlobalShadow& shadow = memory.shadow;
    const bool is_strong = purpose == Purpose::Atomic || (step.flags & artifact::flag_strong);
    const bool reads = purpose == Purpose::Load;
    check_within_lane(group, step, memory.id, place, bytes, lane, purpose);
    if (!is_strong)
        return touch_global(group, shadow, reads ? GlobalKind::Read : GlobalKind::Write, place, bytes, lane, &step,
                            nullptr);
    const int thread = m_order->thread_actor(m_rank, lane);
    LaunchShadow& launch = *m_context.global;
    Published& own = launch.published[static_cast<std::size_t>(m_context.rank)];
    const bool is_for_all = m_context.ranks && scope_of(step) == TraceScope::System;
    if (purpose != Purpose::Store) {
        m_order->observe(thread, address, own);
        if (is_for_all)
            m_order->observe_all(thread, address, launch.to_all);
        if (is_for_all && m_context.history)
            m_context.history->acquire(address, m_context.rank);
    }
    touch_global(group, shadow, reads ? GlobalKind::AtomicRead : GlobalKind::AtomicWrite, place, bytes, lane, &step,
                 nullptr);
    if (reads)
        return;
    m_order->publish(thread, address, own);
    if (is_for_all)
        m_order->publish_to_all(thread, address, launch.to_all);
    if (is_for_all && m_context.history)
        m_context.history->release(address, m_context.rank);
}

void GlobalChecker::check_global_bytes(Group& group, std::uint64_t pointer, std::int64_t bytes, int lane,
                                       Purpose purpose) {
    if (!m_order || !bytes)
        return;
    const Allocation* allocation = m_context.memory->find(id_of(pointer));
    if (!allocation)
        return;
    check_unwritten_bytes(group, *allocation, offset_of(pointer), bytes, lane, purpose);
    GlobalShadow* shadow = global_shadow(id_of(pointer), allocation->bytes);
    if (shadow)
        touch_global(group, *shadow, purpose == Purpose::Load ? GlobalKind::Read : GlobalKind::Write,
                     offset_of(pointer), bytes, lane, nullptr, nullptr);
}

// Of a block among those of all ranks.
std::string GlobalChecker::trace_text(const Trace& trace) const {
    const auto& [x, y, z] = index_of(trace);
    const std::int64_t rank = (std::int64_t{trace.block} - 1) / m_context.shape.blocks();
    return cat(thread_text(static_cast<int>(trace.lane)), " of block ", tuple_text({x, y, z}, '(', ')'),
               rank == m_context.rank ? "" : cat(" of rank ", rank));
}

std::array<std::int64_t, 3> GlobalChecker::index_of(const Trace& trace) const {
    const LaunchShape::Extents& grid = m_context.shape.grid;
    const std::int64_t block = (std::int64_t{trace.block} - 1) % m_context.shape.blocks();
    return {block % grid[0], block / grid[0] % grid[1], block / grid[0] / grid[1]};
}

const char* GlobalChecker::cure(const GlobalConflict& conflict, GlobalKind kind) const {
    const bool is_atomic = kind == GlobalKind::AtomicRead || kind == GlobalKind::AtomicWrite;
    const bool is_far = (std::int64_t{conflict.first.block} - 1) / m_context.shape.blocks() != m_context.rank;
    if (conflict.first.is_atomic && is_atomic)
        return is_far ? ", and the scope of one of the two does not reach the other GPU: scope='sys' of both does"
                      : ", and the scope of one of the two does not reach the other block: scope='gpu' of both does";
    if (is_far)
        return ", and nothing orders the two: ranks run at the same time, so one sends a signal behind what it does "
               "and "
               "the other waits for it, both of scope 'sys', as signal() and wait_signal() are";
    return ", and nothing orders the two: blocks run in any order, so use atomics, with fences for what they "
           "guard, or a launch for each";
}

void GlobalChecker::report_global(Group& group, const Step* step, const GlobalConflict& conflict, GlobalKind kind,
                                  int lane) {
    const Trace& trace = conflict.first;
    const bool reads = kind == GlobalKind::Read || kind == GlobalKind::AtomicRead;
    const Purpose purpose = reads ? Purpose::Load : kind == GlobalKind::AtomicWrite ? Purpose::Atomic : Purpose::Store;
    Finding finding = finding_at(group, lane);
    finding.kind = FindingKind::Race;
    finding.is_store = !reads;
    const std::string element =
        step ? m_block.findings.name_element(finding, group, access_of(*step), lane) : "global memory";
    const std::string first = trace_text(trace);
    const Doing doing = trace.is_atomic ? Doing::Updates : conflict.first_writes ? Doing::Writes : Doing::Reads;
    finding.message = sentence(lane, "", text_of(verb_of(purpose)), element, ", which ", first, " ", name_of(doing),
                               cure(conflict, kind));
    const std::int64_t rank = (std::int64_t{trace.block} - 1) / m_context.shape.blocks();
    const Function& kernel =
        m_context.ranks ? *m_context.ranks->launches.at(static_cast<std::size_t>(rank))->kernel : m_function;
    if (trace.pc < kernel.origins.size()) {
        finding.related.push_back({kernel.origins[trace.pc], cat(doing == Doing::Updates  ? "updated"
                                                                 : doing == Doing::Writes ? "written"
                                                                                          : "read",
                                                                 " here, by ", first)});
        Party party = BlockParties::access(
            m_block, doing, std::min<std::uint32_t>(trace.pc, static_cast<std::uint32_t>(m_function.code.size()) - 1),
            trace.lane);
        party.origin = kernel.origins[trace.pc];
        party.block = index_of(trace);
        BlockParties::add_accesses(m_block, finding, group, lane, BlockParties::doing_of(purpose), std::move(party));
    }
    note(std::move(finding));
}

} // namespace hidet::vm
