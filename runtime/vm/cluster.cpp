// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/cluster.h"

#include <algorithm>

#include "lang/base/text.h"
#include "runtime/vm/launch.h"

namespace hidet::vm {

Cluster::Cluster(const LaunchContext& context) : m_shape(context.shape), m_first(context.rank * count(m_shape)) {
    for (std::int64_t rank = 0; rank < m_shape.cluster_blocks(); ++rank)
        m_blocks.push_back(std::make_unique<Block>(context));
    for (const auto& block : m_blocks)
        m_members.push_back(block.get());
    m_finished.resize(m_blocks.size());
    if (context.log)
        m_order = std::make_unique<Order>(static_cast<int>(m_blocks.size()),
                                          static_cast<int>((m_shape.threads() + 31) / 32 * 32));
}

void Cluster::begin_launch() {
    for (const auto& block : m_blocks)
        block->begin_launch();
}

bool Cluster::is_full() const {
    return m_order && m_order->has_many_sets();
}

std::int64_t Cluster::count(const LaunchShape& shape) {
    return shape.blocks() / shape.cluster_blocks();
}

ClusterPlace cluster_of(const LaunchShape& shape, std::int64_t block) {
    const LaunchShape::Extents &grid = shape.grid, &cluster = shape.cluster;
    // Grids of several ranks follow each other as if they were one that is deeper.
    const std::int64_t x = block % grid[0], y = block / grid[0] % grid[1], z = block / grid[0] / grid[1];
    const std::int64_t across = grid[0] / cluster[0], down = grid[1] / cluster[1];
    return {x / cluster[0] + across * (y / cluster[1] + down * (z / cluster[2])),
            static_cast<int>(x % cluster[0] + cluster[0] * (y % cluster[1] + cluster[1] * (z % cluster[2])))};
}

void Cluster::start(std::int64_t number) {
    const LaunchShape::Extents& grid = m_shape.grid;
    const LaunchShape::Extents& cluster = m_shape.cluster;
    const std::int64_t across = grid[0] / cluster[0], down = grid[1] / cluster[1];
    const std::int64_t at[3] = {number % across * cluster[0], number / across % down * cluster[1],
                                number / across / down * cluster[2]};
    if (m_order)
        m_order->start(m_first + number);
    for (std::size_t rank = 0; rank < m_blocks.size(); ++rank) {
        const auto r = static_cast<std::int64_t>(rank);
        const std::int64_t x = at[0] + r % cluster[0], y = at[1] + r / cluster[0] % cluster[1],
                           z = at[2] + r / cluster[0] / cluster[1];
        m_blocks[rank]->start(x + grid[0] * (y + grid[1] * z));
        m_blocks[rank]->join(m_members, static_cast<int>(rank), m_order.get());
        m_finished[rank] = false;
    }
}

static BlockStatus run_block(Block& block) {
    try {
        return block.run();
    } catch (FindingError& error) {
        block.stopped(error.finding);
        throw;
    }
}

BlockStatus Cluster::run() {
    m_progress = false;
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        bool is_over = true;
        for (std::size_t rank = 0; rank < m_blocks.size(); ++rank) {
            if (m_finished[rank])
                continue;
            m_finished[rank] = run_block(*m_blocks[rank]) == BlockStatus::Finished;
            is_over = is_over && m_finished[rank];
            goes_on = goes_on || m_finished[rank] || m_blocks[rank]->progress;
        }
        m_progress = m_progress || goes_on;
        if (is_over)
            return BlockStatus::Finished;
        goes_on = goes_on && m_blocks.size() > 1; // one alone has done what it can
    }
    return BlockStatus::Waiting;
}

std::string Cluster::take_output() {
    std::string text;
    for (const auto& block : m_blocks)
        text += block->warp.take_output();
    return text;
}

void Cluster::add_to(LaunchResult& result) const {
    for (const auto& block : m_blocks) {
        result.statistics.add(block->statistics);
        result.steps += block->thread_steps;
        block->observer.add_counters(result.counters);
    }
}

void Cluster::fail_waiting(std::int64_t outside, const std::string& others) {
    const auto waiting = std::ranges::find(m_finished, false);
    Block& block = *m_blocks.at(static_cast<std::size_t>(waiting - m_finished.begin()));
    try {
        block.fail_waiting(outside, others);
    } catch (FindingError& error) {
        block.stopped(error.finding);
        throw;
    }
}

// ---- what a block sees of the others ----------------------------------------------------------------------------------

Block& MemoryUnit::peer(Group& group, int rank, int lane) {
    if (rank == own_block)
        return m_block;
    if (rank < 0 || rank >= static_cast<int>(m_cluster.size()))
        fail(group, FindingKind::BadCall, lane,
             cat("names block ", rank, " of its cluster, which has ", m_cluster.size(), " block",
                 m_cluster.size() == 1 ? "" : "s"));
    return *m_cluster[static_cast<std::size_t>(rank)];
}

MemoryArea MemoryUnit::remote_memory(Group& group, std::uint32_t id, int lane) {
    const auto place = id - first_remote_id;
    Block& block = peer(group, static_cast<int>(place / remote_rows), lane);
    if (!block.alive_threads())
        fail(group, FindingKind::InvalidPointer, lane,
             cat("uses the shared memory of block ", place / remote_rows, " of its cluster, which has ended"));
    return block.shared.at(place % remote_rows);
}

// `map(pointer, number, lane)`: what the pointer a of a lane becomes, for the number b.
template <class F>
void MemoryUnit::map_lanes(Group& group, const Step& step, F&& map) {
    for (int lane : running(group)) {
        const std::uint64_t mapped = map(lane_value<std::uint64_t>(group, step.instr.a, lane),
                                         lane_value<std::int32_t>(group, step.instr.b, lane), lane);
        if (artifact::is_u(step.instr.dst)) {
            u_slot(group, step.instr.dst) = mapped;
            return;
        }
        std::memcpy(lanes(step.instr.dst) + static_cast<std::size_t>(lane) * 8, &mapped, 8);
    }
    written(group, step.instr.dst);
}

void MemoryUnit::map_shared(Group& group, const Step& step) {
    map_lanes(group, step, [&](std::uint64_t pointer, int rank, int lane) {
        if (!is_own_shared(pointer))
            fail(group, FindingKind::InvalidPointer, lane,
                 "maps an address that is not in the shared memory of the block");
        peer(group, rank, lane);
        return make_pointer(first_remote_id + static_cast<std::uint32_t>(rank) * remote_rows + id_of(pointer) -
                                first_shared_id,
                            offset_of(pointer));
    });
}

std::uint64_t MemoryUnit::peer_pointer(Group& group, std::uint64_t pointer, int rank, int lane) {
    const int ranks = m_context.rank_count();
    if (rank < 0 || rank >= ranks)
        fail(group, FindingKind::BadCall, lane,
             cat("names rank ", rank, " of ", ranks, ranks == 1 ? " rank" : " ranks"));
    if (rank == m_context.rank)
        return pointer;
    const auto found = m_context.peers.find(id_of(pointer));
    if (found == m_context.peers.end())
        fail(group, FindingKind::InvalidPointer, lane,
             cat("asks where rank ", rank,
                 " has what is not symmetric: a tensor of hidet.distributed.symmetric_zeros() is"));
    return make_pointer(id_of(found->second.at(static_cast<std::size_t>(rank))), offset_of(pointer));
}

void MemoryUnit::map_peer(Group& group, const Step& step) {
    map_lanes(group, step,
              [&](std::uint64_t pointer, int rank, int lane) { return peer_pointer(group, pointer, rank, lane); });
}

} // namespace hidet::vm
