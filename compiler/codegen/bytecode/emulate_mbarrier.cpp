// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory.
#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

// A signal to the barrier of operand 0: `bytes`, then the block of the cluster and whether it is sent, where they are given.
Value IntrinsicGenerator::gen_signal(Op op, const ir::Intrinsic& e, std::int32_t bytes, std::size_t block) {
    const bool is_remote = block < e.args.size();
    std::int32_t barrier = arg(e, 0);
    std::int32_t rank = is_remote ? operand(gen(e.args[block])) : m_builder.constant(static_cast<std::uint32_t>(-1));
    std::int32_t is_sent = is_remote ? operand(gen(e.args.at(block + 1))) : m_builder.constant(1);
    std::int32_t row =
        operands_row({barrier, bytes, rank, is_sent}, {Scalar::U64, Scalar::U32, Scalar::I32, Scalar::Bool}, 0, -1);
    return gen_instruction({.op = op, .type = Scalar::U64, .x = row});
}

Value IntrinsicGenerator::gen_phase_test(const ir::Intrinsic& e) {
    std::int32_t barrier = arg(e, 0), phase = arg(e, 1);
    return made(
        {.op = Op::MbarTest, .type = Scalar::U64, .dst = m_builder.new_v(Scalar::U32), .a = barrier, .b = phase},
        Scalar::U32);
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::MbarrierTestWait>, const ir::Intrinsic& e) {
    const std::int32_t is_over = operand(gen_phase_test(e));
    const std::int32_t is_asked = operand(convert(gen(e.args.at(2)), Scalar::U32));
    return made(Op::BitAnd, Scalar::U32, is_over, is_asked);
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::FenceProxyAsync>, const ir::Intrinsic& e) {
    if (ir::attribute<ir::ProxySpace>(e.attr) == ir::ProxySpace::none) // of global memory proxies are not told apart
        gen_fence(FenceKind::Units);
    return {};
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::SetMaxNReg>, const ir::Intrinsic& e) {
    const auto count = ir::constant_int(e.args.at(0));
    HIDET_CHECK(count, "setmaxnreg of a number that is not constant");
    const bool is_more = ir::attribute<ir::RegisterChange>(e.attr) == ir::RegisterChange::inc;
    return gen_instruction({.op = Op::Registers, .c = static_cast<std::int32_t>(*count), .x = is_more});
}

} // namespace hidet::compiler::bytecode
