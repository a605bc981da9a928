// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/bytecode/generator.h"

namespace hidet::compiler::bytecode {

using ir::IntrinsicId;

template <>
Value Generator::emulate<IntrinsicId::MakeVector>(const ir::Intrinsic& e) {
    Value out{.kind = Value::Kind::Vector};
    auto dtype = ir::scalar_of(e.type);
    HIDET_CHECK(dtype && ir::is_vector(*dtype), "make_vector of no vector type");
    Scalar lane = scalar_of_dtype(ir::info(*dtype).lane);
    for (int i = 0; i < ir::info(*dtype).lanes; ++i)
        out.lanes.push_back(convert(gen(e.args.at(e.args.size() == 1 ? 0 : static_cast<std::size_t>(i))), lane));
    return out;
}

template <>
Value Generator::emulate<IntrinsicId::VectorLane>(const ir::Intrinsic& e) {
    Value vector = gen(e.args.at(0));
    auto lane = ir::constant_int(e.args.at(1));
    HIDET_CHECK(lane && !vector.lanes.empty(), "a vector's lane that is not constant");
    return vector.lanes.at(static_cast<std::size_t>(*lane));
}

// Lanes of a vector are values of their own, so a bit cast packs and unpacks them.
template <>
Value Generator::emulate<IntrinsicId::Bitcast>(const ir::Intrinsic& e) {
    Value value = gen(e.args.at(0));
    auto to = ir::scalar_of(e.type);
    if (!to)
        return in_register(operand(value), Scalar::U64);
    if (value.kind == Value::Kind::Pointer)
        value = materialise(value);
    bool from_vector = !value.lanes.empty();
    bool to_vector = ir::is_vector(*to);
    auto bits_of = [](Scalar s) { return 8 * artifact::scalar_bytes(s); };
    auto zero_extended = [&](Value v) { // narrow signed integers are extended with their sign
        if (bits_of(v.type) == 32 || bits_of(v.type) == 64)
            return v;
        return in_register(
            m_builder.emit_value(Op::Wrap, bits_of(v.type) == 8 ? Scalar::U8 : Scalar::U16, Scalar::U32, operand(v)),
            Scalar::U32);
    };
    auto scalar_bits = [&](const Value& v, Scalar type) {
        if (artifact::scalar_bytes(type) >= 4)
            return in_register(operand(v), type);
        return in_register(m_builder.emit_value(Op::Wrap, type, type, operand(v)), type);
    };
    if (!from_vector && !to_vector)
        return scalar_bits(value, scalar_of_dtype(*to));
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
                m_builder.emit_value(Op::Or, Scalar::U32, Scalar::U32, words.back(),
                                     m_builder.emit_value(Op::Shl, Scalar::U32, Scalar::U32, word,
                                                          m_builder.constant(static_cast<std::uint64_t>(filled))));
        else
            words.push_back(word);
        filled = (filled + bits) % 32;
    }
    Scalar lane = scalar_of_dtype(to_vector ? ir::info(*to).lane : *to);
    int lanes = to_vector ? ir::info(*to).lanes : 1;
    Value out{.kind = Value::Kind::Vector};
    for (int i = 0; i < lanes; ++i) {
        int at = i * bits_of(lane);
        auto word = static_cast<std::size_t>(at / 32);
        if (bits_of(lane) == 64) {
            out.lanes.push_back(in_register(
                m_builder.emit_value(Op::Pack64, Scalar::U64, Scalar::U64, words.at(word), words.at(word + 1)), lane));
            continue;
        }
        std::int32_t reg = words.at(word);
        if (at % 32)
            reg = m_builder.emit_value(Op::Shr, Scalar::U32, Scalar::U32, reg,
                                       m_builder.constant(static_cast<std::uint64_t>(at % 32)));
        out.lanes.push_back(scalar_bits(in_register(reg, Scalar::U32), lane));
    }
    return to_vector ? out : out.lanes[0];
}

} // namespace hidet::compiler::bytecode
