// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/core/block_view.h"

#include <algorithm>
#include <cstring>

#include "runtime/vm/code.h"

namespace hidet::vm {

namespace {

constexpr int red_zone = 256;             // between shared arrays in the 32-bit window
constexpr std::int64_t tile_bytes = 1024; // what holds as much begins at a multiple of it, as swizzled tiles have to

// The narrowest access to shared memory, by elements, copies and tiles, or by what its addresses that are taken point at.
int shared_granule(const Function& kernel) {
    bool has_addresses = false;
    for (const Instr& i : kernel.code) {
        const bool is_address =
            i.op == Op::Address && kernel.accesses[static_cast<std::size_t>(i.x)].space == artifact::Space::Shared;
        has_addresses = has_addresses || is_address || i.op == Op::SharedPointer || i.op == Op::FromShared;
    }
    int bytes = 16;
    for (const Instr& i : kernel.code) {
        if (i.op == Op::CpAsync)
            bytes = std::min(bytes, i.x);
        else if (i.op == Op::MbarInit)
            bytes = std::min(bytes, 8);
        if (i.op != Op::Load && i.op != Op::Store && (i.op < Op::AtomicAdd || i.op > Op::AtomicBits))
            continue;
        const artifact::Access& access = kernel.accesses[static_cast<std::size_t>(i.x)];
        const bool is_parameter =
            is_u(access.base) && register_of(access.base) < static_cast<int>(kernel.params.size());
        if (access.space == artifact::Space::Shared ||
            (access.space == artifact::Space::Pointer && has_addresses && !is_parameter))
            bytes = std::min(bytes, artifact::scalar_bytes(access.element));
    }
    return bytes;
}

// Whether something runs beside the threads that sees memory through another proxy.
bool has_units(const Function& kernel) {
    return has_any_of(kernel, {Op::TensorLoad, Op::PixelLoad, Op::TensorStore, Op::TensorReduce, Op::BulkLoad,
                               Op::BulkMove, Op::BulkStore, Op::BulkReduce, Op::Wgmma});
}

std::byte* align_to(std::byte* p, std::size_t alignment) {
    auto value = reinterpret_cast<std::uintptr_t>(p);
    return p + (alignment - value % alignment) % alignment;
}

} // namespace

BlockState::BlockState(const LaunchContext& launch)
    : context(launch), function(*launch.kernel), table(*launch.table),
      threads(static_cast<int>(launch.shape.threads())), warps((threads + 31) / 32), lane_count(warps * 32),
      chunks(lane_count / chunk_lanes), stride(launch.code->stride) {
    const auto count = static_cast<std::size_t>(function.v_count);
    register_memory = std::make_unique<std::byte[]>((count + 3) * stride + 128);
    registers = align_to(register_memory.get(), 64);
    scratch = registers + count * stride;
    words_memory = std::make_unique<std::byte[]>(static_cast<std::size_t>(lane_count) * 4 + 64);
    words = reinterpret_cast<std::uint32_t*>(align_to(words_memory.get(), 64));
    std::int64_t total = 0;
    for (const artifact::SharedArray& array : function.shared) {
        std::int64_t bytes = array.bytes < 0 ? context.shape.dynamic_shared : array.bytes;
        if (bytes >= tile_bytes)
            total = (total + tile_bytes - 1) / tile_bytes * tile_bytes;
        shared.push_back({nullptr, bytes});
        shared_place.push_back(total);
        total += (bytes + 127) / 128 * 128 + red_zone;
    }
    shared_storage.resize(static_cast<std::size_t>(total) + 128);
    std::byte* base = align_to(shared_storage.data(), 128);
    if (context.log)
        shadow = std::make_unique<Shadow>(total, shared_granule(function));
    if (shadow && !has_units(function))
        shadow->expect_threads_only();
    for (std::size_t i = 0; i < shared.size(); ++i) {
        shared[i].data = base + shared_place[i];
        shared[i].shadow = shadow.get();
        shared[i].place = shared_place[i];
        shared[i].is_shared = true;
    }
}

void BlockState::start(std::int64_t linear) {
    number = linear;
    const LaunchShape::Extents& grid = context.shape.grid;
    index[0] = linear % grid[0];
    index[1] = linear / grid[0] % grid[1];
    index[2] = linear / grid[0] / grid[1];
    std::memset(registers, 0, static_cast<std::size_t>(function.v_count) * stride);
    std::memset(shared_storage.data(), 0, shared_storage.size());
    if (shadow)
        shadow->clear();
    words_owner = nullptr;
}

BlockView::BlockView(Block& block, BlockState& state)
    : m_block(block), m_context(state.context), m_function(state.function), m_table(state.table),
      m_threads(state.threads), m_warps(state.warps), m_lanes(state.lane_count), m_chunks(state.chunks),
      m_stride(state.stride), m_registers(state.registers), m_scratch(state.scratch), m_words(state.words),
      m_words_owner(state.words_owner), m_shared(state.shared), m_shared_place(state.shared_place),
      m_shadow(state.shadow.get()), m_counts(state.context.counts), m_number(state.number), m_index(state.index),
      m_clock(state.clock), m_groups(state.groups), m_progress(state.progress), m_cluster(state.cluster),
      m_rank(state.rank), m_order(state.order), m_timeline(state.timeline) {}

Mask BlockView::all_lanes() const {
    Mask mask;
    for (int w = 0; w < m_warps; ++w)
        mask.set_warp(w, ~0u);
    return mask;
}

Mask BlockView::alive_lanes() const {
    Mask mask;
    for (const auto& group : m_groups)
        mask.add(group->alive, m_chunks);
    return mask;
}

int BlockView::alive_threads() const {
    return alive_lanes().count(m_chunks);
}

std::uint32_t BlockView::warp_bits(const Mask& lanes) const {
    std::uint32_t bits = 0;
    for (int w = 0; w < m_warps; ++w)
        bits |= lanes.warp(w) ? std::uint32_t{1} << w : 0u;
    return bits;
}

const void* BlockView::operand(const Group& group, std::uint32_t at, std::uint8_t bytes) const {
    if (bytes == 0)
        return group.u.data() + at;
    return m_registers + at + static_cast<std::size_t>(group.lo) * chunk_lanes * bytes;
}

const std::uint32_t* BlockView::mask_words(Group& group) {
    if (m_words_owner != &group || !group.words_valid) {
        m_table.to_words(group.active.bits, m_words, m_chunks);
        m_words_owner = &group;
        group.words_valid = true;
    }
    return m_words;
}

} // namespace hidet::vm
