// SPDX-License-Identifier: Apache-2.0
// Arithmetic of complex numbers, in the order and with the roundings of the prelude of generated text.
#include "compiler/codegen/bytecode/generator.h"

namespace hidet::compiler::bytecode {

using ir::BinOp;

Value ValueGenerator::chosen(const Value& condition, const Value& a, const Value& b) {
    const std::int32_t ra = operand(a), rb = operand(b);
    return made(Op::Select, a.type, ra, rb, operand(condition));
}

// Scaled by the larger part of the divisor, so that squares neither overflow nor vanish.
Value ValueGenerator::complex_quotient(const Value& a, const Value& b) {
    const auto of = [&](BinOp op, const Value& x, const Value& y) { return arithmetic_scalar(op, x, y); };
    const Value &re = b.lanes.at(0), &im = b.lanes.at(1);
    const Value zero = convert(constant(0, Scalar::I32), re.type), one = convert(constant(1, Scalar::I32), re.type);
    const auto size = [&](const Value& x) { return compute(Op::Abs, x.type, {x}); };
    const Value is_real = of(BinOp::Le, size(im), size(re));
    const Value large = chosen(is_real, re, im), small = chosen(is_real, im, re);
    const Value ratio = chosen(of(BinOp::Eq, large, zero), zero, of(BinOp::Div, small, large));
    const Value scale = of(BinOp::Div, one, of(BinOp::Add, large, of(BinOp::Mul, small, ratio)));
    const Value x = chosen(is_real, a.lanes.at(0), a.lanes.at(1)), y = chosen(is_real, a.lanes[1], a.lanes[0]);
    const Value real = of(BinOp::Mul, of(BinOp::Add, x, of(BinOp::Mul, y, ratio)), scale);
    const Value turned = of(BinOp::Mul, of(BinOp::Sub, y, of(BinOp::Mul, x, ratio)), scale);
    const Value imag = chosen(is_real, turned, gen_unary(ir::UnOp::Neg, turned));
    return {.kind = Value::Kind::Vector, .lanes = {real, imag}};
}

Value ValueGenerator::complex_arithmetic(BinOp op, const Value& a, const Value& b) {
    const auto of = [&](BinOp each, const Value& x, const Value& y) { return arithmetic_scalar(each, x, y); };
    const Value &ar = a.lanes.at(0), &ai = a.lanes.at(1), &br = b.lanes.at(0), &bi = b.lanes.at(1);
    switch (op) {
    case BinOp::Mul:
        return {.kind = Value::Kind::Vector,
                .lanes = {of(BinOp::Sub, of(BinOp::Mul, ar, br), of(BinOp::Mul, ai, bi)),
                          of(BinOp::Add, of(BinOp::Mul, ar, bi), of(BinOp::Mul, ai, br))}};
    case BinOp::Div: return complex_quotient(a, b);
    case BinOp::Eq: return of(BinOp::BitAnd, of(BinOp::Eq, ar, br), of(BinOp::Eq, ai, bi));
    case BinOp::Ne: return of(BinOp::BitOr, of(BinOp::Ne, ar, br), of(BinOp::Ne, ai, bi));
    default: return arithmetic(op, a, b);
    }
}

} // namespace hidet::compiler::bytecode
