// SPDX-License-Identifier: Apache-2.0
// Accesses that are made lane by lane: to arrays of a thread, and through pointers into several allocations.
#include <algorithm>

#include "lang/base/text.h"
#include "runtime/vm/block.h"

namespace hidet::vm {

// Bytes of a local array, which lie in the lanes of registers.
void MemoryUnit::copy_local(Group& group, const artifact::LocalArray& array, std::int64_t byte, int lane, void* value,
                            int bytes, bool to_array) {
    auto* out = static_cast<std::byte*>(value);
    int unit = artifact::scalar_bytes(array.element);
    auto at = static_cast<std::size_t>(lane);
    for (int done = 0; done < bytes;) {
        std::byte* p = nullptr;
        int piece = 0;
        if (array.packed) {
            std::int64_t word = (byte + done) / 4;
            int inside = static_cast<int>((byte + done) % 4);
            p = lanes(array.first + static_cast<std::int32_t>(word)) + at * 4 + inside;
            piece = std::min(bytes - done, 4 - inside);
            if (to_array)
                written(group, array.first + static_cast<std::int32_t>(word));
        } else {
            std::int64_t element = (byte + done) / unit;
            int words = artifact::scalar_words(array.element);
            std::int32_t reg = array.first + static_cast<std::int32_t>(element) * words;
            p = lanes(reg) + at * static_cast<std::size_t>(words) * 4 + (byte + done) % unit;
            piece = std::min(bytes - done, unit - static_cast<int>((byte + done) % unit));
            if (to_array)
                written(group, reg);
        }
        std::memcpy(to_array ? p : out + done, to_array ? out + done : p, static_cast<std::size_t>(piece));
        done += piece;
    }
}

// Where a lane's element is; values of local arrays are copied to `scratch` and back by the callers.
std::byte* MemoryUnit::lane_address(Group& group, const Step& step, const Target& target, int lane,
                                    std::uint64_t& scratch, Purpose purpose) {
    const Access& access = access_of(step);
    int bytes = artifact::scalar_bytes(access.element);
    std::int64_t lane_offset = target.offset_of(lane);
    if (target.local) {
        scratch = 0;
        copy_local(group, *target.array, target.local_offset + lane_offset, lane, &scratch, bytes, false);
        return nullptr;
    }
    if (!target.lane_by_lane)
        return target.base + lane_offset;
    std::uint64_t pointer = target.part->lane_pointer + static_cast<std::uint64_t>(lane_offset + target.local_offset);
    if (is_local(pointer))
        fail(group, FindingKind::InvalidPointer, lane, "uses pointers to local and other memory in one access");
    std::byte* place = checked_pointer(group, pointer, bytes, access.align, lane, purpose,
                                       purpose == Purpose::Load ? "reads" : "writes");
    if (m_order && (is_own_shared(pointer) || is_remote_shared(pointer))) {
        const MemoryArea memory = shared_memory(pointer);
        m_block.races.check_lane(group, step, *memory.shadow, memory.place, bytes, lane, purpose);
    } else if (m_order) {
        const Allocation* allocation = m_context.memory->find(id_of(pointer));
        if (GlobalShadow* global = m_block.globals.global_shadow(id_of(pointer), allocation->bytes))
            m_block.globals.check_global_lane(group, step, {*global, id_of(pointer)}, offset_of(pointer), bytes, lane,
                                              purpose, place);
        if (InitBitmap* written = allocation->info.written.get(); written && !written->is_complete())
            m_block.globals.check_unwritten_lane(
                group, step, *written, allocation->info.written_at + offset_of(pointer), bytes, lane, purpose);
    }
    return place;
}

// An element of a local array that is the same in all lanes.
std::optional<std::int64_t> MemoryUnit::same_offset(const Target& target) {
    if (!target.local || (target.part && !target.part->pattern.all_same))
        return std::nullopt;
    return target.local_offset + (target.part ? target.part->pattern.first : 0);
}

namespace {

// Whether the bytes have registers of their own.
bool has_registers(const artifact::LocalArray& array, std::int64_t at, int bytes) {
    if (array.packed)
        return bytes == 4 && at % 4 == 0;
    return bytes >= 4 && artifact::scalar_bytes(array.element) == bytes && at % bytes == 0;
}

bool is_in_word(const artifact::LocalArray& array, std::int64_t at, int bytes) {
    return array.packed && bytes < 4 && at % bytes == 0;
}

} // namespace

// Elements that are a part of a register each.
void MemoryUnit::load_part(Group& group, const Step& step, const artifact::LocalArray& array, std::int64_t at) {
    const Scalar element = access_of(step).element;
    const int bits = 8 * artifact::scalar_bytes(element), shift = 32 - bits - static_cast<int>(at % 4) * 8;
    const auto* from = reinterpret_cast<const std::uint32_t*>(lanes(array.first + static_cast<std::int32_t>(at / 4)));
    auto* to = reinterpret_cast<std::uint32_t*>(lanes(step.instr.dst));
    const bool is_signed = element == Scalar::I8 || element == Scalar::I16;
    const bool is_all = group.full || !(step.flags & artifact::flag_blend);
    for (int lane = group.lo * chunk_lanes; lane < group.hi * chunk_lanes; ++lane) {
        const std::uint32_t high = from[lane] << shift;
        const std::uint32_t value = is_signed
                                        ? static_cast<std::uint32_t>(static_cast<std::int32_t>(high) >> (32 - bits))
                                        : high >> (32 - bits);
        to[lane] = is_all || group.active.test(lane) ? value : to[lane];
    }
}

void MemoryUnit::store_part(Group& group, const Step& step, const artifact::LocalArray& array, std::int64_t at) {
    const int bits = 8 * artifact::scalar_bytes(access_of(step).element);
    const int shift = static_cast<int>(at % 4) * 8;
    const std::uint32_t mask = ((1u << bits) - 1) << shift;
    const std::int32_t reg = array.first + static_cast<std::int32_t>(at / 4);
    const auto* from = reinterpret_cast<const std::uint32_t*>(lanes(step.instr.a));
    auto* to = reinterpret_cast<std::uint32_t*>(lanes(reg));
    written(group, reg);
    for (int lane = group.lo * chunk_lanes; lane < group.hi * chunk_lanes; ++lane)
        if (group.full || group.active.test(lane))
            to[lane] = (to[lane] & ~mask) | (from[lane] << shift & mask);
}

void MemoryUnit::load_local(Group& group, const Step& step, const Target& target) {
    const Access& access = access_of(step);
    int bytes = artifact::scalar_bytes(access.element);
    auto first = static_cast<std::size_t>(group.lo) * chunk_lanes;
    std::byte* dst = lanes(step.instr.dst);
    bool blends = (step.flags & artifact::flag_blend) && !group.full;
    written(group, step.instr.dst);
    const std::optional<std::int64_t> same = same_offset(target);
    const bool whole = same && has_registers(*target.array, *same, bytes);
    if (same && !whole && is_in_word(*target.array, *same, bytes))
        return load_part(group, step, *target.array, *same);
    if (whole) {
        std::int32_t reg = target.array->first + static_cast<std::int32_t>(*same / bytes) * (bytes / 4);
        auto count = static_cast<std::size_t>(group.hi - group.lo) * chunk_lanes;
        const std::byte* src = lanes(reg) + first * static_cast<std::size_t>(bytes);
        if (blends)
            m_table.blend(dst + first * static_cast<std::size_t>(bytes), src, mask_words(group) + first,
                          static_cast<int>(count), bytes);
        else
            std::memmove(dst + first * static_cast<std::size_t>(bytes), src, count * static_cast<std::size_t>(bytes));
        return;
    }
    for (int lane : running(group)) {
        std::uint64_t value = 0;
        if (const std::byte* p = lane_address(group, step, target, lane, value, Purpose::Load)) {
            value = 0;
            std::memcpy(&value, p, static_cast<std::size_t>(bytes));
        }
        if (access.element == Scalar::I8)
            value = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int8_t>(value)));
        if (access.element == Scalar::I16)
            value = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int16_t>(value)));
        std::memcpy(dst + static_cast<std::size_t>(lane) * step.dst_bytes, &value, step.dst_bytes);
    }
}

void MemoryUnit::store_local(Group& group, const Step& step, const Target& target) {
    const Access& access = access_of(step);
    int bytes = artifact::scalar_bytes(access.element);
    const std::optional<std::int64_t> same = same_offset(target);
    const bool whole = same && step.a_bytes != 0 && has_registers(*target.array, *same, bytes);
    if (same && step.a_bytes != 0 && !whole && is_in_word(*target.array, *same, bytes))
        return store_part(group, step, *target.array, *same);
    if (whole) {
        std::int32_t reg = target.array->first + static_cast<std::int32_t>(*same / bytes) * (bytes / 4);
        auto first = static_cast<std::size_t>(group.lo) * chunk_lanes;
        auto count = static_cast<std::size_t>(group.hi - group.lo) * chunk_lanes;
        std::byte* dst = lanes(reg) + first * static_cast<std::size_t>(bytes);
        const void* src = operand(group, step.a, step.a_bytes);
        written(group, reg);
        if (group.full)
            std::memmove(dst, src, count * static_cast<std::size_t>(bytes));
        else
            m_table.blend(dst, src, mask_words(group) + first, static_cast<int>(count), bytes);
        return;
    }
    for (int lane : running(group)) {
        std::uint64_t value = lane_bits(group, step.instr.a, lane, bytes == 8);
        std::uint64_t scratch = 0;
        std::byte* p = lane_address(group, step, target, lane, scratch, Purpose::Store);
        if (p) {
            std::memcpy(p, &value, static_cast<std::size_t>(bytes));
            continue;
        }
        std::int64_t lane_offset = target.offset_of(lane);
        copy_local(group, *target.array, target.local_offset + lane_offset, lane, &value, bytes, true);
    }
}

// ---- what an instruction wants of an address before memory is touched ------------------------------------------

constexpr std::int64_t most_stride_align = 16;

void MemoryUnit::check_space(Group& group, const Step& step) {
    const bool wants_global = step.instr.c == 1;
    for (int lane : running(group)) {
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
    for (int lane : running(group)) {
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
