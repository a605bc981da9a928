// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/packing.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

Value IntrinsicGenerator::emulate(Of<IntrinsicId::MakeVector>, const ir::Intrinsic& e) {
    Value out{.kind = Value::Kind::Vector};
    auto dtype = ir::scalar_of(e.type);
    HIDET_CHECK(dtype && ir::has_lanes(*dtype), "make_vector of no vector type");
    const ir::DType lane = ir::info(*dtype).lane;
    for (int i = 0; i < ir::lanes_of(*dtype); ++i)
        out.lanes.push_back(convert_to(gen(e.args.at(e.args.size() == 1 ? 0 : static_cast<std::size_t>(i))), lane));
    return out;
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::VectorLane>, const ir::Intrinsic& e) {
    Value vector = gen(e.args.at(0));
    auto lane = ir::constant_int(e.args.at(1));
    HIDET_CHECK(lane && !vector.lanes.empty(), "a vector's lane that is not constant");
    return vector.lanes.at(static_cast<std::size_t>(*lane));
}

Value IntrinsicGenerator::emulate(Of<IntrinsicId::StoreBits>, const ir::Intrinsic& e) {
    const Value shift = gen(e.args.at(1)), value = gen(e.args.at(2));
    const auto bits = ir::constant_int(e.args.at(3));
    HIDET_CHECK(bits, "bits that are not constant");
    store_bits(*place_of_pointer(e.args[0]), value.type, shift, static_cast<int>(*bits), value);
    return {};
}

// Lanes of a vector are values of their own, so a bit cast packs and unpacks them.
Value IntrinsicGenerator::emulate(Of<IntrinsicId::Bitcast>, const ir::Intrinsic& e) {
    Value value = gen(e.args.at(0));
    auto to = ir::scalar_of(e.type);
    if (!to)
        return in_register(operand(value), Scalar::U64);
    if (value.kind == Value::Kind::Pointer)
        value = materialise(value);
    if (const auto from = ir::scalar_of(e.args[0]->type); from && is_packed_vector(*from))
        value = word_of_lanes(value, *from);
    if (is_packed_vector(*to))
        return lanes_of_word(bits_as(value, ir::bytes_of(*to) == 1 ? ir::DType::U8 : ir::DType::U32), *to);
    return bits_as(value, *to);
}

// Between types of whole bytes.
Value ValueGenerator::bits_as(const Value& value, ir::DType to) {
    bool from_vector = !value.lanes.empty();
    bool to_vector = ir::has_lanes(to);
    auto bits_of = [](Scalar s) { return 8 * artifact::scalar_bytes(s); };
    auto zero_extended = [&](Value v) { // narrow signed integers are extended with their sign
        if (bits_of(v.type) == 32 || bits_of(v.type) == 64)
            return v;
        return made(Op::Wrap, bits_of(v.type) == 8 ? Scalar::U8 : Scalar::U16, Scalar::U32, operand(v));
    };
    auto scalar_bits = [&](const Value& v, Scalar type) {
        if (artifact::scalar_bytes(type) >= 4)
            return in_register(operand(v), type);
        return made(Op::Wrap, type, operand(v));
    };
    if (!from_vector && !to_vector)
        return scalar_bits(value, scalar_of_dtype(to));
    // The words of the value, then the parts of the result.
    std::vector<std::int32_t> words;
    std::vector<Value> parts = from_vector ? value.lanes : std::vector<Value>{value};
    int filled = 0;
    for (const Value& part : parts) {
        int bits = bits_of(part.type);
        if (bits == 64) {
            for (int w = 0; w < 2; ++w)
                words.push_back(m_builder.emit_value(Op::Unpack64, Scalar::U64, Scalar::U32, operand(part), no_operand,
                                                     no_operand, w));
            continue;
        }
        std::int32_t word = operand(zero_extended(part));
        if (filled)
            words.back() =
                m_builder.emit_value(Op::BitOr, Scalar::U32, words.back(),
                                     m_builder.emit_value(Op::Shl, Scalar::U32, word, m_builder.constant(filled)));
        else
            words.push_back(word);
        filled = (filled + bits) % 32;
    }
    Scalar lane = scalar_of_dtype(to_vector ? ir::info(to).lane : to);
    int lanes = to_vector ? ir::lanes_of(to) : 1;
    Value out{.kind = Value::Kind::Vector};
    for (int i = 0; i < lanes; ++i) {
        int at = i * bits_of(lane);
        auto word = static_cast<std::size_t>(at / 32);
        if (bits_of(lane) == 64) {
            out.lanes.push_back(
                in_register(m_builder.emit_value(Op::Pack64, Scalar::U64, words.at(word), words.at(word + 1)), lane));
            continue;
        }
        std::int32_t reg = words.at(word);
        if (at % 32)
            reg = m_builder.emit_value(Op::Shr, Scalar::U32, reg, m_builder.constant(at % 32));
        out.lanes.push_back(scalar_bits(in_register(reg, Scalar::U32), lane));
    }
    return to_vector ? out : out.lanes[0];
}

namespace {

// Arithmetic of 32 bits on registers.
struct WordMath {
    Builder& builder;

    std::int32_t number(std::uint32_t n) { return builder.constant(n); }
    std::int32_t made(Op op, std::int32_t a, std::int32_t b) { return builder.emit_value(op, Scalar::U32, a, b); }
    std::int32_t inverted(std::int32_t a) { return made(Op::BitXor, a, number(0xFFFFFFFFu)); }

    // The number of the byte that becomes byte i, with the bit 8 where all of it is to be the byte's sign.
    std::int32_t choice(ir::BytePermutation mode, std::int32_t c, std::uint32_t i) {
        std::int32_t first = made(Op::BitAnd, c, number(3));
        switch (mode) {
        case ir::BytePermutation::none: return made(Op::BitAnd, made(Op::Shr, c, number(4 * i)), number(15));
        case ir::BytePermutation::f4e: return made(Op::Add, first, number(i));
        case ir::BytePermutation::b4e: return made(Op::BitAnd, made(Op::Sub, first, number(i)), number(7));
        case ir::BytePermutation::rc8: return first;
        case ir::BytePermutation::ecl: return made(Op::Max, first, number(i));
        case ir::BytePermutation::ecr: return made(Op::Min, first, number(i));
        case ir::BytePermutation::rc16:
            return made(Op::Add, made(Op::Shl, made(Op::BitAnd, c, number(1)), number(1)), number(i & 1));
        }
        return first;
    }

    // Byte `choice` of the eight in two words.
    std::int32_t byte(std::int32_t low, std::int32_t high, std::int32_t choice) {
        std::int32_t word = made(Op::Shr, made(Op::BitAnd, choice, number(7)), number(2)); // 0 or 1
        std::int32_t mask = made(Op::Sub, number(0), word);
        std::int32_t chosen = made(Op::BitOr, made(Op::BitAnd, low, inverted(mask)), made(Op::BitAnd, high, mask));
        std::int32_t shift = made(Op::Shl, made(Op::BitAnd, choice, number(3)), number(3));
        std::int32_t value = made(Op::BitAnd, made(Op::Shr, chosen, shift), number(0xFF));
        std::int32_t sign = made(Op::Mul, made(Op::Shr, value, number(7)), number(0xFF));
        std::int32_t is_sign = made(Op::Sub, number(0), made(Op::Shr, choice, number(3)));
        return made(Op::BitOr, made(Op::BitAnd, value, inverted(is_sign)), made(Op::BitAnd, sign, is_sign));
    }
};

} // namespace

Value IntrinsicGenerator::emulate(Of<IntrinsicId::Prmt>, const ir::Intrinsic& e) {
    Words d = words_of(e.args.at(0), 1, false);
    std::int32_t a = arg(e, 1), b = arg(e, 2), c = arg(e, 3);
    WordMath math{m_builder};
    std::int32_t result = math.number(0);
    for (std::uint32_t i = 0; i < 4; ++i) {
        std::int32_t choice = math.choice(ir::attribute<ir::BytePermutation>(e.attr), c, i);
        result = math.made(Op::BitOr, result, math.made(Op::Shl, math.byte(a, b, choice), math.number(8 * i)));
    }
    m_builder.emit({.op = Op::Move, .type = Scalar::U32, .dst = d.regs[0], .a = result});
    write_back(d);
    return {};
}

// Two numbers of 16 bits in a word. They are computed in f64, which holds every product and sum before it is rounded.
Value IntrinsicGenerator::gen_packed(const ir::Intrinsic& e, Scalar lane, Op op) {
    Words d = words_of(e.args.at(0), 1, false);
    std::vector<std::int32_t> words;
    for (std::size_t i = 1; i < e.args.size(); ++i)
        words.push_back(operand(gen(e.args[i])));
    WordMath math{m_builder};
    std::int32_t result = math.number(0);
    for (std::uint32_t shift : {0u, 16u}) {
        std::vector<Value> values;
        for (std::int32_t word : words) {
            const std::int32_t part = math.made(Op::Shr, word, math.number(shift));
            const Value half = made(Op::Wrap, lane, part);
            values.push_back(convert(half, Scalar::F64));
        }
        const std::int32_t rounded = operand(convert(compute(op, Scalar::F64, values), lane));
        const std::int32_t bits = m_builder.emit_value(Op::Wrap, Scalar::U16, Scalar::U32, rounded);
        result = math.made(Op::BitOr, result, math.made(Op::Shl, bits, math.number(shift)));
    }
    m_builder.emit({.op = Op::Move, .type = Scalar::U32, .dst = d.regs[0], .a = result});
    write_back(d);
    return {};
}

// The sum of the products that the bits of the table name.
Value IntrinsicGenerator::emulate(Of<IntrinsicId::Lop3>, const ir::Intrinsic& e) {
    Words d = words_of(e.args.at(0), 1, false);
    std::int32_t a = arg(e, 1), b = arg(e, 2), c = arg(e, 3);
    std::int64_t table = *ir::constant_int(e.args.at(4));
    WordMath math{m_builder};
    std::int32_t result = math.number(0);
    for (int bits = 0; bits < 8; ++bits) {
        if ((table >> bits & 1) == 0)
            continue;
        std::int32_t x = bits & 4 ? a : math.inverted(a), y = bits & 2 ? b : math.inverted(b);
        std::int32_t product = math.made(Op::BitAnd, math.made(Op::BitAnd, x, y), bits & 1 ? c : math.inverted(c));
        result = math.made(Op::BitOr, result, product);
    }
    m_builder.emit({.op = Op::Move, .type = Scalar::U32, .dst = d.regs[0], .a = result});
    write_back(d);
    return {};
}

} // namespace hidet::compiler::bytecode
