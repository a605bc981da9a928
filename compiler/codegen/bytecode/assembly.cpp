// SPDX-License-Identifier: Apache-2.0
// "ld.global.b32 %0, [%1];" is `v = *p`, and "add.s32 %0, %1, %2;" is `v = a + b`. A register of PTX has no type, so an operand
// of another type of the same size is taken by its bits.
#include "compiler/codegen/bytecode/assembly.h"

#include <algorithm>
#include <optional>

#include "compiler/ir/assembly.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"
#include "lang/base/check.h"

namespace hidet::compiler::bytecode {

namespace {

using ir::DType;
using ir::ExprRef;

std::optional<DType> type_of_word(std::string_view word) {
    static constexpr std::pair<std::string_view, DType> rows[] = {
        {"b8", DType::U8},   {"b16", DType::U16}, {"b32", DType::U32}, {"b64", DType::U64}, {"u8", DType::U8},
        {"u16", DType::U16}, {"u32", DType::U32}, {"u64", DType::U64}, {"s8", DType::I8},   {"s16", DType::I16},
        {"s32", DType::I32}, {"s64", DType::I64}, {"f16", DType::F16}, {"f32", DType::F32}, {"f64", DType::F64}};
    for (const auto& [name, dtype] : rows)
        if (name == word)
            return dtype;
    return std::nullopt;
}

// The value by its bits, or the low ones of a wider integer; null where neither is meant.
ExprRef by_bits(const ExprRef& value, DType dtype) {
    const auto from = ir::scalar_of(value->type);
    if (!from || *from == dtype)
        return from ? value : nullptr;
    if (ir::is_integer(*from) && ir::is_integer(dtype))
        return ir::cast_to(value, dtype);
    if (ir::info(*from).bits != ir::info(dtype).bits || ir::is_vector(dtype))
        return nullptr;
    return ir::make_intrinsic(ir::IntrinsicId::Bitcast, {value}, ir::data_type(dtype));
}

// What mov reads; null: nothing of the emulator's.
ExprRef special_register(const std::string& name) {
    using ir::Builtin;
    static constexpr std::pair<std::string_view, Builtin> rows[] = {
        {"tid.x", Builtin::ThreadIdxX},  {"tid.y", Builtin::ThreadIdxY},  {"tid.z", Builtin::ThreadIdxZ},
        {"ntid.x", Builtin::BlockDimX},  {"ntid.y", Builtin::BlockDimY},  {"ntid.z", Builtin::BlockDimZ},
        {"ctaid.x", Builtin::BlockIdxX}, {"ctaid.y", Builtin::BlockIdxY}, {"ctaid.z", Builtin::BlockIdxZ},
        {"nctaid.x", Builtin::GridDimX}, {"nctaid.y", Builtin::GridDimY}, {"nctaid.z", Builtin::GridDimZ}};
    for (const auto& [word, builtin] : rows)
        if (word == name)
            return ir::make_builtin(builtin);
    if (name == "clock" || name == "clock64")
        return ir::make_intrinsic(ir::IntrinsicId::ReadClock, {}, nullptr);
    if (name == "globaltimer")
        return ir::make_intrinsic(ir::IntrinsicId::ReadTimer, {}, nullptr);
    HIDET_CHECK(name == "laneid", name);
    const auto row = [](Builtin index, Builtin count, const ExprRef& inner) {
        return ir::add(ir::mul(inner, ir::make_builtin(count)), ir::make_builtin(index));
    };
    const ExprRef thread = row(Builtin::ThreadIdxX, Builtin::BlockDimX,
                               row(Builtin::ThreadIdxY, Builtin::BlockDimY, ir::make_builtin(Builtin::ThreadIdxZ)));
    return ir::bit_and(thread, ir::int_constant(31));
}

class Statement {
public:
    explicit Statement(const ir::AsmStmt& stmt) : m_stmt(stmt), m_read(ir::read_assembly(stmt)) {
        HIDET_CHECK(m_read.complaint.empty(), m_read.complaint);
    }

    // Null: it reaches memory through a number, or mixes types that have no bits in common.
    ir::StmtRef as_ir() const {
        const std::string& name = m_read.words.front();
        if (name == "nanosleep")
            return ir::make_seq({});
        if (name == "trap")
            return ir::make_assert(ir::bool_constant(false), "the instruction 'trap'");
        if (name == "bar")
            return act(ir::IntrinsicId::BarrierSync, {operand(0)});
        if (name == "membar" || name == "fence")
            return fence();
        const auto dtype = type_of_word(m_read.words.back());
        HIDET_CHECK(dtype, m_stmt.text);
        if (name == "prmt" || name == "lop3")
            return through_address(name);
        if (name == "st")
            return store(*dtype);
        const ExprRef result = name == "ld" ? load(*dtype) : computed(name, *dtype);
        return result ? assign(result) : nullptr;
    }

    // Inputs are read whether the instruction names them or not.
    ir::StmtVec unnamed_inputs() const {
        ir::StmtVec out;
        for (std::size_t i = 0; i < m_stmt.inputs.size(); ++i) {
            const bool is_named = std::ranges::any_of(m_read.operands, [&](const ir::AssemblyOperand& operand) {
                const bool is_place = operand.kind == ir::AssemblyOperand::Kind::Operand ||
                                      operand.kind == ir::AssemblyOperand::Kind::Memory;
                return is_place && operand.index == i + m_stmt.outputs.size();
            });
            if (!is_named)
                out.push_back(ir::make_evaluate(m_stmt.inputs[i]));
        }
        return out;
    }

private:
    static ir::StmtRef act(const ir::IntrinsicAttr& attr, ir::ExprVec args) {
        return ir::make_evaluate(ir::make_intrinsic(attr, std::move(args), ir::void_type()));
    }
    static ir::StmtRef act(ir::IntrinsicId id, ir::ExprVec args) { return act(ir::default_attr(id), std::move(args)); }
    ir::MemoryScope scope(ir::MemoryScope otherwise) const {
        using enum ir::MemoryScope;
        for (ir::MemoryScope scope : {cta, cluster, gpu, sys})
            if (m_read.has_word(ir::word(scope)))
                return scope;
        return m_read.has_word("gl") ? gpu : otherwise;
    }
    ir::StmtRef fence() const {
        const bool is_sc = m_read.has_word("sc") || m_read.words.front() == "membar";
        const auto order = is_sc ? ir::MemoryOrder::sc : ir::MemoryOrder::acq_rel;
        return act(
            ir::with(ir::with(ir::default_attr(ir::IntrinsicId::ThreadFence), order), scope(ir::MemoryScope::gpu)), {});
    }
    // With another order than a plain access.
    std::optional<ir::MemoryOrder> order() const {
        using enum ir::MemoryOrder;
        for (ir::MemoryOrder order : {relaxed, acquire, release})
            if (m_read.has_word(ir::word(order)))
                return order;
        return m_read.has_word("volatile") ? std::optional(relaxed) : std::nullopt;
    }
    ir::IntrinsicAttr access(ir::IntrinsicId id, ir::MemoryOrder order) const {
        return ir::with(ir::with(ir::default_attr(id), order), scope(ir::MemoryScope::sys));
    }

    ExprRef place(std::size_t index) const {
        return index < m_stmt.outputs.size() ? m_stmt.outputs[index] : m_stmt.inputs[index - m_stmt.outputs.size()];
    }
    ExprRef operand(std::size_t i) const {
        const ir::AssemblyOperand& operand = m_read.operands.at(i);
        switch (operand.kind) {
        case ir::AssemblyOperand::Kind::Number: return ir::int_constant(operand.number, DType::I64);
        case ir::AssemblyOperand::Kind::Special: return special_register(operand.special);
        case ir::AssemblyOperand::Kind::Operand:
        case ir::AssemblyOperand::Kind::Memory: break;
        }
        return place(operand.index);
    }
    ExprRef value(std::size_t i, DType dtype) const { return by_bits(operand(i), dtype); }
    // [%1] and [%1+4]: a pointer to values of the type. Addresses within shared memory are numbers, which stay assembly.
    ExprRef pointer(std::size_t i, DType dtype) const {
        ExprRef out = operand(i);
        if (!ir::is_pointer(out->type))
            return nullptr;
        if (const std::int64_t offset = m_read.operands[i].number; offset != 0)
            out = ir::add(ir::make_cast(out, ir::pointer_type(ir::data_type(DType::U8))),
                          ir::int_constant(offset, DType::I64));
        return ir::make_cast(out, ir::pointer_type(ir::data_type(dtype)));
    }

    ExprRef load(DType dtype) const {
        const ExprRef from = pointer(1, dtype);
        if (from && order())
            return ir::make_intrinsic(access(ir::IntrinsicId::LoadAcquire, *order()), {from}, ir::data_type(dtype));
        return from ? ir::make_element(from, {ir::int_constant(0)}) : nullptr;
    }
    ir::StmtRef store(DType dtype) const {
        const ExprRef to = pointer(0, dtype), stored = value(1, dtype);
        if (!to || !stored)
            return nullptr;
        if (order())
            return act(access(ir::IntrinsicId::StoreRelease, *order()), {to, stored});
        return ir::make_store(to, {ir::int_constant(0)}, stored);
    }
    // Intrinsics that write behind an address.
    ir::StmtRef through_address(const std::string& name) const {
        ir::ExprVec args{ir::make_address(operand(0))};
        for (std::size_t i = 1; i < 4; ++i)
            args.push_back(value(i, DType::U32));
        if (name == "lop3")
            args.push_back(ir::cast_to(operand(4), ir::data_type(DType::I32)));
        const bool is_known = std::all_of(args.begin(), args.end(), [](const ExprRef& arg) { return arg != nullptr; });
        return is_known ? act(name == "lop3" ? ir::IntrinsicId::Lop3 : ir::IntrinsicId::Prmt, std::move(args))
                        : nullptr;
    }

    ExprRef computed(const std::string& name, DType dtype) const {
        const ExprRef a = value(1, dtype);
        const std::size_t count = m_read.operands.size();
        if (!a)
            return nullptr;
        if (count == 2)
            return unary(name, dtype, a);
        const bool is_shift = name == "shl" || name == "shr";
        const ExprRef b = value(2, is_shift ? DType::U32 : dtype);
        if (!b)
            return nullptr;
        if (count == 4)
            return fused(name, dtype, a, b);
        return name == "add"   ? ir::add(a, b)
               : name == "sub" ? ir::sub(a, b)
               : name == "mul" ? ir::mul(a, b)
               : name == "and" ? ir::bit_and(a, b)
               : name == "or"  ? ir::bit_or(a, b)
               : name == "xor" ? ir::bit_xor(a, b)
               : name == "shl" ? ir::shift_left(a, b)
               : name == "shr" ? ir::shift_right(a, b)
               : name == "min" ? ir::math(ir::IntrinsicId::Min, {a, b})
                               : ir::math(ir::IntrinsicId::Max, {a, b});
    }
    // Approximations are computed exactly.
    static ExprRef unary(const std::string& name, DType dtype, const ExprRef& a) {
        if (name == "mov")
            return a;
        if (name == "not")
            return ir::bit_not(a);
        if (name == "neg")
            return ir::negate(a);
        if (name == "rcp")
            return ir::div(ir::float_constant(1.0, dtype), a);
        using enum ir::IntrinsicId;
        static constexpr std::pair<std::string_view, ir::IntrinsicId> rows[] = {
            {"abs", Abs},   {"ex2", Exp2}, {"lg2", Log2}, {"rsqrt", Rsqrt},
            {"sqrt", Sqrt}, {"sin", Sin},  {"cos", Cos},  {"tanh", Tanh}};
        for (const auto& [word, id] : rows)
            if (word == name)
                return ir::math(id, {a});
        HIDET_CHECK(false, name);
    }
    // Products of integers keep their low half.
    ExprRef fused(const std::string& name, DType dtype, const ExprRef& a, const ExprRef& b) const {
        const ExprRef c = value(3, dtype);
        if (!c)
            return nullptr;
        return name == "fma" ? ir::math(ir::IntrinsicId::Fma, {a, b, c}) : ir::add(ir::mul(a, b), c);
    }

    ir::StmtRef assign(const ExprRef& result) const {
        const ExprRef place = operand(0);
        const auto dtype = ir::scalar_of(place->type);
        const ExprRef value = dtype ? by_bits(result, *dtype) : nullptr;
        if (!value)
            return nullptr;
        if (ir::as<ir::Var>(place))
            return ir::make_assign(ir::cast<ir::Var>(place), value);
        if (const auto* element = ir::as<ir::TensorElement>(place))
            return ir::make_store(element->base, element->indices, value);
        const auto* deref = ir::as<ir::Deref>(place);
        return deref ? ir::make_store(deref->pointer, {ir::int_constant(0)}, value) : nullptr;
    }

    const ir::AsmStmt& m_stmt;
    const ir::Assembly m_read;
};

class Replacement : public ir::Rewriter {
public:
    using ir::Rewriter::visit;

protected:
    ir::StmtRef visit(const ir::AsmStmt& stmt) override {
        const Statement read(stmt);
        ir::StmtRef plain = read.as_ir();
        if (!plain)
            return ir::self(stmt);
        ir::StmtVec parts = read.unnamed_inputs();
        parts.push_back(std::move(plain));
        plain = ir::make_seq(std::move(parts));
        ir::set_origin(plain, stmt.origin);
        return plain;
    }
};

} // namespace

ir::ModuleRef without_assembly(const ir::ModuleRef& module) {
    const bool has_any = ir::any_node(*module, [](const ir::Node& node) { return node.kind == ir::Kind::AsmStmt; });
    return has_any ? Replacement().rewrite(module) : module;
}

} // namespace hidet::compiler::bytecode
