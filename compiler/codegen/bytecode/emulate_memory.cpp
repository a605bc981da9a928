// SPDX-License-Identifier: Apache-2.0
// Atomics, the order of memory, addresses, asynchronous copies.
#include "compiler/artifact/memory_scope.h"
#include "compiler/codegen/bytecode/generator.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

// Of what the intrinsic became.
static void set_scope(std::vector<Item>& items, std::size_t first, const ir::Intrinsic& e) {
    const auto scope = ir::attribute<ir::MemoryScope>(e.attr);
    if (scope == ir::MemoryScope::gpu)
        return;
    const std::uint8_t flags = scope == ir::MemoryScope::cta       ? artifact::flag_block_scope
                               : scope == ir::MemoryScope::cluster ? artifact::flag_cluster_scope
                                                                   : artifact::flag_system_scope;
    for (std::size_t k = first; k < items.size(); ++k) {
        artifact::Instr& i = items[k].instr;
        const bool is_atomic = i.op >= Op::AtomicAdd && i.op <= Op::AtomicBits;
        if (is_atomic || i.op == Op::Fence || (i.flags & artifact::flag_strong))
            i.flags |= flags;
    }
}

Value IntrinsicGenerator::gen_atomic(Op op, const ir::Intrinsic& e) {
    Value value = gen(e.args.at(1));
    Value other = e.args.size() > 2 ? gen(e.args[2]) : Value{};
    if (!value.lanes.empty())
        unsupported(e, "an atomic operation on vectors");
    auto place = place_of_pointer(e.args[0]);
    std::int32_t row = access_row(*place, value.type, 0, artifact::scalar_bytes(value.type));
    std::int32_t dst = m_is_kernel ? m_builder.new_v(value.type) : m_builder.new_u();
    std::int32_t a = operand(value);
    std::int32_t b = other.kind == Value::Kind::None ? no_operand : operand(other);
    const auto order = ir::attribute<ir::MemoryOrder>(e.attr);
    const std::size_t first = m_builder.items.size();
    if (order == ir::MemoryOrder::release || order == ir::MemoryOrder::acq_rel)
        gen_fence(FenceKind::Threads);
    m_builder.emit({.op = op, .type = value.type, .dst = dst, .a = a, .b = b, .x = row});
    if (order == ir::MemoryOrder::acquire || order == ir::MemoryOrder::acq_rel)
        gen_fence(FenceKind::Threads);
    set_scope(m_builder.items, first, e);
    if (place->space != Space::Shared)
        m_out.needs_order = true;
    return in_register(dst, value.type);
}

Value IntrinsicGenerator::gen_fence(FenceKind kind) {
    return gen_instruction({.op = Op::Fence, .x = static_cast<std::int32_t>(kind)});
}

// Accesses that were made since are ordered as atomics are.
void MemoryGenerator::make_strong(std::size_t first) {
    for (std::size_t k = first; k < m_builder.items.size(); ++k)
        if (Item& item = m_builder.items[k]; item.instr.op == Op::Load || item.instr.op == Op::Store)
            item.instr.flags |= artifact::flag_strong;
}

// Every operation has the opcode of its name.
#define HIDET_INTRINSIC(id, ...)                                                                                       \
    Value IntrinsicGenerator::emulate(Of<IntrinsicId::id>, const ir::Intrinsic& e) {                                   \
        return gen_atomic(Op::id, e);                                                                                  \
    }
#include "compiler/ir/intrinsics/atomic.def"
#undef HIDET_INTRINSIC

Value IntrinsicGenerator::emulate(Of<IntrinsicId::ThreadFence>, const ir::Intrinsic& e) {
    const std::size_t first = m_builder.items.size();
    gen_fence(FenceKind::Threads);
    set_scope(m_builder.items, first, e);
    return {};
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::LoadAcquire>, const ir::Intrinsic& e) {
    m_out.needs_order = true;
    const std::size_t first = m_builder.items.size();
    Value value = load(*place_of_pointer(e.args.at(0)), e.type);
    make_strong(first);
    if (ir::attribute<ir::MemoryOrder>(e.attr) != ir::MemoryOrder::relaxed)
        gen_fence(FenceKind::Threads);
    set_scope(m_builder.items, first, e);
    return value;
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::StoreRelease>, const ir::Intrinsic& e) {
    m_out.needs_order = true;
    Value value = gen(e.args.at(1));
    const std::size_t begin = m_builder.items.size();
    if (ir::attribute<ir::MemoryOrder>(e.attr) != ir::MemoryOrder::relaxed)
        gen_fence(FenceKind::Threads);
    const std::size_t first = m_builder.items.size();
    store(*place_of_pointer(e.args[0]), e.args[1]->type, value);
    make_strong(first);
    set_scope(m_builder.items, begin, e);
    return {};
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::PeerAddress>, const ir::Intrinsic& e) {
    m_out.needs_order = true;
    const std::int32_t address = arg(e, 0), rank = arg(e, 1);
    return in_register(m_builder.emit_value(Op::PeerAddress, Scalar::U64, address, rank), Scalar::U64);
}

Value IntrinsicGenerator::gen_special(std::int32_t which) {
    return made({.op = Op::Special, .type = Scalar::I32, .dst = m_builder.new_u(), .x = which}, Scalar::I32);
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::CpAsync>, const ir::Intrinsic& e) {
    std::int32_t to = arg(e, 0);
    std::int32_t from = arg(e, 1);
    std::int32_t source_bytes = e.args.size() > 2 ? operand(convert(gen(e.args[2]), Scalar::I32)) : no_operand;
    if (ir::scalar_of(e.args[0]->type)) // a 32-bit shared address
        to = m_builder.emit_value(Op::FromShared, Scalar::U64, to);
    std::int32_t bytes = ir::number_attribute(e.attr, "cp_size");
    return gen_instruction({.op = Op::CpAsync, .type = Scalar::U64, .a = to, .b = from, .c = source_bytes, .x = bytes});
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::CpAsyncWait>, const ir::Intrinsic& e) {
    auto pending = ir::constant_int(e.args.at(0));
    HIDET_CHECK(pending, "cp_async_wait_group of a number that is not constant");
    return gen_instruction({.op = Op::CpWait, .x = static_cast<std::int32_t>(*pending)});
}

} // namespace hidet::compiler::bytecode
