// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/intrinsics/mma.h"
#include "compiler/ir/intrinsics/wgmma.h"
#include "lang/base/text.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

IntrinsicGenerator::Words IntrinsicGenerator::words_of(const ir::ExprRef& pointer, int count, bool read) {
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

void IntrinsicGenerator::write_back(const Words& words) {
    for (std::size_t i = 0; !words.in_place && i < words.regs.size(); ++i)
        store_scalar(words.place, Scalar::U32, 4 * static_cast<std::int64_t>(i), 4,
                     in_register(words.regs[i], Scalar::U32));
}

// 8 x 8 matrices between registers, the first operands, and rows in shared memory, the last one.
Value IntrinsicGenerator::gen_matrices(Op op, const ir::Intrinsic& e) {
    const bool is_load = op == Op::LdMatrix;
    std::size_t count = e.args.size() - 1;
    auto order = ir::attribute<ir::MatrixOrder>(e.attr);
    std::vector<Words> registers;
    std::vector<std::int32_t> items;
    for (std::size_t i = 0; i < count; ++i) {
        registers.push_back(words_of(e.args[i], 1, !is_load));
        items.push_back(registers.back().regs[0]);
    }
    std::vector<Scalar> types(count, Scalar::U32);
    Value row = gen(e.args.back());
    if (!ir::is_pointer(e.args.back()->type))
        row = made(Op::FromShared, Scalar::U64, operand(row));
    items.push_back(v_operand(in_register(operand(row), Scalar::U64)));
    types.push_back(Scalar::U64);
    const int definitions = is_load ? static_cast<int>(count) : 0;
    std::int32_t row_index = operands_row(items, types, definitions, string(std::string(ir::word(order))));
    m_builder.emit({.op = op, .type = Scalar::U32, .x = row_index});
    for (const Words& words : registers)
        if (is_load)
            write_back(words);
    return {};
}

// The sums, in registers that the instruction may write: those of the array, or copies, which are written back.
IntrinsicGenerator::Words IntrinsicGenerator::sums_of(const ir::ExprRef& pointer, int count) {
    Words sums = words_of(pointer, count, true);
    for (std::int32_t& reg : sums.regs) {
        if (sums.in_place)
            break;
        const std::int32_t copy = m_builder.new_v(Scalar::U32, true);
        m_builder.emit({.op = Op::Move, .type = Scalar::U32, .dst = copy, .a = reg});
        reg = copy;
    }
    return sums;
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::MmaSync>, const ir::Intrinsic& e) {
    const ir::MmaShape& shape = ir::info(ir::attribute<ir::Mma>(e.attr));
    Words a = words_of(e.args.at(0), shape.a_registers(), true);
    Words b = words_of(e.args.at(1), shape.b_registers(), true);
    Words c = sums_of(e.args.at(2), shape.c_registers());
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

// `a` in registers, or null: operand 0 is its descriptor.
Value IntrinsicGenerator::gen_wgmma(const ir::Intrinsic& e, const Words* a) {
    const int columns = ir::columns_of(ir::attribute<ir::WgmmaN>(e.attr));
    const std::string_view types = ir::word(ir::attribute<ir::WgmmaTypes>(e.attr));
    Words c = sums_of(e.args.at(1), types.ends_with("_f16") ? columns / 4 : columns / 2);
    std::vector<std::int32_t> items = c.regs;
    std::vector<Scalar> scalars(c.regs.size(), Scalar::U32);
    const auto add = [&](std::int32_t item, Scalar scalar) {
        items.push_back(item);
        scalars.push_back(scalar);
    };
    if (a)
        for (std::int32_t reg : a->regs)
            add(reg, Scalar::U32);
    else
        add(arg(e, 0), Scalar::U64);
    add(arg(e, 2), Scalar::U64);
    add(operand(convert(gen(e.args.at(3)), Scalar::I32)), Scalar::I32);
    const std::string attributes = join(ir::attribute_texts(e.attr), ".");
    m_builder.emit(
        {.op = Op::Wgmma,
         .type = Scalar::U32,
         .c = (c.in_place ? 0 : artifact::wgmma_copies_sums) | (!a || a->in_place ? 0 : artifact::wgmma_copies_a),
         .x = operands_row(items, scalars, static_cast<int>(c.regs.size()), string(attributes))});
    write_back(c);
    return {};
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::WgmmaRegisters>, const ir::Intrinsic& e) {
    const Words a = words_of(e.args.at(0), 4, true);
    return gen_wgmma(e, &a);
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::WgmmaWait>, const ir::Intrinsic& e) {
    const auto pending = ir::constant_int(e.args.at(0));
    HIDET_CHECK(pending, "wgmma_wait_group of a number that is not constant");
    return gen_instruction({.op = Op::WarpGroup, .x = static_cast<std::int32_t>(*pending)});
}

} // namespace hidet::compiler::bytecode
