// SPDX-License-Identifier: Apache-2.0
// What is to be seen of a launch that stands before an instruction.
#include <algorithm>
#include <cstring>

#include "runtime/vm/checks/block_notes.h"
#include "runtime/vm/debug/debugger.h"
#include "runtime/vm/host.h"

namespace hidet::vm {

namespace {

std::vector<std::uint32_t> words_of_mask(const Mask& mask, int warps) {
    std::vector<std::uint32_t> out;
    for (int w = 0; w < warps; ++w)
        out.push_back(mask.warp(w));
    return out;
}

const char* what_it_waits_for(GroupState state) {
    switch (state) {
    case GroupState::AtBarrier: return "waits at a barrier";
    case GroupState::AtMbarrier: return "waits for a phase of an mbarrier";
    case GroupState::AtCluster: return "waits for the cluster";
    case GroupState::AtMerge: return "waits for the warps that it parted from";
    case GroupState::AtWarpGroup: return "waits for its warp group";
    case GroupState::Ready:
    case GroupState::Finished: break;
    }
    return "";
}

class Digest {
public:
    void add(const std::byte* data, std::size_t bytes) {
        for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, data + at, std::min(sizeof word, bytes - at));
            value = mix(value, word);
        }
    }
    std::uint64_t value = 1;
};

} // namespace

const artifact::Function& Standing::kernel() const {
    return m_block.function;
}

const artifact::LaunchShape& Standing::shape() const {
    return m_block.context.shape;
}

std::array<std::int64_t, 3> Standing::block() const {
    return {m_block.index[0], m_block.index[1], m_block.index[2]};
}

std::int64_t Standing::block_number() const {
    return m_block.number;
}

std::vector<GroupPlace> Standing::groups() const {
    std::vector<GroupPlace> out;
    for (const auto& group : m_block.groups)
        if (group->state != GroupState::Finished)
            out.push_back({group->number, group->stands_at(), what_it_waits_for(group->state),
                           words_of_mask(group->alive, m_block.warps), words_of_mask(group->active, m_block.warps),
                           group.get() == &m_group});
    return out;
}

bool Standing::is_alive(int thread) const {
    return m_group.alive.test(thread);
}

bool Standing::runs(int thread) const {
    return m_group.active.test(thread);
}

int Standing::first_thread() const {
    return m_group.active.first(m_block.chunks);
}

bool Standing::has_warp(int warp) const {
    return m_group.alive.warp(warp) != 0;
}

std::uint64_t Standing::argument(std::size_t row) const {
    return m_block.context.args.at(row);
}

std::uint64_t Standing::value(const artifact::NamedValue& named, int thread) const {
    std::uint64_t sum = named.constant;
    if (named.u >= 0)
        sum += m_group.u[static_cast<std::size_t>(artifact::register_of(named.u))];
    if (named.v >= 0 && named.is_wide) {
        std::uint64_t word = 0;
        std::memcpy(&word, m_block.lanes(named.v) + static_cast<std::size_t>(thread) * sizeof word, sizeof word);
        sum += word;
    } else if (named.v >= 0) {
        std::uint32_t word = 0;
        std::memcpy(&word, m_block.lanes(named.v) + static_cast<std::size_t>(thread) * sizeof word, sizeof word);
        const bool is_real = artifact::is_real(named.type);
        sum += is_real ? std::uint64_t{word}
                       : static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(word)));
    }
    return artifact::is_real(named.type) ? sum : artifact::extended(named.type, sum);
}

double Standing::real_value(const artifact::NamedValue& named, int thread) const {
    return number_of(named.type, value(named, thread));
}

double Standing::real_argument(std::size_t row) const {
    return number_of(kernel().params.at(row).type, argument(row));
}

std::vector<KeptTile> Standing::tiles() const {
    return BlockTiles::taken(m_block);
}

const BufferInfo* Standing::buffer_at(std::uint64_t pointer) const {
    const Allocation* allocation = m_block.context.memory->find(id_of(pointer));
    return allocation ? &allocation->info : nullptr;
}

const std::byte* Standing::memory_at(std::uint64_t pointer, std::int64_t bytes) const {
    const Allocation* allocation = m_block.context.memory->find(id_of(pointer));
    const std::int64_t at = offset_of(pointer);
    const bool is_inside = allocation && allocation->data && at >= 0 && at + bytes <= allocation->bytes;
    return is_inside ? allocation->data + at : nullptr;
}

std::uint64_t Standing::digest() const {
    Digest digest;
    digest.add(m_block.registers, static_cast<std::size_t>(m_block.function.v_count) * m_block.stride);
    for (const MemoryArea& memory : m_block.shared)
        digest.add(memory.data, static_cast<std::size_t>(memory.bytes));
    for (const auto& group : m_block.groups) {
        digest.value = mix(digest.value, group->pc << 4 | static_cast<std::uint32_t>(group->state));
        digest.add(reinterpret_cast<const std::byte*>(group->active.bits), sizeof group->active.bits);
        digest.add(reinterpret_cast<const std::byte*>(group->u.data()), group->u.size() * sizeof group->u[0]);
    }
    const Memory& memory = *m_block.context.memory;
    for (std::uint32_t id = 1; id < first_shared_id && memory.was(id); ++id)
        if (const Allocation* allocation = memory.find(id); allocation && allocation->data)
            digest.add(allocation->data, static_cast<std::size_t>(allocation->bytes));
    return mix(digest.value, static_cast<std::uint64_t>(m_block.number));
}

} // namespace hidet::vm
