// SPDX-License-Identifier: Apache-2.0
// Atomics: one lane after the other, ascending. Blocks of a kernel that updates global memory run one at a time, so
// nothing here needs to be atomic for the host.
#include "runtime/vm/block.h"
#include "runtime/vm/update.h"
#include "runtime/vm/vector/convert.h"

namespace hidet::vm {

namespace {

template <class T>
T updated(Op op, T old, T a) {
    switch (op) {
    case Op::AtomicAdd: return AddOp::apply(old, a);
    case Op::AtomicSub: return SubOp::apply(old, a);
    case Op::AtomicMin: return MinOp::apply(old, a);
    case Op::AtomicMax: return MaxOp::apply(old, a);
    default: break;
    }
    if constexpr (std::is_integral_v<T>) {
        if (op == Op::AtomicAnd)
            return static_cast<T>(old & a);
        if (op == Op::AtomicOr)
            return static_cast<T>(old | a);
        return static_cast<T>(old ^ a);
    }
    return old;
}

template <class T>
std::uint64_t update_as(Op op, std::uint64_t old, std::uint64_t a) {
    T left, right;
    std::memcpy(&left, &old, sizeof left);
    std::memcpy(&right, &a, sizeof right);
    T result = updated(op, left, right);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &result, sizeof(T));
    return bits;
}

template <class Read, class Write>
std::uint64_t update_short(Op op, std::uint64_t old, std::uint64_t a, Read read, Write write) {
    float result = updated(op, read(static_cast<std::uint32_t>(old)), read(static_cast<std::uint32_t>(a)));
    return write(result);
}

} // namespace

std::uint64_t update(Op op, Scalar type, std::uint64_t old, std::uint64_t a, std::uint64_t b) {
    if (op == Op::AtomicExchange)
        return a;
    if (op == Op::AtomicCas)
        return old == a ? b : old;
    if (op == Op::AtomicBits)
        return (old & ~b) | (a & b);
    switch (type) {
    case Scalar::I64: return update_as<std::int64_t>(op, old, a);
    case Scalar::U64: return update_as<std::uint64_t>(op, old, a);
    case Scalar::F64: return update_as<double>(op, old, a);
    case Scalar::F32:
    case Scalar::TF32: return update_as<float>(op, old, a);
    case Scalar::F16: return update_short(op, old, a, half_to_float, float_to_half);
    case Scalar::BF16: return update_short(op, old, a, bf16_to_float, float_to_bf16);
    case Scalar::I8: return update_as<std::int8_t>(op, old, a);
    case Scalar::I16: return update_as<std::int16_t>(op, old, a);
    case Scalar::Bool:
    case Scalar::U8: return update_as<std::uint8_t>(op, old, a);
    case Scalar::U16: return update_as<std::uint16_t>(op, old, a);
    case Scalar::I32: return update_as<std::int32_t>(op, old, a);
    case Scalar::U32: return update_as<std::uint32_t>(op, old, a);
    case Scalar::F8E4M3: return update_short(op, old, a, E4m3ToFloatOp::apply, f32_to_e4m3);
    case Scalar::F8E5M2: return update_short(op, old, a, E5m2ToFloatOp::apply, f32_to_e5m2);
    }
    return old;
}

void update_values(Op op, Scalar type, std::byte* to, const std::byte* from, int bytes) {
    const int each = artifact::scalar_bytes(type);
    for (int at = 0; at < bytes; at += each) {
        std::uint64_t old = 0, value = 0;
        std::memcpy(&old, to + at, static_cast<std::size_t>(each));
        std::memcpy(&value, from + at, static_cast<std::size_t>(each));
        const std::uint64_t next = update(op, type, old, value, 0);
        std::memcpy(to + at, &next, static_cast<std::size_t>(each));
    }
}

namespace {

// Bits from memory as a register holds them.
std::uint64_t extended(Scalar type, std::uint64_t bits) {
    if (type == Scalar::I8)
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int8_t>(bits)));
    if (type == Scalar::I16)
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int16_t>(bits)));
    return bits;
}

} // namespace

void MemoryUnit::atomic(Group& group, const Step& step) {
    const Target target = target_of(group, step, Purpose::Atomic);
    Scalar type = step.type;
    auto bytes = static_cast<std::size_t>(artifact::scalar_bytes(type));
    std::byte* dst = lanes(step.instr.dst);
    const auto value_of = [&](std::int32_t operand, int lane) {
        return operand < 0 ? 0 : lane_bits(group, operand, lane, bytes == 8);
    };
    std::uint64_t mask = bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
    const bool is_watched = m_block.races.check_updates(group, step, target);
    const bool descends = m_context.is_random && m_block.flow.chosen(2) == 1;
    for (int k = group.lo; k < group.hi; ++k) {
        const int c = descends ? group.hi - 1 - (k - group.lo) : k;
        std::uint32_t on = group.active.bits[c];
        while (on) {
            const int bit = descends ? 31 - __builtin_clz(on) : __builtin_ctz(on);
            const int lane = 16 * c + bit;
            on &= ~(1u << bit);
            std::uint64_t scratch = 0, old = 0;
            std::byte* p = lane_address(group, step, target, lane, scratch, Purpose::Atomic);
            if (target.shadow && !is_watched)
                m_block.races.check_lane(group, step, *target.shadow, target.place + (p - target.base),
                                         static_cast<int>(bytes), lane, Purpose::Atomic);
            if (target.global)
                m_block.globals.check_global_lane(group, step, {*target.global, target.id},
                                                  target.place + (p - target.base), static_cast<int>(bytes), lane,
                                                  Purpose::Atomic, p);
            if (target.written)
                m_block.globals.check_unwritten_lane(group, step, *target.written,
                                                     target.written_at + (p - target.base), static_cast<int>(bytes),
                                                     lane, Purpose::Atomic);
            if (p && target.shadow && !is_watched) {
                m_order->observe(m_order->thread_actor(m_rank, lane), p, m_order->published());
                m_order->publish(m_order->thread_actor(m_rank, lane), p, m_order->published());
            }
            if (p)
                std::memcpy(&old, p, bytes);
            else
                old = scratch;
            std::uint64_t next =
                update(step.op, type, old, value_of(step.instr.a, lane) & mask, value_of(step.instr.b, lane) & mask);
            m_progress = m_progress || next != old; // a lock that is taken again and again is none
            if (p) {
                std::memcpy(p, &next, bytes);
            } else {
                std::int64_t offset = target.offset_of(lane);
                copy_local(group, *target.array, target.local_offset + offset, lane, &next, static_cast<int>(bytes),
                           true);
            }
            std::uint64_t shown = extended(type, old);
            std::memcpy(dst + static_cast<std::size_t>(lane) * step.dst_bytes, &shown, step.dst_bytes);
        }
    }
    written(group, step.instr.dst);
}

// 32-bit places in the shared memory of the block, as ldmatrix and cp.async take them. Above them stands the rank of the
// block in its cluster, as a GPU has it: the descriptor of a matrix wants it masked.
void MemoryUnit::to_shared(Group& group, const Step& step) {
    bool to = step.op == Op::ToShared;
    auto convert = [&](std::uint64_t value, int lane) -> std::uint64_t {
        if (to) {
            std::uint32_t row = id_of(value) - first_shared_id;
            if (!is_own_shared(value) || row >= m_shared.size())
                fail(group, FindingKind::InvalidPointer, lane,
                     "asks for the place in shared memory of a pointer that points elsewhere");
            return static_cast<std::uint32_t>(m_shared_place[row] + offset_of(value)) | window_of_rank();
        }
        auto place = static_cast<std::int64_t>(static_cast<std::uint32_t>(value) - window_of_rank());
        std::size_t row = m_shared.size();
        while (row-- > 0)
            if (m_shared_place[row] <= place)
                return make_pointer(first_shared_id + static_cast<std::uint32_t>(row), place - m_shared_place[row]);
        fail(group, FindingKind::InvalidPointer, lane, "uses shared memory, of which it has none");
    };
    if (is_u(step.instr.dst)) {
        u_slot(group, step.instr.dst) = convert(u_slot(group, step.instr.a), group.active.first(m_chunks));
        return;
    }
    std::optional<std::uint64_t> last; // mostly all lanes have the same
    std::uint64_t result = 0;
    std::byte* const out = lanes(step.instr.dst);
    const auto convert_all = [&]<class From, class To>(From, To) {
        const bool is_one = is_u(step.instr.a);
        const auto* const from = reinterpret_cast<const From*>(is_one ? nullptr : lanes(step.instr.a));
        for_each_lane(group.active, m_warps, [&](int lane) {
            const std::uint64_t value = is_one ? u_slot(group, step.instr.a) : from[lane];
            if (value != last)
                result = convert(static_cast<From>(value), lane), last = value;
            reinterpret_cast<To*>(out)[lane] = static_cast<To>(result);
        });
    };
    if (to)
        convert_all(std::uint64_t{}, std::uint32_t{});
    else
        convert_all(std::uint32_t{}, std::uint64_t{});
    written(group, step.instr.dst);
}

} // namespace hidet::vm
