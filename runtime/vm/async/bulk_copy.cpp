// SPDX-License-Identifier: Apache-2.0
// Copies of the copy unit. One is checked when it is issued, and moves its data as late as is legal: to shared memory when
// nobody can go on without it, from shared memory when the thread that issued it waits for its group. What it will write in
// shared memory is filled with NaNs until then.
#include <algorithm>

#include "lang/base/check.h"
#include "lang/base/text.h"
#include "runtime/vm/async/swizzle.h"
#include "runtime/vm/async/tensor_map.h"
#include "runtime/vm/checks/block_notes.h"
#include "runtime/vm/observe/timeline.h"
#include "runtime/vm/update.h"

namespace hidet::vm {

using artifact::TensorMap;

namespace {

constexpr int granule = 16;      // bytes, of which only whole ones are copied
constexpr int atom_bytes = 1024; // after which swizzles repeat

// Calls f(first, bytes) for what runs have of a tile, without the seams between them. `reads`: what they read there.
template <class F>
void for_each_stretch(const std::vector<CopyRun>& runs, bool reads, F&& f) {
    std::int64_t first = 0, end = 0;
    for (const CopyRun& run : runs) {
        const std::int64_t begin = run.shared + (reads ? run.skipped : 0);
        const std::int64_t bytes = std::int64_t{reads ? run.copied : run.bytes} * run.rows;
        if (!bytes)
            continue;
        if (begin != end && end != first)
            f(first, end - first);
        if (begin != end || end == first)
            first = begin;
        end = begin + bytes;
    }
    if (end != first)
        f(first, end - first);
}

} // namespace

CopyUnit::CopyUnit(const BlockView& view) : BlockView(view), m_bulk_groups(static_cast<std::size_t>(m_lanes)) {
    if (m_context.log)
        m_swizzled.resize(m_block.shared_storage.size() / granule + 1);
}

void CopyUnit::begin() {
    m_loads.clear();
    m_stores.clear();
    m_store_units.clear();
    std::ranges::fill(m_bulk_groups, 0);
}

// Null where there is none.
const std::byte* CopyUnit::begin_of(std::uint64_t pointer) const {
    const Allocation* allocation = m_context.memory->find(id_of(pointer));
    return allocation ? allocation->data : nullptr;
}

TensorMap CopyUnit::tensor_map_at(Group& group, std::uint64_t pointer, int lane) {
    const TensorMap map = vm::tensor_map_at(*m_context.memory, pointer);
    if (map.made != TensorMap::mark)
        fail(group, FindingKind::AsyncCopy, lane, "copies by a tensor map that create_tensor_map has not made");
    if (map.interleave)
        fail(group, FindingKind::AsyncCopy, lane, "copies interleaved channels, which the emulator does not");
    return map;
}

// How values in memory are combined with those of a copy, if it combines them.
std::optional<Op> CopyUnit::update_of(const Step& step) const {
    if (step.op != Op::TensorReduce && step.op != Op::BulkReduce)
        return std::nullopt;
    struct Row {
        std::string_view word;
        Op op;
    };
    static constexpr Row rows[] = {{"add", Op::AtomicAdd},      {"min", Op::AtomicMin},    {"max", Op::AtomicMax},
                                   {"bits_and", Op::AtomicAnd}, {"bits_or", Op::AtomicOr}, {"bits_xor", Op::AtomicXor}};
    const artifact::Operands& operands = operands_of(step);
    const std::string_view text = string_at(operands.text);
    const auto* row = std::ranges::find(rows, text.substr(0, text.find('.')), &Row::word);
    HIDET_CHECK(row != std::end(rows), std::string(text));
    return row->op;
}

void CopyUnit::copy_box(Group& group, const Step& step) {
    const artifact::Operands& row = operands_of(step);
    const bool is_load = step.op == Op::TensorLoad || step.op == Op::PixelLoad;
    const std::optional<Op> update = update_of(step);
    const std::size_t first_coord = is_load ? 4 : 2, numbers = row.items.size() - first_coord;
    for_each_lane(group.active, m_warps, [&](int lane) {
        const auto tile = lane_value<std::uint64_t>(group, row.items[0], lane);
        const TensorMap map = tensor_map_at(group, lane_value<std::uint64_t>(group, row.items[1], lane), lane);
        if ((step.op == Op::PixelLoad) != (map.pixels > 0))
            fail(group, FindingKind::AsyncCopy, lane,
                 map.pixels ? "copies a box by the map of images" : "copies pixels by a map that is not of images");
        const std::size_t wanted = map.pixels ? 2 * map.rank - 2u : map.rank;
        if (numbers != wanted)
            fail(group, FindingKind::AsyncCopy, lane,
                 cat("copies a box at ", map.pixels ? (numbers + 2) / 2 : numbers, " coordinates of a tensor of ",
                     int{map.rank}, " dimensions"));
        std::int64_t coords[2 * TensorMap::most_dims - 2] = {};
        for (std::size_t d = 0; d < numbers; ++d)
            coords[d] = lane_value<std::int32_t>(group, row.items[first_coord + d], lane);
        if (!is_own_shared(tile))
            fail(group, FindingKind::AsyncCopy, lane, "copies a box to or from memory that is not shared memory");
        const Purpose here = is_load ? Purpose::Store : Purpose::Load;
        m_block.memory.checked_pointer(group, tile, map.box_bytes(), 128, lane, here, "copies a box to or from");
        BulkCopy copy;
        copy.row = id_of(tile) - first_shared_id;
        copy.bytes = map.box_bytes();
        const int step = map.pixels ? 1 : map.element_strides[0];
        copy.row_bytes = std::int64_t{(map.box[0] + step - 1) / step} * map.element_bytes;
        copy.memory = begin_of(map.address);
        copy.pc = group.pc - 1;
        copy.update = update;
        copy.swizzle = map.swizzle;
        copy.element = artifact::tensor_map_scalar(map.dtype);
        const Purpose there = is_load ? Purpose::Load : update ? Purpose::Atomic : Purpose::Store;
        const TensorCopy box{.map = map, .tile = tile, .lane = lane, .at_tensor = there};
        if (map.pixels)
            add_pixels(group, box, coords, copy.runs);
        else
            add_box(group, box, coords, copy.runs);
        if (is_load)
            load_bulk(group, std::move(copy), lane_value<std::uint64_t>(group, row.items[2], lane),
                      lane_value<std::uint32_t>(group, row.items[3], lane), lane);
        else
            store_bulk(group, std::move(copy), lane);
    });
}

void CopyUnit::copy_bytes(Group& group, const Step& step) {
    const artifact::Operands& row = operands_of(step);
    const bool is_load = step.op == Op::BulkLoad, is_move = step.op == Op::BulkMove;
    const std::size_t here = is_load ? 1 : 2, there = is_load ? 2 : 1;
    for (int lane : running(group)) {
        const std::int64_t bytes = lane_value<std::int32_t>(group, row.items[0], lane);
        const auto tile = lane_value<std::uint64_t>(group, row.items[here], lane);
        const auto other = lane_value<std::uint64_t>(group, row.items[there], lane);
        if (bytes <= 0 || bytes % granule)
            fail(group, FindingKind::AsyncCopy, lane, cat("copies ", bytes, " bytes, which is not a multiple of 16"));
        if (!is_own_shared(tile) || (is_move && !is_remote_shared(other) && !is_own_shared(other)))
            fail(group, FindingKind::AsyncCopy, lane, "copies bytes to or from memory that is not shared memory");
        const Purpose at_tile = is_load ? Purpose::Store : Purpose::Load,
                      at_other = is_load ? Purpose::Load : Purpose::Store;
        m_block.memory.checked_pointer(group, tile, bytes, granule, lane, at_tile, "copies bytes to or from");
        BulkCopy copy;
        copy.row = id_of(tile) - first_shared_id;
        copy.bytes = copy.row_bytes = bytes;
        copy.memory = begin_of(other);
        copy.pc = group.pc - 1;
        copy.update = update_of(step);
        copy.element = step.type;
        copy.runs = {{.shared = offset_of(tile),
                      .global = m_block.memory.checked_pointer(group, other, bytes, granule, lane, at_other,
                                                               "copies bytes to or from"),
                      .bytes = static_cast<std::int32_t>(bytes),
                      .copied = static_cast<std::int32_t>(bytes)}};
        m_block.globals.check_global_bytes(group, other, bytes, lane, copy.update ? Purpose::Atomic : at_other);
        if (is_load)
            load_bulk(group, std::move(copy), lane_value<std::uint64_t>(group, row.items[3], lane),
                      lane_value<std::uint32_t>(group, row.items[4], lane), lane);
        else if (is_move)
            move_bulk(group, copy, other, lane_value<std::uint64_t>(group, row.items[3], lane), lane);
        else
            store_bulk(group, std::move(copy), lane);
    }
}

void CopyUnit::prefetch_bytes(Group& group, const Step& step) {
    const artifact::Operands& row = operands_of(step);
    for (int lane : running(group))
        m_block.memory.checked_pointer(group, lane_value<std::uint64_t>(group, row.items[1], lane),
                                       lane_value<std::int32_t>(group, row.items[0], lane), granule, lane,
                                       Purpose::Load, "prefetches");
}

// To the same place of all blocks of the mask, whose barriers at the same place count the bytes; 0: of this block.
void CopyUnit::load_bulk(Group& group, BulkCopy copy, std::uint64_t barrier, std::uint32_t mask, int lane) {
    if (m_counts)
        m_block.observer.count_bulk(group, copy, mask ? __builtin_popcount(mask) : 1);
    m_block.mbarriers.at(group, m_block, barrier, lane, "copies to shared memory with");
    for (int rank = 0; rank < 16; ++rank) {
        if (mask ? !(mask >> rank & 1) : rank > 0)
            continue;
        Block& to = mask ? m_block.memory.peer(group, rank, lane) : m_block;
        const Mbarrier& counts = m_block.mbarriers.at(group, to, barrier, lane, "copies to shared memory with");
        check_copy(group, copy, to, lane, Purpose::Store, under_way);
        if (m_timeline)
            m_block.observer.note_box(group, to, copy.bytes, barrier, counts, lane);
        if (m_order)
            m_block.mbarriers.check_made(group, counts, barrier, lane, BarrierUse::Copy);
        for_each_stretch(copy.runs, false, [&](std::int64_t first, std::int64_t bytes) {
            if (m_context.fills)
                std::memset(to.shared[copy.row].data + first, 0xFF, static_cast<std::size_t>(bytes));
        });
        const bool is_last = mask ? mask >> rank == 1 : true;
        BulkCopy each = is_last ? std::move(copy) : copy;
        each.barrier = to.shared[id_of(barrier) - first_shared_id].data + offset_of(barrier);
        to.bulk.m_loads.push_back(std::move(each));
        to.progress = true;
    }
    m_progress = true;
}

// From here to the block of the cluster that `to` and the barrier lie in: its own copy, from this block's memory.
void CopyUnit::move_bulk(Group& group, BulkCopy copy, std::uint64_t to, std::uint64_t barrier, int lane) {
    const int rank = is_own_shared(to) ? own_block : static_cast<int>(remote_rank(to));
    Block& owner = m_block.memory.peer(group, rank, lane);
    const std::uint64_t barrier_here = make_pointer(first_shared_id + shared_row(barrier), offset_of(barrier));
    const Mbarrier& counts = m_block.mbarriers.at(group, owner, barrier_here, lane, "copies to shared memory with");
    if (m_order) {
        m_block.mbarriers.check_made(group, counts, barrier_here, lane, BarrierUse::Copy);
        check_copy(group, copy, m_block, lane, Purpose::Load, counts.unit);
    }
    CopyRun& run = copy.runs.front();
    run.global = m_shared[copy.row].data + run.shared;
    run.shared = offset_of(to);
    copy.row = shared_row(to);
    copy.barrier = owner.shared[shared_row(barrier)].data + offset_of(barrier);
    check_copy(group, copy, owner, lane, Purpose::Store, under_way);
    if (m_context.fills)
        std::memset(owner.shared[copy.row].data + run.shared, 0xFF, static_cast<std::size_t>(run.bytes));
    owner.bulk.m_loads.push_back(std::move(copy));
    owner.progress = m_progress = true;
}

// The copies from shared memory that a thread starts.
Actor CopyUnit::store_unit(int lane) {
    const auto [it, is_new] = m_store_units.try_emplace(lane);
    if (is_new)
        it->second = m_block.races.new_unit(UnitKind::Stores, {}, lane);
    return it->second;
}

// The shared memory that a copy writes, until it arrives, or reads, as its unit.
void CopyUnit::check_copy(Group& group, const BulkCopy& copy, Block& owner, int lane, Purpose purpose, Actor unit) {
    if (m_context.replay && purpose == Purpose::Store)
        for_each_stretch(copy.runs, false, [&](std::int64_t begin, std::int64_t bytes) {
            BlockOwners::note_shared(m_block, group, {owner.shared[copy.row].data + begin, bytes, lane, true});
        });
    if (!m_order)
        return;
    Visit now = m_block.races.visit(group);
    now.by_unit = true, now.unit = unit, now.is_reserved = purpose == Purpose::Store;
    Shadow& shadow = *owner.shadow;
    const Actor actor = m_order->thread_actor(m_rank, lane);
    const bool reads = purpose == Purpose::Load;
    m_block.races.look(group, shadow, purpose, [&](std::vector<Conflict>& found) {
        for_each_stretch(copy.runs, reads, [&](std::int64_t begin, std::int64_t bytes) {
            const std::int64_t place = owner.shared_place[copy.row] + begin;
            const std::size_t first = shadow.granule_of(place);
            std::size_t count = shadow.granule_of(place + bytes) - first;
            // Of the last granule only a part may be read, which nobody may have written.
            const bool has_part = (place + bytes) % shadow.granule_bytes() != 0;
            count += has_part && (!reads || shadow.last_write(first + count));
            const GranuleRun run{first, count};
            if (reads)
                shadow.read_runs({&run, 1}, actor, now, found);
            else
                shadow.reserve_run(run, actor, now, found);
        });
    });
}

void CopyUnit::store_bulk(Group& group, BulkCopy copy, int lane) {
    if (m_counts)
        m_block.observer.count_bulk(group, copy, 1);
    if (m_context.is_told_of_writes())
        BlockOwners::note_copy(m_block, group, copy, lane);
    copy.lane = lane;
    if (m_timeline)
        m_timeline->store_box(lane / 32, group.pc - 1);
    if (m_order) {
        const Actor unit = store_unit(lane);
        copy.epoch = m_order->epoch_now(unit);
        check_copy(group, copy, m_block, lane, Purpose::Load, unit);
        m_order->step();
    }
    m_stores.push_back(std::move(copy));
}

// 16 bytes that are read as if a swizzle of rows of so many bytes (0: none) had been used; a copy may have left another one.
void CopyUnit::check_swizzle(Group& group, std::int64_t place, std::int64_t row_bytes, const char* how) {
    const Swizzled& was = swizzle_at(place);
    const Cell cell = m_shadow->last_write(m_shadow->granule_of(place));
    if (was.row_bytes < 0 || was.row_bytes == row_bytes || !is_unit(actor_of(cell)) || pc_of(cell) != was.pc)
        return;
    const auto text = [](std::int64_t bytes) {
        return bytes ? cat("a swizzle of ", bytes, " bytes") : std::string("no swizzle");
    };
    const int lane = group.active.first(m_chunks);
    Finding finding = finding_at(group, FindingKind::AsyncCopy, lane, "", how, " ",
                                 m_block.races.granule_text(*m_shadow, m_shadow->granule_of(place)), " with ",
                                 text(row_bytes), ", and a copy brought it with ", text(was.row_bytes));
    finding.related.push_back({m_function.origins[was.pc], "the copy begins here"});
    note(std::move(finding));
}

// What the pieces of a row are exchanged by.
static std::int64_t exchanged_by(std::int64_t place, int swizzle) {
    return place ^ swizzled(place, swizzle);
}

void CopyUnit::move_to_shared(const BulkCopy& copy) {
    for (const CopyRun& run : copy.runs) {
        std::byte* to = m_shared[copy.row].data + run.shared;
        const std::int64_t place = m_shared_place[copy.row] + run.shared;
        const std::byte* from = run.global;
        if (run.copied < run.bytes)
            std::memset(to, 0, static_cast<std::size_t>(run.bytes));
        if (run.is_swizzled) {
            m_table.move_swizzled(to, from, run.pitch, run.rows, run.bytes, place);
            continue;
        }
        for (std::int32_t row = 0; row < run.rows && run.copied; ++row, to += run.bytes, from += run.pitch)
            std::memcpy(to + run.skipped, from, static_cast<std::size_t>(run.copied));
    }
}

void CopyUnit::move_from_shared(const BulkCopy& copy) {
    const auto move = [&](std::byte* to, const std::byte* from, std::int64_t bytes) {
        if (copy.update)
            update_values(*copy.update, copy.element, to, from, static_cast<int>(bytes));
        else
            std::memcpy(to, from, static_cast<std::size_t>(bytes));
    };
    for (const CopyRun& run : copy.runs) {
        const std::byte* from = m_shared[copy.row].data + run.shared + run.skipped;
        std::int64_t place = m_shared_place[copy.row] + run.shared;
        std::byte* to = run.global;
        for (std::int32_t row = 0; row < run.rows && run.copied; ++row) {
            if (run.is_swizzled)
                for (std::int64_t at = 0, by = exchanged_by(place, copy.swizzle); at < run.bytes; at += granule)
                    move(to + at, from + (at ^ by), granule);
            else
                move(to, from, run.copied);
            to += run.pitch, place += run.bytes, from += run.bytes;
        }
    }
}

// The cache is asked for what copies that are under way will read, while something else is computed: little by little, since it
// takes a few lines at a time and forgets what else it is asked for.
void CopyUnit::ask_ahead(int lines) {
    for (BulkCopy& copy : m_loads)
        for (; copy.asked < copy.runs.size(); ++copy.asked, copy.asked_rows = 0) {
            const CopyRun& run = copy.runs[copy.asked];
            for (; copy.asked_rows < run.rows && run.copied; ++copy.asked_rows) {
                if (lines <= 0)
                    return;
                lines -= ask_for(run.global + copy.asked_rows * run.pitch, run.copied);
            }
        }
    m_block.copies.ask_ahead(lines);
}

bool CopyUnit::deliver_bulk() {
    if (m_loads.empty())
        return false;
    const auto which =
        m_loads.begin() + static_cast<std::ptrdiff_t>(m_context.is_random ? m_block.flow.chosen(m_loads.size()) : 0);
    const BulkCopy copy = std::move(*which);
    m_loads.erase(which);
    move_to_shared(copy);
    if (Mbarrier* const barrier = m_block.mbarriers.find(copy.barrier)) {
        if (m_order)
            barrier->copied = m_order->epoch_now(barrier->unit), barrier->copy_pc = copy.pc;
        if (m_order)
            for_each_stretch(copy.runs, false, [&](std::int64_t first, std::int64_t bytes) {
                record_load(copy, first, bytes, barrier->unit);
            });
        barrier->bytes -= copy.bytes;
        m_block.mbarriers.settle(*barrier);
    }
    return true;
}

// These bytes of the copy are there now.
void CopyUnit::record_load(const BulkCopy& copy, std::int64_t first, std::int64_t bytes, Actor unit) {
    const std::int64_t place = m_shared_place[copy.row] + first;
    const auto begin = m_swizzled.begin() + place / granule, end = begin + (bytes + granule - 1) / granule;
    const Swizzled now{copy.pc, static_cast<std::int16_t>(copy.swizzle)};
    const auto tile = static_cast<std::size_t>(place / atom_bytes); // of stages apart by powers of two each has a row
    KnownLoad& known = m_known_loads.at((tile + tile / m_known_loads.size()) % m_known_loads.size());
    const KnownLoad load{place, bytes, now, m_swizzle_changes};
    if (known != load && !std::all_of(begin, end, [&](const Swizzled& was) { return was == now; })) {
        std::fill(begin, end, now);
        ++m_swizzle_changes;
    }
    known = load, known.changes = m_swizzle_changes;
    const std::size_t granules = m_shadow->granule_of(place + bytes + m_shadow->granule_bytes() - 1);
    m_shadow->arrive(m_shadow->granule_of(place), granules - m_shadow->granule_of(place),
                     cell_of(m_order->epoch_now(unit), unit, copy.pc), *m_order);
}

void CopyUnit::commit_bulk(Group& group) {
    for (BulkCopy& copy : m_stores)
        if (copy.group < 0 && group.active.test(copy.lane))
            copy.group = m_bulk_groups[static_cast<std::size_t>(copy.lane)];
    for (int lane : running(group))
        ++m_bulk_groups[static_cast<std::size_t>(lane)];
}

void CopyUnit::await_bulk(Group& group, const Step& step) {
    std::deque<BulkCopy> kept;
    for (BulkCopy& copy : m_stores) {
        const int newer = m_bulk_groups[static_cast<std::size_t>(copy.lane)] - copy.group;
        if (group.active.test(copy.lane) && copy.group >= 0 && newer > step.instr.x) {
            move_from_shared(copy);
            if (m_order) {
                Clock read;
                read.seen.add(store_unit(copy.lane), copy.epoch);
                m_order->acquire(m_rank, Mask::of(copy.lane), read);
            }
        } else
            kept.push_back(std::move(copy));
    }
    m_stores = std::move(kept);
}

// Shared memory is gone when the block ends.
void CopyUnit::check_stores() {
    if (m_stores.empty())
        return;
    Group& group = *m_groups.front();
    group.pc = m_stores.front().pc + 1;
    fail(group, FindingKind::AsyncCopy, m_stores.front().lane,
         "copies from shared memory and ends without waiting for it; copy_bulk_wait_group(0) does");
}

} // namespace hidet::vm
