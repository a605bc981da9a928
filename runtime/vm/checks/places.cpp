// SPDX-License-Identifier: Apache-2.0
// What an instruction wants of an address before memory is touched.
#include <algorithm>

#include "lang/base/text.h"
#include "runtime/vm/block.h"

namespace hidet::vm {

using artifact::is_u;

constexpr std::int64_t most_stride_align = 16;

void MemoryUnit::check_space(Group& group, const Step& step) {
    const bool wants_global = step.instr.c == 1;
    for (int lane = 0; lane < m_lanes; ++lane) {
        if (!group.active.test(lane))
            continue;
        const auto pointer = lane_value<std::uint64_t>(group, step.instr.a, lane);
        const bool is_right = wants_global ? id_of(pointer) < first_shared_id : is_own_shared(pointer);
        if (!is_right)
            fail(group, FindingKind::InvalidPointer, lane,
                 cat("calls ", string_at(step.instr.x), " with an address that is not one of ",
                     wants_global ? "global" : "shared", " memory"));
        if (is_u(step.instr.a))
            return;
    }
}

// One tile for a warp: what its first lane says must be what all say.
void MemoryUnit::check_tile(Group& group, const Step& step) {
    const std::string& what = string_at(step.instr.x);
    m_block.barriers.check_complete_warps(group, what.c_str());
    const std::int64_t align = step.instr.c, stride_align = std::min<std::int64_t>(align, most_stride_align);
    for (int lane = 0; lane < m_lanes; ++lane) {
        if (!group.active.test(lane))
            continue;
        const auto pointer = lane_value<std::uint64_t>(group, step.instr.a, lane);
        const auto stride = static_cast<std::int32_t>(lane_value<std::uint32_t>(group, step.instr.b, lane));
        const int first = lane / 32 * 32;
        if (group.active.test(first) &&
            (lane_value<std::uint64_t>(group, step.instr.a, first) != pointer ||
             static_cast<std::int32_t>(lane_value<std::uint32_t>(group, step.instr.b, first)) != stride))
            fail(group, FindingKind::BadCall, lane,
                 cat("gives ", what, " another address or stride than thread ", first, " of the same warp"));
        if (offset_of(pointer) % align)
            fail(group, FindingKind::Misaligned, lane,
                 cat("gives ", what, " an address that is not a multiple of ", align, " bytes"));
        if (stride % stride_align)
            fail(group, FindingKind::Misaligned, lane,
                 cat("gives ", what, " a stride that is not a multiple of ", stride_align, " bytes"));
    }
}

} // namespace hidet::vm
