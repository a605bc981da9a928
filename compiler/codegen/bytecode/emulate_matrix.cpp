// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/mma.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

Generator::Words Generator::words_of(const ir::ExprRef& pointer, int count, bool read) {
    Words words;
    words.place = *place_of_pointer(pointer);
    std::vector<LocalElement> elements;
    for (int i = 0; i < count; ++i) {
        auto element = local_element(words.place, Scalar::U32, 4 * i);
        if (element && !element->packed_part)
            words.regs.push_back(element->reg);
    }
    words.in_place = static_cast<int>(words.regs.size()) == count;
    if (words.in_place)
        return words;
    words.regs.clear();
    for (int i = 0; i < count; ++i) {
        if (read)
            words.regs.push_back(v_operand(load_scalar(words.place, Scalar::U32, 4 * i, 4)));
        else
            words.regs.push_back(m_builder.new_v(Scalar::U32, true));
    }
    return words;
}

void Generator::write_back(const Words& words) {
    for (std::size_t i = 0; !words.in_place && i < words.regs.size(); ++i)
        store_scalar(words.place, Scalar::U32, 4 * static_cast<std::int64_t>(i), 4,
                     in_register(words.regs[i], Scalar::U32));
}

template <>
Value Generator::emulate<IntrinsicId::LdMatrix>(const ir::Intrinsic& e) {
    std::size_t count = e.args.size() - 1;
    auto order = ir::attribute<ir::MatrixOrder>(e.attr);
    std::vector<Words> outputs;
    std::vector<std::int32_t> items;
    for (std::size_t i = 0; i < count; ++i) {
        outputs.push_back(words_of(e.args[i], 1, false));
        items.push_back(outputs.back().regs[0]);
    }
    std::vector<Scalar> types(count, Scalar::U32);
    Value row = gen(e.args.back());
    if (!ir::is_pointer(e.args.back()->type))
        row = in_register(m_builder.emit_value(Op::FromShared, Scalar::U64, Scalar::U64, operand(row)), Scalar::U64);
    items.push_back(v_operand(in_register(operand(row), Scalar::U64)));
    types.push_back(Scalar::U64);
    std::int32_t row_index = operands_row(items, types, static_cast<int>(count), string(std::string(ir::word(order))));
    m_builder.emit({.op = Op::LdMatrix, .type = Scalar::U32, .x = row_index});
    for (const Words& words : outputs)
        write_back(words);
    return {};
}

template <>
Value Generator::emulate<IntrinsicId::MmaSync>(const ir::Intrinsic& e) {
    const ir::MmaShape& shape = ir::info(ir::attribute<ir::Mma>(e.attr));
    Words a = words_of(e.args.at(0), shape.a_registers(), true);
    Words b = words_of(e.args.at(1), shape.b_registers(), true);
    Words c = words_of(e.args.at(2), shape.c_registers(), true);
    if (!c.in_place)
        for (std::int32_t& reg : c.regs) {
            std::int32_t copy = m_builder.new_v(Scalar::U32, true);
            m_builder.emit({.op = Op::Move, .type = Scalar::U32, .dst = copy, .a = reg});
            reg = copy;
        }
    std::vector<std::int32_t> items = c.regs;
    items.insert(items.end(), a.regs.begin(), a.regs.end());
    items.insert(items.end(), b.regs.begin(), b.regs.end());
    std::vector<Scalar> types(items.size(), Scalar::U32);
    int definitions = static_cast<int>(c.regs.size());
    std::int32_t row = operands_row(items, types, definitions, string(shape.name));
    m_builder.emit({.op = Op::Mma, .type = Scalar::U32, .x = row});
    write_back(c);
    return {};
}

} // namespace hidet::compiler::bytecode
