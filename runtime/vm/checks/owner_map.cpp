// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/checks/owner_map.h"

#include <algorithm>

#include "runtime/vm/checks/block_notes.h"
#include "runtime/vm/debug/replay.h"
#include "runtime/vm/host.h"

namespace hidet::vm {

namespace {

constexpr int thread_bits = 11, block_bits = 40; // of a word; the rest is the launch + 1

} // namespace

OwnerMap::OwnerMap(const std::byte* data, std::int64_t count, int element_bytes)
    : m_begin(data), m_end(data + count * element_bytes), m_element_bytes(element_bytes),
      m_words(static_cast<std::size_t>(count)) {}

void OwnerMap::write(const std::byte* address, std::int64_t bytes, std::int64_t block, int thread) {
    const std::byte* end = std::min(address + bytes, m_end);
    const std::uint64_t word = static_cast<std::uint64_t>(m_launches.size()) << (thread_bits + block_bits) |
                               static_cast<std::uint64_t>(block) << thread_bits | static_cast<std::uint64_t>(thread);
    for (std::int64_t i = (address - m_begin) / m_element_bytes; m_begin + i * m_element_bytes < end; ++i)
        m_words[static_cast<std::size_t>(i)].store(word, std::memory_order_relaxed);
}

void OwnerMap::restore(const std::vector<std::uint64_t>& words) {
    for (std::size_t i = 0; i < words.size(); ++i)
        m_words[i].store(words[i], std::memory_order_relaxed);
}

std::optional<OwnerMap::Owner> OwnerMap::owner_of(std::int64_t element) const {
    const std::uint64_t word = m_words[static_cast<std::size_t>(element)].load(std::memory_order_relaxed);
    if (word == 0)
        return std::nullopt;
    constexpr std::uint64_t blocks = (std::uint64_t{1} << block_bits) - 1, threads = (1u << thread_bits) - 1;
    return Owner{static_cast<std::size_t>(word >> (thread_bits + block_bits)) - 1,
                 static_cast<std::int64_t>(word >> thread_bits & blocks), static_cast<int>(word & threads)};
}

void HostRunner::find_owner_maps(const Function& kernel, LaunchContext& context) const {
    for (std::uint32_t id = 1; id < first_shared_id && m_context.memory->was(id); ++id)
        if (const Allocation* allocation = m_context.memory->find(id); allocation && allocation->info.owners) {
            allocation->info.owners->begin_launch({kernel.name, context.shape});
            context.owners.push_back(allocation->info.owners.get());
        }
}

static bool is_told(const LaunchContext& context) {
    return context.replay ? context.replay->watches() : !context.owners.empty();
}

static void own(Block& block, const Group& group, const Replay::Written& written) {
    const LaunchContext& context = block.context;
    if (context.replay)
        context.replay->note_write(block, group, written);
    for (OwnerMap* map : context.owners)
        if (map->has(written.address))
            return map->write(written.address, written.bytes, block.number, written.lane);
}

// Null: it is an address of nothing, which the access says itself.
static const std::byte* place_of(const Block& block, std::uint64_t pointer) {
    if (is_own_shared(pointer) || is_remote_shared(pointer)) {
        const std::size_t rank = is_own_shared(pointer) ? static_cast<std::size_t>(block.rank) : remote_rank(pointer);
        const std::size_t row = shared_row(pointer);
        const bool is_there = rank < block.cluster.size() && row < block.cluster[rank]->shared.size();
        return is_there ? block.cluster[rank]->shared[row].data + offset_of(pointer) : nullptr;
    }
    const Allocation* allocation = block.context.memory->find(id_of(pointer));
    return allocation && allocation->data ? allocation->data + offset_of(pointer) : nullptr;
}

// What the lanes of a store or of an atomic write. Of shared memory only a debugger wants to know.
void BlockOwners::note_access(Block& block, Group& group, const Step& step, const Target& target) {
    const LaunchContext& context = block.context;
    if (target.local || (target.is_shared && !context.replay) || !is_told(context))
        return;
    const int bytes = context.code->accesses[static_cast<std::size_t>(step.instr.x)].bytes;
    for (int lane = 0; lane < block.lane_count; ++lane) {
        if (!group.active.test(lane))
            continue;
        const std::int64_t offset = target.offset_of(lane);
        const std::byte* place = target.base + offset;
        if (target.lane_by_lane)
            place =
                place_of(block, target.part->lane_pointer + static_cast<std::uint64_t>(offset + target.local_offset));
        if (place)
            own(block, group, {place, bytes, lane});
    }
}

// What the copy unit writes for a thread.
void BlockOwners::note_copy(Block& block, const Group& group, const BulkCopy& copy, int lane) {
    if (!is_told(block.context))
        return;
    for (const CopyRun& run : copy.runs)
        for (std::int32_t row = 0; row < run.rows && run.copied; ++row)
            own(block, group, {run.global + row * run.pitch, run.copied, lane, true});
}

void BlockOwners::note_shared(Block& block, const Group& group, const SharedWrite& write) {
    if (block.context.replay->watches())
        block.context.replay->note_write(block, group, {write.address, write.bytes, write.lane, write.is_copy});
}

} // namespace hidet::vm
