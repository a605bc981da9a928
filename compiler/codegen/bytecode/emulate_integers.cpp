// SPDX-License-Identifier: Apache-2.0
// Integers as rows of bits, of operations that the machine has: 64 bits are two words of 32.
#include <array>

#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

namespace {

// Arithmetic of unsigned words in registers.
struct BitMath {
    Builder& builder;

    std::int32_t number(std::uint32_t n) { return builder.constant(n); }
    std::int32_t made(Op op, std::int32_t a, std::int32_t b) { return builder.emit_value(op, Scalar::U32, a, b); }
    std::int32_t made(Op op, std::int32_t a, std::uint32_t b) { return made(op, a, number(b)); }
    std::int32_t chosen(std::int32_t condition, std::int32_t a, std::int32_t b) {
        return builder.emit_value(Op::Select, Scalar::U32, a, b, condition);
    }
    std::int32_t is_zero(std::int32_t a) { return builder.emit_value(Op::Eq, Scalar::U32, Scalar::Bool, a, number(0)); }
    // Neighbours of `width` bits, of which the mask has the lower ones.
    std::int32_t lower(std::int32_t x, std::uint32_t mask) { return made(Op::BitAnd, x, mask); }
    std::int32_t upper(std::int32_t x, std::uint32_t width, std::uint32_t mask) {
        return lower(made(Op::Shr, x, width), mask);
    }

    std::int32_t count(std::int32_t x) {
        x = made(Op::Add, lower(x, 0x55555555u), upper(x, 1, 0x55555555u));
        x = made(Op::Add, lower(x, 0x33333333u), upper(x, 2, 0x33333333u));
        x = made(Op::Add, lower(x, 0x0F0F0F0Fu), upper(x, 4, 0x0F0F0F0Fu));
        return made(Op::Shr, made(Op::Mul, x, 0x01010101u), 24u);
    }
    std::int32_t leading_zeros(std::int32_t x) {
        for (std::uint32_t by : {1u, 2u, 4u, 8u, 16u})
            x = made(Op::BitOr, x, made(Op::Shr, x, by));
        return count(made(Op::BitXor, x, 0xFFFFFFFFu));
    }
    std::int32_t trailing_zeros(std::int32_t x) { // the ones below the lowest bit that is set
        const std::int32_t below = made(Op::BitAnd, made(Op::BitXor, x, 0xFFFFFFFFu), made(Op::Sub, x, 1u));
        return count(below);
    }
    std::int32_t reversed(std::int32_t x) {
        constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 5> steps{
            {{1, 0x55555555u}, {2, 0x33333333u}, {4, 0x0F0F0F0Fu}, {8, 0x00FF00FFu}, {16, 0x0000FFFFu}}};
        for (const auto& [width, mask] : steps)
            x = made(Op::BitOr, made(Op::Shl, lower(x, mask), width), upper(x, width, mask));
        return x;
    }
};

} // namespace

// The words of an integer of 32 or 64 bits, the lower one first.
std::vector<std::int32_t> IntrinsicGenerator::words_of_integer(const ir::Intrinsic& e) {
    const auto dtype = ir::scalar_of(e.args.at(0)->type);
    if (!dtype || !ir::is_register_integer(*dtype))
        unsupported(e, cat("'", ir::info(e.id).name, "' of other than integers of 32 and 64 bits"));
    const std::int32_t x = operand(gen(e.args[0]));
    if (ir::info(*dtype).bits == 32)
        return {x};
    const auto word = [&](int which) {
        return m_builder.emit_value(Op::Unpack64, Scalar::U64, Scalar::U32, x, no_operand, no_operand, which);
    };
    return {word(0), word(1)};
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::Popc>, const ir::Intrinsic& e) {
    BitMath math{m_builder};
    const std::vector<std::int32_t> words = words_of_integer(e);
    std::int32_t sum = math.count(words[0]);
    if (words.size() > 1)
        sum = math.made(Op::Add, sum, math.count(words[1]));
    return in_register(sum, Scalar::I32);
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::Clz>, const ir::Intrinsic& e) {
    BitMath math{m_builder};
    const std::vector<std::int32_t> words = words_of_integer(e);
    const std::int32_t zeros = math.leading_zeros(words.back());
    if (words.size() == 1)
        return in_register(zeros, Scalar::I32);
    const std::int32_t more = math.made(Op::Add, math.leading_zeros(words[0]), 32u);
    return in_register(math.chosen(math.is_zero(words[1]), more, zeros), Scalar::I32);
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::Ffs>, const ir::Intrinsic& e) {
    BitMath math{m_builder};
    const std::vector<std::int32_t> words = words_of_integer(e);
    const auto place = [&](std::int32_t word, std::uint32_t first) {
        return math.chosen(math.is_zero(word), math.number(0), math.made(Op::Add, math.trailing_zeros(word), first));
    };
    std::int32_t result = place(words.back(), words.size() > 1 ? 33 : 1);
    if (words.size() > 1)
        result = math.chosen(math.is_zero(words[0]), result, place(words[0], 1));
    return in_register(result, Scalar::I32);
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::Brev>, const ir::Intrinsic& e) {
    BitMath math{m_builder};
    const std::vector<std::int32_t> words = words_of_integer(e);
    const Scalar type = scalar_of_dtype(*ir::scalar_of(e.type));
    const std::int32_t high = math.reversed(words[0]);
    if (words.size() == 1)
        return in_register(high, type);
    const std::int32_t low = math.reversed(words[1]);
    return in_register(m_builder.emit_value(Op::Pack64, Scalar::U64, low, high), type);
}

// Shifts by 32 and more leave nothing, so that no amount needs a case of its own.
Value IntrinsicGenerator::gen_funnel_shift(const ir::Intrinsic& e, Direction direction, Amount amount) {
    BitMath math{m_builder};
    const std::int32_t low = arg(e, 0), high = arg(e, 1);
    const std::int32_t given = arg(e, 2);
    const std::int32_t by =
        amount == Amount::Wraps ? math.made(Op::BitAnd, given, 31u) : math.made(Op::Min, given, 32u);
    const std::int32_t rest = math.made(Op::Sub, math.number(32), by);
    const bool is_left = direction == Direction::Left;
    const std::int32_t from_high = math.made(Op::Shl, high, is_left ? by : rest);
    const std::int32_t from_low = math.made(Op::Shr, low, is_left ? rest : by);
    return in_register(math.made(Op::BitOr, from_high, from_low), Scalar::U32);
}

// `type`: as which the bytes are extended.
Value IntrinsicGenerator::gen_products_of_bytes(const ir::Intrinsic& e, Scalar type) {
    BitMath math{m_builder};
    const std::int32_t a = arg(e, 0), b = arg(e, 1);
    std::int32_t sum = arg(e, 2);
    const auto byte = [&](std::int32_t word, std::uint32_t shift) {
        return m_builder.emit_value(Op::Wrap, type, Scalar::U32, shift ? math.made(Op::Shr, word, shift) : word);
    };
    for (std::uint32_t shift : {0u, 8u, 16u, 24u})
        sum = math.made(Op::Add, sum, math.made(Op::Mul, byte(a, shift), byte(b, shift)));
    return in_register(sum, type == Scalar::I8 ? Scalar::I32 : Scalar::U32);
}

} // namespace hidet::compiler::bytecode
