// SPDX-License-Identifier: Apache-2.0
// Barriers of a block, and exchanges between the lanes of a warp.
#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

Value IntrinsicGenerator::gen_named_barrier(Op op, const ir::Intrinsic& e) {
    std::int32_t id = arg(e, 0);
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

Value IntrinsicGenerator::emulate(Of<IntrinsicId::MapSharedRank>, const ir::Intrinsic& e) {
    std::int32_t address = arg(e, 0), rank = arg(e, 1);
    std::int32_t mapped = m_builder.emit_value(Op::MapShared, Scalar::U64, address, rank);
    return in_register(mapped, Scalar::U64);
}

// `what`: 0 count, 1 and, 2 or.
Value IntrinsicGenerator::gen_barrier_reduce(int what, const ir::Intrinsic& e) {
    std::int32_t predicate = operand(convert(gen(e.args.at(0)), Scalar::Bool));
    return made({.op = Op::BarrierReduce, .type = Scalar::Bool, .dst = m_builder.new_u(), .a = predicate, .x = what},
                Scalar::I32);
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::SyncWarp>, const ir::Intrinsic& e) {
    std::int32_t mask = e.args.empty() ? m_builder.constant(0xFFFFFFFFu) : operand(gen(e.args[0]));
    return gen_instruction({.op = Op::SyncWarp, .type = Scalar::U32, .a = mask});
}

// `mode`: 0 index, 1 up, 2 down, 3 xor.
Value IntrinsicGenerator::gen_shuffle(int mode, const ir::Intrinsic& e) {
    Value mask = gen(e.args.at(0));
    Value value = gen(e.args.at(1));
    Value lane = gen(e.args.at(2));
    Value width = gen(e.args.at(3));
    auto one = [&](const Value& v, const Value&) {
        std::vector<std::int32_t> items = {operand(mask), operand(v), operand(lane), operand(width)};
        std::int32_t row = operands_row(items, {Scalar::U32, v.type, Scalar::I32, Scalar::I32}, 0, -1);
        return made({.op = Op::Shuffle, .type = v.type, .dst = m_builder.new_v(v.type), .c = mode, .x = row}, v.type);
    };
    return value.lanes.empty() ? one(value, value) : lane_wise(value, value, one);
}

Value IntrinsicGenerator::gen_clock() {
    return made({.op = Op::Clock, .type = Scalar::U64, .dst = m_builder.new_v(Scalar::U64)}, Scalar::U64);
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::ElectSync>, const ir::Intrinsic& e) {
    const std::int32_t mask = arg(e, 0), dst = m_builder.new_v(Scalar::Bool);
    m_builder.emit({.op = Op::Elect, .type = Scalar::U32, .dst = dst, .a = mask});
    return in_register(dst, Scalar::Bool);
}

Value IntrinsicGenerator::gen_vote(Op op, Scalar type, const ir::Intrinsic& e) {
    std::int32_t mask = arg(e, 0);
    std::int32_t predicate = operand(convert(gen(e.args.at(1)), Scalar::Bool));
    return made({.op = op, .type = Scalar::U32, .dst = m_builder.new_v(type), .a = mask, .b = predicate}, type);
}

// Of the bits of a value of 32 or 64 bits.
Value IntrinsicGenerator::gen_match(Op op, const ir::Intrinsic& e) {
    const auto dtype = ir::scalar_of(e.args.at(1)->type);
    if (!dtype || !ir::is_match_type(*dtype))
        unsupported(e, cat("'", ir::info(e.id).name, "' of other than values of 32 and 64 bits"));
    const std::int32_t mask = arg(e, 0), value = operand(gen(e.args[1]));
    return made({.op = op, .type = scalar_of_dtype(*dtype), .dst = m_builder.new_v(Scalar::U32), .a = mask, .b = value},
                Scalar::U32);
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::ReduxSync>, const ir::Intrinsic& e) {
    const auto dtype = ir::scalar_of(e.type);
    if (dtype != ir::DType::I32 && dtype != ir::DType::U32)
        unsupported(e, "'cuda.redux_sync' of other than integers of 32 bits");
    const Scalar type = scalar_of_dtype(*dtype);
    const std::int32_t mask = arg(e, 0), value = arg(e, 1);
    const std::int32_t dst = m_builder.new_v(type);
    const auto which = static_cast<std::int32_t>(ir::attribute<ir::WarpReduction>(e.attr));
    m_builder.emit({.op = Op::Redux, .type = type, .dst = dst, .a = mask, .b = value, .x = which});
    return in_register(dst, type);
}

} // namespace hidet::compiler::bytecode
