// SPDX-License-Identifier: Apache-2.0
// Types of scalars, operators on values, and conversions. Narrow types are computed in wider ones and converted back.
#include <bit>
#include <functional>

#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/fold.h"
#include "compiler/ir/packing.h"

namespace hidet::compiler::bytecode {

using ir::BinOp;
using ir::DType;

Scalar scalar_of_dtype(DType dtype) {
    switch (dtype) {
    case DType::Bool: return Scalar::Bool;
    case DType::I8: return Scalar::I8;
    case DType::I16: return Scalar::I16;
    case DType::I32: return Scalar::I32;
    case DType::I64: return Scalar::I64;
    case DType::U8: return Scalar::U8;
    case DType::U16: return Scalar::U16;
    case DType::U32: return Scalar::U32;
    case DType::U64: return Scalar::U64;
    case DType::F8E4M3: return Scalar::F8E4M3;
    case DType::F8E5M2: return Scalar::F8E5M2;
    case DType::F16: return Scalar::F16;
    case DType::BF16: return Scalar::BF16;
    case DType::TF32: return Scalar::TF32;
    case DType::F32: return Scalar::F32;
    case DType::F64: return Scalar::F64;
    default: break;
    }
    if (ir::is_subbyte(dtype))
        return scalar_of_dtype(ir::carrier_of(dtype));
    internal_failure(__FILE__, __LINE__, "scalar type", std::string("no scalar for ") + ir::info(dtype).name);
}

Scalar scalar_of_type(const ir::TypeRef& type) {
    if (auto dtype = ir::scalar_of(type))
        return scalar_of_dtype(*dtype);
    return Scalar::U64;
}

Scalar compute_type(Scalar scalar) {
    switch (scalar) {
    case Scalar::Bool:
    case Scalar::I8:
    case Scalar::I16:
    case Scalar::U8:
    case Scalar::U16: return Scalar::I32;
    case Scalar::F8E4M3:
    case Scalar::F8E5M2:
    case Scalar::F16:
    case Scalar::BF16:
    case Scalar::TF32: return Scalar::F32;
    default: return scalar;
    }
}

// Of integers.
static DType dtype_of(Scalar scalar) {
    for (DType dtype : {DType::Bool, DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32})
        if (scalar_of_dtype(dtype) == scalar)
            return dtype;
    return DType::U64;
}

static Op op_of(ScalarOp op) {
    switch (op) {
// clang-format off
#define HIDET_SCALAR_OP(Name, ...) case ScalarOp::Name: return Op::Name;
// clang-format on
#include "lang/base/scalar_ops.def"
    }
    return Op::Add;
}

Value ValueGenerator::widened(const Value& value) {
    Scalar type = compute_type(value.type);
    if (type == value.type)
        return value;
    if (!is_real(type)) {
        Value same = value;
        same.type = type;
        return same;
    }
    return in_register(m_builder.converted(operand(value), value.type, type), type);
}

Value ValueGenerator::narrowed(const Value& value, Scalar type) {
    if (value.type == type)
        return value;
    if (value.is_constant() && !is_real(type))
        return constant(artifact::wrapped(type, value.integer()), type);
    if (is_real(type))
        return in_register(m_builder.converted(operand(value), value.type, type), type);
    return made(Op::Wrap, type, operand(value));
}

Value ValueGenerator::compute(Op op, Scalar type, const std::vector<Value>& args) {
    Scalar computed = compute_type(type);
    std::int32_t operands[3] = {no_operand, no_operand, no_operand};
    for (std::size_t i = 0; i < args.size(); ++i)
        operands[i] = operand(widened(args[i]));
    bool is_bool = (op >= Op::Lt && op <= Op::Ne) || op == Op::IsFinite || op == Op::IsInf || op == Op::IsNan;
    Scalar result = is_bool ? Scalar::Bool : computed;
    Value value = made(op, computed, result, operands[0], operands[1], operands[2]);
    return is_bool ? value : narrowed(value, type);
}

Value ValueGenerator::lane_wise(const Value& a, const Value& b,
                                const std::function<Value(const Value&, const Value&)>& f) {
    Value out{.kind = Value::Kind::Vector};
    std::size_t lanes = std::max(a.lanes.size(), b.lanes.size());
    for (std::size_t i = 0; i < lanes; ++i)
        out.lanes.push_back(f(a.lanes.empty() ? a : a.lanes[i], b.lanes.empty() ? b : b.lanes[i]));
    return out;
}

Value ValueGenerator::arithmetic(BinOp op, const Value& a, const Value& b) {
    if (!a.lanes.empty() || !b.lanes.empty())
        return lane_wise(a, b, [&](const Value& x, const Value& y) { return arithmetic_scalar(op, x, y); });
    return arithmetic_scalar(op, a, b);
}

Value ValueGenerator::arithmetic_scalar(BinOp op, const Value& a, const Value& b) {
    Scalar type = a.type;
    bool integer = !is_real(type);
    if (integer && a.is_constant() && b.is_constant())
        if (auto folded = ir::fold_values(ir::scalar_op(op), dtype_of(type), {.i = a.integer()}, {.i = b.integer()}))
            return constant(folded->i, ir::is_comparison(op) ? Scalar::Bool : type);
    if (integer && b.is_constant()) {
        std::int64_t n = b.integer();
        bool keeps = (n == 0 && (op == BinOp::Add || op == BinOp::Sub || op == BinOp::Shl || op == BinOp::Shr)) ||
                     (n == 1 && (op == BinOp::Mul || op == BinOp::Div || op == BinOp::FloorDiv));
        if (keeps)
            return a;
        if ((n == 0 && op == BinOp::Mul) || (n == 1 && (op == BinOp::FloorMod || op == BinOp::Mod)))
            return constant(0, type);
        bool power = n > 0 && (n & (n - 1)) == 0;
        if (power && (op == BinOp::FloorDiv || op == BinOp::FloorMod) && type != Scalar::Bool) {
            bool div = op == BinOp::FloorDiv;
            std::int64_t other = div ? std::countr_zero(static_cast<std::uint64_t>(n)) : n - 1;
            return compute(div ? Op::Shr : Op::BitAnd, type, {a, constant(other, type)});
        }
    }
    if (integer && a.is_constant() && a.integer() == 0 && op == BinOp::Add)
        return b;
    if (integer && a.is_constant() && a.integer() == 1 && op == BinOp::Mul)
        return b;
    Op code = op_of(ir::scalar_op(op));
    if (type == Scalar::U8 || type == Scalar::U16 || type == Scalar::U32 || type == Scalar::U64) {
        if (op == BinOp::FloorDiv)
            code = Op::Div;
        if (op == BinOp::FloorMod)
            code = Op::Mod;
    }
    bool divides = code == Op::Div || code == Op::Mod || code == Op::FloorDiv || code == Op::FloorMod;
    Value shift = b;
    if ((op == BinOp::Shl || op == BinOp::Shr) && compute_type(b.type) != compute_type(type))
        shift = convert(b, compute_type(type)); // the operands of shifts may differ in type
    Value value = compute(code, type, {a, shift});
    if (integer && divides && b.is_constant() && b.integer() != 0)
        for (auto it = m_builder.items.rbegin(); it != m_builder.items.rend(); ++it)
            if (it->instr.op == code) {
                it->instr.flags |= artifact::flag_safe;
                break;
            }
    return value;
}

Value ValueGenerator::gen_unary(ir::UnOp op, const Value& a) {
    if (!a.lanes.empty())
        return lane_wise(a, a, [&](const Value& x, const Value&) { return gen_unary(op, x); });
    if (a.is_constant() && !is_real(a.type)) {
        const ir::ScalarValue value = ir::apply(ir::scalar_op(op), dtype_of(a.type), {.i = a.integer()});
        return constant(value.i, op == ir::UnOp::Not ? Scalar::Bool : a.type);
    }
    if (op == ir::UnOp::Not)
        return made(Op::Not, Scalar::Bool, operand(a));
    return compute(op_of(ir::scalar_op(op)), a.type, {a});
}

Value ValueGenerator::convert(const Value& value, Scalar to) {
    Scalar from = value.type;
    if (from == to)
        return value;
    if (value.is_constant() && !is_real(from) && !is_real(to))
        return constant(artifact::wrapped(to, value.integer()), to);
    if (to == Scalar::Bool) {
        Value wide = widened(value);
        return compute(Op::Ne, wide.type, {wide, constant(0, wide.type)});
    }
    Scalar wide_to = compute_type(to);
    bool short_float_from = is_real(from) && is_narrow(from);
    Value wide = short_float_from || !is_real(from) ? widened(value) : value;
    if (!is_real(to) || wide_to == to) {
        if (wide.type != wide_to)
            wide = in_register(m_builder.converted(operand(wide), wide.type, wide_to), wide_to);
        return narrowed(wide, to);
    }
    // A short float: from a float or a double directly, so that it is rounded once.
    if (!is_real(wide.type))
        wide = in_register(m_builder.converted(operand(wide), wide.type, Scalar::F64), Scalar::F64);
    return narrowed(wide, to);
}

Value ValueGenerator::gen_cast(const Value& value, const ir::TypeRef& from, const ir::TypeRef& to) {
    bool pointer_from = ir::is_address(from);
    bool pointer_to = ir::is_pointer(to);
    if (pointer_from && pointer_to)
        return value;
    if (pointer_from)
        return convert(in_register(operand(value), Scalar::U64), scalar_of_type(to));
    if (pointer_to)
        return in_register(operand(convert(value, Scalar::U64)), Scalar::U64);
    auto dtype = ir::scalar_of(to);
    if (!dtype)
        return value;
    if (ir::has_lanes(*dtype)) {
        const DType lane = ir::info(*dtype).lane;
        Value lanes{.kind = Value::Kind::Vector};
        for (std::size_t i = 0; i < static_cast<std::size_t>(ir::lanes_of(*dtype)); ++i) {
            const bool is_missing = value.lanes.empty() && ir::is_complex(*dtype) && i == 1; // no imaginary part
            lanes.lanes.push_back(is_missing            ? constant(0, scalar_of_dtype(lane))
                                  : value.lanes.empty() ? convert_to(value, lane)
                                                        : convert_to(value.lanes.at(i), lane));
        }
        return lanes;
    }
    return convert_to(value.lanes.empty() ? value : value.lanes[0], *dtype);
}

} // namespace hidet::compiler::bytecode
