// SPDX-License-Identifier: Apache-2.0
// What reaches the host: text, symbols, memory; and hints.
#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/intrinsic.h"

#include "lang/base/print_format.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

static const std::string& text_of(const ir::ExprRef& arg) {
    const auto* constant = ir::as<ir::Constant>(arg);
    const std::string* text = constant ? std::get_if<std::string>(&constant->value) : nullptr;
    HIDET_CHECK(text, "a format or a name that is no text");
    return *text;
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::Printf>, const ir::Intrinsic& e) {
    std::string format = text_of(e.args.at(0));
    std::vector<std::int32_t> items;
    std::vector<Scalar> types;
    std::size_t next = 1;
    auto take = [&](Value value) {
        if (!value.lanes.empty())
            value = value.lanes[0];
        items.push_back(operand(value));
        types.push_back(value.type);
    };
    for (const PrintConversion& one : print_conversions(format)) {
        if (one.letter == 0)
            continue;
        if (e.args.size() - next < one.stars() + 1)
            break;
        for (std::size_t star = 0; star < one.stars(); ++star)
            take(convert(gen(e.args[next++]), Scalar::I32));
        const ir::ExprRef& value = e.args[next++];
        const auto* word = ir::as<ir::Constant>(value);
        const std::string* text = word ? std::get_if<std::string>(&word->value) : nullptr;
        if ((one.letter == 's') != (text != nullptr)) // a conversion that does not fit shows the value as it is
            format[one.end - 1] = text ? 's' : 'd';
        take(text ? constant(string(*text), Scalar::U64) : gen(value));
    }
    std::int32_t row = operands_row(items, types, 0, string(format));
    return gen_instruction({.op = Op::Print, .x = row});
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
