// SPDX-License-Identifier: Apache-2.0
// "ld.global.b32 %0, [%1];" is `v = *p`, and "add.s32 %0, %1, %2;" is `v = a + b`. A register of PTX has no type, so an operand
// of another type of the same size is taken by its bits.
#include "compiler/codegen/bytecode/assembly.h"

#include <charconv>
#include <optional>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"
#include "lang/base/text.h"

namespace hidet::compiler::bytecode {

namespace {

using ir::DType;
using ir::ExprRef;

struct Instruction {
    std::vector<std::string> words;    // "ld", "global", "b32"
    std::vector<std::string> operands; // "%0", "[%1+4]"
};

// One instruction; nothing for several, for braces, predicates and labels.
std::optional<Instruction> read_instruction(std::string_view text) {
    text = trimmed(text);
    if (text.ends_with(';'))
        text = trimmed(text.substr(0, text.size() - 1));
    if (text.empty() || text.find_first_of(";{}@:\"") != std::string_view::npos)
        return std::nullopt;
    const std::size_t blank = text.find_first_of(" \t\n");
    Instruction out;
    out.words = split(text.substr(0, blank), '.');
    if (blank != std::string_view::npos)
        for (const std::string& operand : split(text.substr(blank), ','))
            out.operands.emplace_back(trimmed(operand));
    return out;
}

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

class Statement {
public:
    explicit Statement(const ir::AsmStmt& stmt) : m_stmt(stmt) {}

    // Null: there is no row for it.
    ir::StmtRef as_ir() const {
        const auto instruction = read_instruction(m_stmt.text);
        if (!instruction)
            return nullptr;
        const std::string& name = instruction->words.front();
        if (name == "nanosleep")
            return ir::make_seq({});
        const auto dtype = type_of_word(instruction->words.back());
        if (!dtype || instruction->operands.empty())
            return nullptr;
        if (name == "st")
            return store(*instruction, *dtype);
        const ExprRef result = name == "ld" ? load(*instruction, *dtype) : computed(*instruction, name, *dtype);
        return result ? assign(instruction->operands.front(), result) : nullptr;
    }

private:
    // %0, %1, ...: the outputs, then the inputs.
    std::optional<std::size_t> index_of(std::string_view text) const {
        std::size_t index = 0;
        if (!text.starts_with('%'))
            return std::nullopt;
        const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), index);
        const bool fits = error == std::errc() && end == text.data() + text.size() &&
                          index < m_stmt.outputs.size() + m_stmt.inputs.size();
        return fits ? std::optional(index) : std::nullopt;
    }
    ExprRef operand(std::string_view text) const {
        if (const auto index = index_of(text))
            return *index < m_stmt.outputs.size() ? m_stmt.outputs[*index]
                                                  : m_stmt.inputs[*index - m_stmt.outputs.size()];
        const bool is_hex = text.starts_with("0x");
        std::int64_t number = 0;
        const char* begin = text.data() + (is_hex ? 2 : 0);
        const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number, is_hex ? 16 : 10);
        return error == std::errc() && end == text.data() + text.size() ? ir::int_constant(number, DType::I64)
                                                                        : nullptr;
    }
    ExprRef value(const Instruction& instruction, std::size_t i, DType dtype) const {
        const ExprRef found = i < instruction.operands.size() ? operand(instruction.operands[i]) : nullptr;
        return found ? by_bits(found, dtype) : nullptr;
    }
    // [%1] and [%1+4]: a pointer to values of the type. Addresses within shared memory are numbers, which stay assembly.
    ExprRef pointer(std::string_view text, DType dtype) const {
        if (!text.starts_with('[') || !text.ends_with(']'))
            return nullptr;
        text = text.substr(1, text.size() - 2);
        const std::size_t plus = text.find('+');
        const ExprRef base = operand(trimmed(text.substr(0, plus)));
        if (!base || !ir::is_pointer(base->type))
            return nullptr;
        ExprRef out = base;
        if (plus != std::string_view::npos) {
            const ExprRef offset = operand(trimmed(text.substr(plus + 1)));
            if (!offset || !ir::constant_int(offset))
                return nullptr;
            out = ir::add(ir::make_cast(out, ir::pointer_type(ir::data_type(DType::U8))), offset);
        }
        return ir::make_cast(out, ir::pointer_type(ir::data_type(dtype)));
    }

    ExprRef load(const Instruction& instruction, DType dtype) const {
        const ExprRef from = instruction.operands.size() == 2 ? pointer(instruction.operands[1], dtype) : nullptr;
        return from ? ir::make_element(from, {ir::int_constant(0)}) : nullptr;
    }
    ir::StmtRef store(const Instruction& instruction, DType dtype) const {
        const ExprRef to = instruction.operands.size() == 2 ? pointer(instruction.operands[0], dtype) : nullptr;
        const ExprRef stored = to ? value(instruction, 1, dtype) : nullptr;
        return stored ? ir::make_store(to, {ir::int_constant(0)}, stored) : nullptr;
    }

    ExprRef computed(const Instruction& instruction, const std::string& name, DType dtype) const {
        const ExprRef a = value(instruction, 1, dtype);
        const std::size_t count = instruction.operands.size();
        if (!a || count > 4)
            return nullptr;
        if (count == 2)
            return unary(name, dtype, a);
        const bool is_shift = name == "shl" || name == "shr";
        const ExprRef b = value(instruction, 2, is_shift ? DType::U32 : dtype);
        if (!b)
            return nullptr;
        if (count == 4)
            return fused(instruction, name, dtype, a, b);
        return name == "add"                                 ? ir::add(a, b)
               : name == "sub"                               ? ir::sub(a, b)
               : name == "mul" && is_low(instruction, dtype) ? ir::mul(a, b)
               : name == "and"                               ? ir::bit_and(a, b)
               : name == "or"                                ? ir::bit_or(a, b)
               : name == "xor"                               ? ir::bit_xor(a, b)
               : name == "shl"                               ? ir::shift_left(a, b)
               : name == "shr"                               ? ir::shift_right(a, b)
               : name == "min"                               ? ir::math(ir::IntrinsicId::Min, {a, b})
               : name == "max"                               ? ir::math(ir::IntrinsicId::Max, {a, b})
                                                             : nullptr;
    }
    // Approximations are computed exactly.
    static ExprRef unary(const std::string& name, DType dtype, const ExprRef& a) {
        if (name == "mov")
            return a;
        if (name == "not")
            return ir::bit_not(a);
        if (name == "neg")
            return ir::negate(a);
        if (!ir::is_float(dtype))
            return nullptr;
        if (name == "rcp")
            return ir::div(ir::float_constant(1.0, dtype), a);
        using enum ir::IntrinsicId;
        static constexpr std::pair<std::string_view, ir::IntrinsicId> rows[] = {
            {"abs", Abs},   {"ex2", Exp2}, {"lg2", Log2}, {"rsqrt", Rsqrt},
            {"sqrt", Sqrt}, {"sin", Sin},  {"cos", Cos},  {"tanh", Tanh}};
        for (const auto& [word, id] : rows)
            if (word == name)
                return ir::math(id, {a});
        return nullptr;
    }
    ExprRef fused(const Instruction& instruction, const std::string& name, DType dtype, const ExprRef& a,
                  const ExprRef& b) const {
        const ExprRef c = value(instruction, 3, dtype);
        if (!c)
            return nullptr;
        if (name == "fma" && ir::is_float(dtype))
            return ir::math(ir::IntrinsicId::Fma, {a, b, c});
        const bool is_mad = name == "mad" && ir::is_integer(dtype) && is_low(instruction, dtype);
        return is_mad ? ir::add(ir::mul(a, b), c) : nullptr;
    }
    // Products of integers keep their low half.
    static bool is_low(const Instruction& instruction, DType dtype) {
        return ir::is_float(dtype) || (instruction.words.size() == 3 && instruction.words[1] == "lo");
    }

    ir::StmtRef assign(std::string_view output, const ExprRef& result) const {
        const auto index = index_of(output);
        if (!index || *index >= m_stmt.outputs.size())
            return nullptr;
        const ExprRef& place = m_stmt.outputs[*index];
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
};

class Replacement : public ir::Rewriter {
public:
    using ir::Rewriter::visit;

protected:
    ir::StmtRef visit(const ir::AsmStmt& stmt) override {
        ir::StmtRef plain = Statement(stmt).as_ir();
        if (!plain)
            return ir::self(stmt);
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
