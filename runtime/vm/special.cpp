// SPDX-License-Identifier: Apache-2.0
// Values that come from where a thread stands.
#include "runtime/vm/block.h"

namespace hidet::vm {

namespace {

constexpr int lane_number = 3; // behind x, y and z

std::int32_t index_of(std::int64_t lane, int which, const LaunchShape::Extents& block) {
    const std::int64_t value = which == 0   ? lane % block[0]
                               : which == 1 ? lane / block[0] % block[1]
                               : which == 2 ? lane / block[0] / block[1]
                                            : lane;
    return static_cast<std::int32_t>(value);
}

} // namespace

void Block::number_threads() {
    for (int which = 0; which <= lane_number; ++which)
        for (int lane = 0; lane < m_lanes; ++lane)
            m_thread_indices.push_back(index_of(lane, which, m_context.shape.block));
}

void Block::special(Group& group, const Step& step) {
    const LaunchShape& shape = m_context.shape;
    if (step.op == Op::Special) {
        int which = step.instr.x;
        std::int64_t value = 0;
        if (which < 3)
            value = m_index[which];
        else if (which < 6)
            value = shape.block[static_cast<std::size_t>(which - 3)];
        else if (which < 9)
            value = shape.grid[static_cast<std::size_t>(which - 6)];
        else {
            const std::int64_t blocks = shape.cluster_blocks();
            value = which == 9 ? m_rank : which == 10 ? blocks : blocks * shape.threads();
        }
        u_slot(group, step.instr.dst) = static_cast<std::uint64_t>(value);
        return;
    }
    const int which = step.op == Op::ThreadIdx ? step.instr.x : lane_number;
    const auto first = static_cast<std::size_t>(group.lo) * chunk_lanes;
    const int count = (group.hi - group.lo) * chunk_lanes;
    const std::int32_t* values = m_thread_indices.data() + static_cast<std::size_t>(which * m_lanes) + first;
    std::byte* dst = lanes(step.instr.dst) + first * sizeof *values;
    if ((step.flags & artifact::flag_blend) && !group.full) {
        std::memcpy(m_scratch, values, static_cast<std::size_t>(count) * sizeof *values);
        m_table.blend(dst, m_scratch, mask_words(group) + first, count, sizeof *values);
    } else {
        std::memcpy(dst, values, static_cast<std::size_t>(count) * sizeof *values);
    }
    std::uint64_t hash = mix(static_cast<std::uint64_t>(step.op) << 8 | static_cast<std::uint64_t>(step.instr.x),
                             static_cast<std::uint64_t>(group.lo) << 8 | static_cast<std::uint64_t>(group.hi));
    if (step.flags & artifact::flag_blend)
        written(group, step.instr.dst);
    else
        group.versions[static_cast<std::size_t>(step.instr.dst)] = hash & ~fresh_bit;
}

} // namespace hidet::vm
