// SPDX-License-Identifier: Apache-2.0
// What reaches the host: text, symbols, memory; and hints.
#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/intrinsic.h"

#include "lang/base/text.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

Value IntrinsicGenerator::emulate(Of<IntrinsicId::Printf>, const ir::Intrinsic& e) {
    const auto* format = ir::as<ir::Constant>(e.args.at(0));
    const std::string* text = format ? std::get_if<std::string>(&format->value) : nullptr;
    HIDET_CHECK(text, "printf without a constant format");
    std::vector<std::int32_t> items;
    std::vector<Scalar> types;
    std::string spliced;
    std::size_t next = 1;
    // Texts are put into the format now; what is left are numbers.
    for (std::size_t i = 0; i < text->size(); ++i) {
        spliced += (*text)[i];
        if ((*text)[i] != '%')
            continue;
        if (i + 1 < text->size() && (*text)[i + 1] == '%') {
            spliced += (*text)[++i];
            continue;
        }
        std::size_t end = i + 1;
        while (end < text->size() && !std::isalpha(static_cast<unsigned char>((*text)[end])))
            ++end;
        const auto* word = next < e.args.size() ? ir::as<ir::Constant>(e.args[next]) : nullptr;
        const std::string* constant_text = word ? std::get_if<std::string>(&word->value) : nullptr;
        if (constant_text && end < text->size() && (*text)[end] == 's') {
            spliced.pop_back();
            for (char c : *constant_text)
                spliced += c == '%' ? std::string("%%") : std::string(1, c);
            i = end;
            ++next;
            continue;
        }
        if (next < e.args.size()) {
            Value value = gen(e.args[next++]);
            if (!value.lanes.empty())
                value = value.lanes[0];
            items.push_back(operand(value));
            types.push_back(value.type);
        }
    }
    std::int32_t row = operands_row(items, types, 0, string(spliced));
    return gen_instruction({.op = Op::Print, .x = row});
}

static const std::string& text_of(const ir::ExprRef& arg) {
    const auto* constant = ir::as<ir::Constant>(arg);
    const std::string* text = constant ? std::get_if<std::string>(&constant->value) : nullptr;
    HIDET_CHECK(text, "a symbol's name that is no text");
    return *text;
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::GetSymbolValue>, const ir::Intrinsic& e) {
    return symbol(text_of(e.args.at(0)), scalar_of_type(e.type));
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::SetSymbolValue>, const ir::Intrinsic& e) {
    std::int32_t value = arg(e, 1);
    return gen_instruction({.op = Op::SetSymbol, .type = Scalar::I64, .a = value, .x = string(text_of(e.args.at(0)))});
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::MemcpyAsync>, const ir::Intrinsic& e) {
    std::int32_t to = arg(e, 0), from = arg(e, 1);
    std::int32_t bytes = operand(convert(gen(e.args.at(2)), Scalar::I64));
    return gen_instruction({.op = Op::Copy, .type = Scalar::U64, .a = to, .b = from, .c = bytes});
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::RequestWorkspace>, const ir::Intrinsic& e) {
    std::int32_t bytes = operand(convert(gen(e.args.at(0)), Scalar::I64));
    int options = ir::attribute<ir::MemoryDevice>(e.attr) == ir::MemoryDevice::cpu ? 0 : 2;
    if (e.args.size() > 1)
        if (Value clean = gen(e.args[1]); clean.is_constant() && clean.integer())
            options |= 1;
    return made({.op = Op::Workspace, .type = Scalar::U64, .dst = m_builder.new_u(), .a = bytes, .x = options},
                Scalar::U64);
}

} // namespace hidet::compiler::bytecode
