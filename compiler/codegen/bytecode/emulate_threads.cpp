// SPDX-License-Identifier: Apache-2.0
// Barriers of a block, and exchanges between the lanes of a warp.
#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

template <>
Value Generator::emulate<IntrinsicId::SyncThreads>(const ir::Intrinsic&) {
    m_builder.emit({.op = Op::Barrier, .type = Scalar::I32});
    return {};
}

Value Generator::gen_named_barrier(Op op, const ir::Intrinsic& e) {
    std::int32_t id = operand(gen(e.args.at(0)));
    std::int32_t count = e.args.size() > 1 ? operand(gen(e.args[1])) : no_operand;
    if (is_v(count))
        unsupported(e, "a barrier whose count differs between threads");
    const auto wait_at = [&](std::int32_t barrier) {
        m_builder.emit({.op = op, .type = Scalar::I32, .a = barrier, .b = count});
    };
    if (!is_v(id)) {
        wait_at(id);
        return {};
    }
    // Threads that name the same barrier go on together. One too many, so that a wrong number is found.
    for (std::uint64_t barrier = 0; barrier <= 16; ++barrier) {
        const std::int32_t number = m_builder.constant(barrier);
        const Op compare = barrier < 16 ? Op::Eq : Op::Le;
        gen_if_v(
            m_builder.emit_value(compare, Scalar::I32, Scalar::Bool, number, id), true, [&] { wait_at(number); },
            nullptr);
    }
    return {};
}

template <>
Value Generator::emulate<IntrinsicId::BarrierSync>(const ir::Intrinsic& e) {
    return gen_named_barrier(Op::Barrier, e);
}

template <>
Value Generator::emulate<IntrinsicId::BarrierArrive>(const ir::Intrinsic& e) {
    return gen_named_barrier(Op::BarrierArrive, e);
}

template <>
Value Generator::emulate<IntrinsicId::ClusterSync>(const ir::Intrinsic&) {
    m_builder.emit({.op = Op::ClusterBarrier});
    return {};
}

template <>
Value Generator::emulate<IntrinsicId::MapSharedRank>(const ir::Intrinsic& e) {
    std::int32_t address = operand(gen(e.args.at(0))), rank = operand(gen(e.args.at(1)));
    std::int32_t mapped = m_builder.emit_value(Op::MapShared, Scalar::U64, Scalar::U64, address, rank);
    return in_register(mapped, Scalar::U64);
}

// Kernels are emulated one after the other.
template <>
Value Generator::emulate<IntrinsicId::GridWait>(const ir::Intrinsic&) {
    return {};
}

template <>
Value Generator::emulate<IntrinsicId::GridLaunchDependents>(const ir::Intrinsic&) {
    return {};
}

// `what`: 0 count, 1 and, 2 or.
Value Generator::gen_barrier_reduce(int what, const ir::Intrinsic& e) {
    std::int32_t predicate = operand(convert(gen(e.args.at(0)), Scalar::Bool));
    std::int32_t dst = m_builder.new_u();
    m_builder.emit({.op = Op::BarrierReduce, .type = Scalar::Bool, .dst = dst, .a = predicate, .x = what});
    return in_register(dst, Scalar::I32);
}

template <>
Value Generator::emulate<IntrinsicId::SyncThreadsCount>(const ir::Intrinsic& e) {
    return gen_barrier_reduce(0, e);
}

template <>
Value Generator::emulate<IntrinsicId::SyncThreadsAnd>(const ir::Intrinsic& e) {
    return gen_barrier_reduce(1, e);
}

template <>
Value Generator::emulate<IntrinsicId::SyncThreadsOr>(const ir::Intrinsic& e) {
    return gen_barrier_reduce(2, e);
}

template <>
Value Generator::emulate<IntrinsicId::SyncWarp>(const ir::Intrinsic& e) {
    std::int32_t mask = e.args.empty() ? m_builder.constant(0xFFFFFFFFu) : operand(gen(e.args[0]));
    m_builder.emit({.op = Op::SyncWarp, .type = Scalar::U32, .a = mask});
    return {};
}

// `mode`: 0 index, 1 up, 2 down, 3 xor.
Value Generator::gen_shuffle(int mode, const ir::Intrinsic& e) {
    Value mask = gen(e.args.at(0));
    Value value = gen(e.args.at(1));
    Value lane = gen(e.args.at(2));
    Value width = gen(e.args.at(3));
    auto one = [&](const Value& v, const Value&) {
        std::vector<std::int32_t> items = {operand(mask), operand(v), operand(lane), operand(width)};
        std::int32_t row = operands_row(items, {Scalar::U32, v.type, Scalar::I32, Scalar::I32}, 0, -1);
        std::int32_t dst = m_builder.new_v(v.type);
        m_builder.emit({.op = Op::Shuffle, .type = v.type, .dst = dst, .c = mode, .x = row});
        return in_register(dst, v.type);
    };
    return value.lanes.empty() ? one(value, value) : lane_wise(value, value, one);
}

template <>
Value Generator::emulate<IntrinsicId::ShflSync>(const ir::Intrinsic& e) {
    return gen_shuffle(0, e);
}

template <>
Value Generator::emulate<IntrinsicId::ShflUpSync>(const ir::Intrinsic& e) {
    return gen_shuffle(1, e);
}

template <>
Value Generator::emulate<IntrinsicId::ShflDownSync>(const ir::Intrinsic& e) {
    return gen_shuffle(2, e);
}

template <>
Value Generator::emulate<IntrinsicId::ShflXorSync>(const ir::Intrinsic& e) {
    return gen_shuffle(3, e);
}

template <>
Value Generator::emulate<IntrinsicId::ActiveMask>(const ir::Intrinsic&) {
    std::int32_t dst = m_builder.new_v(Scalar::U32);
    m_builder.emit({.op = Op::ActiveMask, .type = Scalar::U32, .dst = dst});
    return in_register(dst, Scalar::U32);
}

Value Generator::gen_clock() {
    const std::int32_t dst = m_builder.new_v(Scalar::U64);
    m_builder.emit({.op = Op::Clock, .type = Scalar::U64, .dst = dst});
    return in_register(dst, Scalar::U64);
}

template <>
Value Generator::emulate<IntrinsicId::ReadClock>(const ir::Intrinsic&) {
    return gen_clock();
}

template <>
Value Generator::emulate<IntrinsicId::ReadTimer>(const ir::Intrinsic&) {
    return gen_clock();
}

template <>
Value Generator::emulate<IntrinsicId::ElectSync>(const ir::Intrinsic& e) {
    const std::int32_t mask = operand(gen(e.args.at(0))), dst = m_builder.new_v(Scalar::Bool);
    m_builder.emit({.op = Op::Elect, .type = Scalar::U32, .dst = dst, .a = mask});
    return in_register(dst, Scalar::Bool);
}

Value Generator::gen_vote(Op op, Scalar type, const ir::Intrinsic& e) {
    std::int32_t mask = operand(gen(e.args.at(0)));
    std::int32_t predicate = operand(convert(gen(e.args.at(1)), Scalar::Bool));
    std::int32_t dst = m_builder.new_v(type);
    m_builder.emit({.op = op, .type = Scalar::U32, .dst = dst, .a = mask, .b = predicate});
    return in_register(dst, type);
}

template <>
Value Generator::emulate<IntrinsicId::BallotSync>(const ir::Intrinsic& e) {
    return gen_vote(Op::Ballot, Scalar::U32, e);
}

template <>
Value Generator::emulate<IntrinsicId::AnySync>(const ir::Intrinsic& e) {
    return gen_vote(Op::Any, Scalar::I32, e);
}

template <>
Value Generator::emulate<IntrinsicId::AllSync>(const ir::Intrinsic& e) {
    return gen_vote(Op::All, Scalar::I32, e);
}

// Of the bits of a value of 32 or 64 bits.
Value Generator::gen_match(Op op, const ir::Intrinsic& e) {
    const auto dtype = ir::scalar_of(e.args.at(1)->type);
    if (!dtype || !ir::is_match_type(*dtype))
        unsupported(e, cat("'", ir::info(e.id).name, "' of other than values of 32 and 64 bits"));
    const std::int32_t mask = operand(gen(e.args.at(0))), value = operand(gen(e.args[1]));
    const std::int32_t dst = m_builder.new_v(Scalar::U32);
    m_builder.emit({.op = op, .type = scalar_of_dtype(*dtype), .dst = dst, .a = mask, .b = value});
    return in_register(dst, Scalar::U32);
}

template <>
Value Generator::emulate<IntrinsicId::MatchAnySync>(const ir::Intrinsic& e) {
    return gen_match(Op::MatchAny, e);
}

template <>
Value Generator::emulate<IntrinsicId::MatchAllSync>(const ir::Intrinsic& e) {
    return gen_match(Op::MatchAll, e);
}

template <>
Value Generator::emulate<IntrinsicId::ReduxSync>(const ir::Intrinsic& e) {
    const auto dtype = ir::scalar_of(e.type);
    if (dtype != ir::DType::I32 && dtype != ir::DType::U32)
        unsupported(e, "'cuda.redux_sync' of other than integers of 32 bits");
    const Scalar type = scalar_of_dtype(*dtype);
    const std::int32_t mask = operand(gen(e.args.at(0))), value = operand(gen(e.args.at(1)));
    const std::int32_t dst = m_builder.new_v(type);
    const auto which = static_cast<std::int32_t>(ir::attribute<ir::WarpReduction>(e.attr));
    m_builder.emit({.op = Op::Redux, .type = type, .dst = dst, .a = mask, .b = value, .x = which});
    return in_register(dst, type);
}

} // namespace hidet::compiler::bytecode
