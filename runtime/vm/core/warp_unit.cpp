// SPDX-License-Identifier: Apache-2.0
// What the threads of a warp do together, text, and assertions.
#include <array>

#include "lang/base/text.h"
#include "runtime/vm/block.h"
#include "runtime/vm/update.h"

namespace hidet::vm {

// The mask a lane gives must name itself, and lanes that run with the same mask or have ended.
void WarpUnit::check_mask(Group& group, std::int32_t operand, int w, const char* what) {
    std::uint32_t active = group.active.warp(w), alive = group.alive.warp(w);
    for (int l = 0; l < 32; ++l) {
        if (!(active >> l & 1u))
            continue;
        int lane = 32 * w + l;
        auto mask = lane_value<std::uint32_t>(group, operand, lane);
        const std::uint32_t left_out = (is_u(operand) ? active : 1u << l) & ~mask;
        if (left_out)
            fail(group, FindingKind::InactiveLane, 32 * w + __builtin_ctz(left_out),
                 std::string(what) + " with a mask that leaves itself out");
        const int first = __builtin_ctz(mask & active);
        if (lane_value<std::uint32_t>(group, operand, 32 * w + first) != mask)
            fail(group, FindingKind::InactiveLane, lane,
                 std::string(what) + " with another mask than lane " + std::to_string(first) + ", which it names");
        std::uint32_t missing = mask & alive & ~active;
        if (missing)
            fail(group, FindingKind::InactiveLane, lane,
                 std::string(what) + " with a mask that names lane " + std::to_string(__builtin_ctz(missing)) +
                     ", which does not take part");
        if (is_u(operand))
            return;
    }
}

void WarpUnit::shuffle(Group& group, const Step& step) {
    const artifact::Operands& row = operands_of(step);
    std::int32_t mask_operand = row.items[0], value = row.items[1], lane_operand = row.items[2],
                 width_operand = row.items[3];
    int mode = step.instr.c;
    bool wide = step.dst_bytes == 8;
    std::byte* dst = lanes(step.instr.dst);
    for (int w : running_warps(group)) {
        std::uint32_t active = group.active.warp(w);
        check_mask(group, mask_operand, w, "shuffles");
        std::uint64_t results[32] = {};
        for (int l = 0; l < 32; ++l) {
            if (!(active >> l & 1u))
                continue;
            int lane = 32 * w + l;
            int width = lane_value<std::int32_t>(group, width_operand, lane);
            int by = lane_value<std::int32_t>(group, lane_operand, lane);
            if (width <= 0 || width > 32 || (width & (width - 1)))
                fail(group, FindingKind::InactiveLane, lane,
                     "shuffles with a width of " + std::to_string(width) + ", which is not a power of two up to 32");
            int base = l / width * width;
            int source = l;
            switch (mode) {
            case 0: source = base + (by & (width - 1)); break;
            case 1: source = l - by >= base ? l - by : l; break;
            case 2: source = l + by < base + width ? l + by : l; break;
            default: source = (l ^ by) < base + width ? l ^ by : l; break;
            }
            if (source < 0 || source > 31 || !(active >> source & 1u)) {
                fail(group, FindingKind::InactiveLane, lane,
                     "shuffles from lane " + std::to_string(source) + ", which " +
                         (source >= 0 && source < 32 && !(group.alive.warp(w) >> source & 1u) ? "has ended"
                                                                                              : "does not take part"));
            }
            int from = 32 * w + source;
            results[l] = lane_bits(group, value, from, wide);
        }
        for (int l = 0; l < 32; ++l)
            if (active >> l & 1u)
                std::memcpy(dst + static_cast<std::size_t>(32 * w + l) * step.dst_bytes, &results[l], step.dst_bytes);
    }
    written(group, step.instr.dst);
}

void WarpUnit::vote(Group& group, const Step& step) {
    auto* dst = reinterpret_cast<std::uint32_t*>(lanes(step.instr.dst));
    for (int w : running_warps(group)) {
        std::uint32_t active = group.active.warp(w);
        check_mask(group, step.instr.a, w, "votes");
        std::uint32_t ballot = 0;
        for (int l = 0; l < 32; ++l)
            if ((active >> l & 1u) && lane_value<std::uint32_t>(group, step.instr.b, 32 * w + l))
                ballot |= 1u << l;
        for (int l = 0; l < 32; ++l) {
            if (!(active >> l & 1u))
                continue;
            std::uint32_t mask = lane_value<std::uint32_t>(group, step.instr.a, 32 * w + l) & active;
            std::uint32_t mine = ballot & mask;
            dst[32 * w + l] = step.op == Op::Ballot ? mine : step.op == Op::Any ? mine != 0 : mine == mask;
        }
    }
    written(group, step.instr.dst);
}

// Each running lane gets result(lane, mask): of its warp, the running lanes that it names.
template <class F>
void WarpUnit::for_members(Group& group, const Step& step, const char* what, F&& result) {
    auto* dst = reinterpret_cast<std::uint32_t*>(lanes(step.instr.dst));
    for (int w : running_warps(group)) {
        const std::uint32_t active = group.active.warp(w);
        check_mask(group, step.instr.a, w, what);
        std::array<std::uint32_t, 32> results; // all of them before one is written: lanes read each other's registers
        for (std::uint32_t rest = active; rest; rest &= rest - 1) {
            const int lane = 32 * w + __builtin_ctz(rest);
            results[static_cast<std::size_t>(lane % 32)] =
                result(lane, lane_value<std::uint32_t>(group, step.instr.a, lane) & active);
        }
        for (std::uint32_t rest = active; rest; rest &= rest - 1)
            dst[32 * w + __builtin_ctz(rest)] = results[static_cast<std::size_t>(__builtin_ctz(rest))];
    }
    written(group, step.instr.dst);
}

void WarpUnit::elect(Group& group, const Step& step) {
    for_members(group, step, "elects a lane", [&](int lane, std::uint32_t) {
        return __builtin_ctz(lane_value<std::uint32_t>(group, step.instr.a, lane)) == lane % 32;
    });
}

void WarpUnit::match(Group& group, const Step& step) {
    const bool is_wide = artifact::scalar_bytes(step.instr.type) == 8;
    const auto bits_of = [&](int lane) { return lane_bits(group, step.instr.b, lane, is_wide); };
    for_members(group, step, "compares", [&](int lane, std::uint32_t mask) {
        std::uint32_t alike = 0;
        for (int other = 0; other < 32; ++other)
            if ((mask >> other & 1u) && bits_of(lane / 32 * 32 + other) == bits_of(lane))
                alike |= 1u << other;
        return step.op == Op::MatchAny || alike == mask ? alike : 0;
    });
}

void WarpUnit::combine_lanes(Group& group, const Step& step) {
    constexpr Op operations[] = {Op::AtomicAdd, Op::AtomicMin, Op::AtomicMax,
                                 Op::AtomicAnd, Op::AtomicOr,  Op::AtomicXor};
    const Op op = operations[step.instr.x];
    for_members(group, step, "combines values", [&](int lane, std::uint32_t mask) {
        std::uint64_t result = lane_value<std::uint32_t>(group, step.instr.b, lane);
        for (std::uint32_t rest = mask & ~(1u << lane % 32); rest; rest &= rest - 1) {
            const int other = lane / 32 * 32 + __builtin_ctz(rest);
            result = update(op, step.instr.type, result, lane_value<std::uint32_t>(group, step.instr.b, other), 0);
        }
        return static_cast<std::uint32_t>(result);
    });
}

void WarpUnit::active_mask(Group& group, const Step& step) {
    auto* dst = reinterpret_cast<std::uint32_t*>(lanes(step.instr.dst));
    for (int lane : running(group))
        dst[lane] = group.active.warp(lane / 32);
    written(group, step.instr.dst);
}

void WarpUnit::read_clock(Group& group, const Step& step) {
    auto* dst = reinterpret_cast<std::uint64_t*>(lanes(step.instr.dst));
    const std::uint64_t now = m_block.thread_steps + ++m_clocks_read; // what runs is counted now and then
    for (int lane : running(group))
        dst[lane] = m_timeline ? m_timeline->now(lane / 32) : now;
    written(group, step.instr.dst);
}

void WarpUnit::sync_warp(Group& group, const Step& step) {
    for (int w : running_warps(group))
        check_mask(group, step.instr.a, w, "synchronises the warp");
    if (m_order && step.instr.x == 0)
        sync_lanes(group, step.instr.a);
}

void WarpUnit::print(Group& group, const Step& step) {
    const artifact::Operands& row = operands_of(step);
    for (int lane : running(group)) {
        if (m_output.size() > m_context.most_printed)
            return;
        std::vector<std::uint64_t> values;
        for (std::size_t i = 0; i < row.items.size(); ++i) {
            std::uint64_t value = 0;
            Scalar type = row.types[i];
            if (artifact::scalar_bytes(type) == 8 || is_u(row.items[i]))
                value = lane_value<std::uint64_t>(group, row.items[i], lane);
            else if (type == Scalar::I8 || type == Scalar::I16 || type == Scalar::I32)
                value = static_cast<std::uint64_t>(
                    static_cast<std::int64_t>(lane_value<std::int32_t>(group, row.items[i], lane)));
            else
                value = lane_value<std::uint32_t>(group, row.items[i], lane);
            values.push_back(value);
        }
        m_output += format_text(row, values, m_context.program->strings);
    }
}

void WarpUnit::check_assert(Group& group, const Step& step) {
    for (int lane : running(group)) {
        if (!lane_value<std::uint32_t>(group, step.instr.a, lane)) {
            const std::string& message = string_at(step.instr.x);
            fail(group, FindingKind::AssertFailed, lane, failed_assertion(message));
        }
        if (is_u(step.instr.a))
            return;
    }
}

void WarpUnit::sync_lanes(Group& group, std::int32_t mask_operand) {
    const Mask alive = alive_lanes();
    for (int w = 0; w < m_warps; ++w)
        for (std::uint32_t rest = group.active.warp(w); rest;) {
            const int lane = 32 * w + __builtin_ctz(rest);
            const auto named = lane_value<std::uint32_t>(group, mask_operand, lane);
            const std::uint32_t together = (named & group.active.warp(w)) | 1u << (lane % 32);
            Mask lanes;
            lanes.set_warp(w, together);
            m_order->sync(m_rank, lanes, alive);
            rest &= ~together;
        }
    m_order->step();
}

} // namespace hidet::vm
