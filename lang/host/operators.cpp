// SPDX-License-Identifier: Apache-2.0
// Unary and binary operators, numbers first.
#include "lang/host/operators.h"

#include <cmath>
#include <limits>

#include "lang/base/whole.h"
#include "lang/host/interpreter.h"
#include "lang/host/ir_operations.h"
#include "lang/host/tensors/tensor_ops.h"
#include "lang/host/typing.h"

namespace hidet::lang {

using ast::BinaryOp;

// On whole numbers (lang/base/scalar.h).
static std::int64_t whole_binary(ScalarOp op, std::int64_t a, std::int64_t b, const char* sign, Span span) {
    const auto result = whole(op, a, b);
    if (!result)
        fail(DiagId::IntegerOverflow, span, cat(a, " ", sign, " ", b));
    return *result;
}

std::int64_t floor_div(std::int64_t a, std::int64_t b, Span span) {
    if (b == 0)
        fail(DiagId::DivisionByZero, span, "integer division or modulo");
    return whole_binary(ScalarOp::FloorDiv, a, b, "//", span);
}

std::int64_t floor_mod(std::int64_t a, std::int64_t b, Span span) {
    if (b == 0)
        fail(DiagId::DivisionByZero, span, "integer division or modulo");
    return whole_binary(ScalarOp::FloorMod, a, b, "%", span);
}

double floor_mod(double a, double b, Span span) {
    if (b == 0)
        fail(DiagId::DivisionByZero, span, "float modulo");
    return scalar::FloorModOp::apply(a, b);
}

Value int_power(std::int64_t base, std::int64_t exponent, Span span) {
    if (exponent < 0) {
        if (base == 0)
            fail(DiagId::DivisionByZero, span, "0.0 to a negative power: division");
        return Value::real(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
    }
    std::int64_t result = 1, factor = base;
    for (std::int64_t e = exponent; e > 0; e >>= 1) {
        if ((e & 1) && __builtin_mul_overflow(result, factor, &result))
            fail(DiagId::IntegerOverflow, span, cat(base, " ** ", exponent));
        if (e > 1 && __builtin_mul_overflow(factor, factor, &factor))
            fail(DiagId::IntegerOverflow, span, cat(base, " ** ", exponent));
    }
    return Value::integer(result);
}

static Value int_binary(BinaryOp op, std::int64_t a, std::int64_t b, Span span) {
    const auto simple = [&](ScalarOp scalar_op) {
        return Value::integer(whole_binary(scalar_op, a, b, ast::spelling(op), span));
    };
    const auto shifted = [&](ScalarOp scalar_op) {
        if (b < 0)
            fail(DiagId::BadValue, span, "negative shift count");
        return simple(scalar_op);
    };
    switch (op) {
    case BinaryOp::Add: return simple(ScalarOp::Add);
    case BinaryOp::Sub: return simple(ScalarOp::Sub);
    case BinaryOp::Mul: return simple(ScalarOp::Mul);
    case BinaryOp::Div:
        if (b == 0)
            fail(DiagId::DivisionByZero, span, "division");
        return Value::real(static_cast<double>(a) / static_cast<double>(b));
    case BinaryOp::FloorDiv: return Value::integer(floor_div(a, b, span));
    case BinaryOp::Mod: return Value::integer(floor_mod(a, b, span));
    case BinaryOp::Pow: return int_power(a, b, span);
    case BinaryOp::Shl: return shifted(ScalarOp::Shl);
    case BinaryOp::Shr: return shifted(ScalarOp::Shr);
    case BinaryOp::BitAnd: return simple(ScalarOp::BitAnd);
    case BinaryOp::BitOr: return simple(ScalarOp::BitOr);
    case BinaryOp::BitXor: return simple(ScalarOp::BitXor);
    case BinaryOp::MatMul: break;
    }
    fail(DiagId::UnsupportedOperand, span, "@", "int", "int");
}

static std::optional<Value> float_binary(BinaryOp op, double a, double b, Span span) {
    switch (op) {
    case BinaryOp::Add: return Value::real(a + b);
    case BinaryOp::Sub: return Value::real(a - b);
    case BinaryOp::Mul: return Value::real(a * b);
    case BinaryOp::Div:
        if (b == 0)
            fail(DiagId::DivisionByZero, span, "float division");
        return Value::real(a / b);
    case BinaryOp::FloorDiv:
        if (b == 0)
            fail(DiagId::DivisionByZero, span, "float floor division");
        return Value::real(scalar::FloorDivOp::apply(a, b));
    case BinaryOp::Mod: return Value::real(floor_mod(a, b, span));
    case BinaryOp::Pow:
        if (a == 0 && b < 0)
            fail(DiagId::DivisionByZero, span, "0.0 to a negative power: division");
        if (a < 0 && b != std::floor(b))
            fail(DiagId::UnsupportedSyntax, span, "a complex number, the result of this power,");
        {
            double result = std::pow(a, b);
            if (std::isinf(result) && !std::isinf(a) && !std::isinf(b))
                throw HostError(
                    Diagnostic::make(DiagId::IntegerOverflow, span, cat(python_float(a), " ** ", python_float(b))), {});
            return Value::real(result);
        }
    default: return std::nullopt;
    }
}

// ---- sequences and sets -------------------------------------------------------------------------------------------

static Value repeat(Evaluator& evaluator, const Value& sequence, std::int64_t times, Span span) {
    auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(times, 0));
    bool is_str = sequence.is(ValueKind::Str);
    std::uint64_t size = is_str ? sequence.as_str().size() : sequence.items().size();
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(size * (is_str ? 1 : sizeof(Value)), count, &bytes))
        bytes = std::numeric_limits<std::uint64_t>::max();
    evaluator.impl().check_bytes(bytes, span); // before the memory is taken
    if (is_str) {
        std::string out;
        out.reserve(bytes);
        if (bytes > 0)
            out = sequence.as_str();
        while (out.size() < bytes)
            out.append(out, 0, std::min(out.size(), bytes - out.size()));
        return evaluator.new_str(std::move(out));
    }
    evaluator.impl().charge_items(size * count, span);
    std::vector<Value> items;
    items.reserve(size * count);
    for (std::uint64_t i = 0; size > 0 && i < count; ++i)
        items.insert(items.end(), sequence.items().begin(), sequence.items().end());
    return evaluator.impl().new_sequence(sequence.kind(), std::move(items));
}

static Value concatenate(Evaluator& evaluator, const Value& a, const Value& b, Span span) {
    std::vector<Value> items;
    evaluator.impl().check_bytes((a.items().size() + b.items().size()) * sizeof(Value), span);
    evaluator.impl().charge_items(a.items().size() + b.items().size(), span);
    items.reserve(a.items().size() + b.items().size());
    items = a.items();
    items.insert(items.end(), b.items().begin(), b.items().end());
    return evaluator.impl().new_sequence(a.kind(), std::move(items));
}

static std::optional<Value> set_binary(Evaluator& evaluator, BinaryOp op, const Value& a, const Value& b, Span span) {
    ValueTable& left = as_set(a).table;
    ValueTable& right = as_set(b).table;
    Value out = evaluator.impl().new_set();
    ValueTable& table = as_set(out).table;
    as_set(out).frozen = as_set(a).frozen;
    auto take = [&](ValueTable& from, ValueTable* other, bool wanted) {
        for (std::size_t i = 0; i < from.entries().size(); ++i) { // which the __eq__ of a script may change
            ValueTable::Entry entry = from.entries()[i];
            if (!entry.alive || (other && (other->find(evaluator, entry.key, span) != nullptr) != wanted))
                continue;
            table.set(evaluator, entry.key, Value(), span);
        }
    };
    switch (op) {
    case BinaryOp::BitOr:
        take(left, nullptr, true);
        take(right, nullptr, true);
        return out;
    case BinaryOp::BitAnd: take(left, &right, true); return out;
    case BinaryOp::Sub: take(left, &right, false); return out;
    case BinaryOp::BitXor:
        take(left, &right, false);
        take(right, &left, false);
        return out;
    default: return std::nullopt;
    }
}

// ---- user classes -------------------------------------------------------------------------------------------------

struct OperatorNames {
    const char* plain;
    const char* reflected;
    const char* in_place;
};
static OperatorNames names_of(BinaryOp op) {
    switch (op) {
    case BinaryOp::Add: return {"__add__", "__radd__", "__iadd__"};
    case BinaryOp::Sub: return {"__sub__", "__rsub__", "__isub__"};
    case BinaryOp::Mul: return {"__mul__", "__rmul__", "__imul__"};
    case BinaryOp::Div: return {"__truediv__", "__rtruediv__", "__itruediv__"};
    case BinaryOp::FloorDiv: return {"__floordiv__", "__rfloordiv__", "__ifloordiv__"};
    case BinaryOp::Mod: return {"__mod__", "__rmod__", "__imod__"};
    case BinaryOp::Pow: return {"__pow__", "__rpow__", "__ipow__"};
    case BinaryOp::MatMul: return {"__matmul__", "__rmatmul__", "__imatmul__"};
    case BinaryOp::Shl: return {"__lshift__", "__rlshift__", "__ilshift__"};
    case BinaryOp::Shr: return {"__rshift__", "__rrshift__", "__irshift__"};
    case BinaryOp::BitAnd: return {"__and__", "__rand__", "__iand__"};
    case BinaryOp::BitOr: return {"__or__", "__ror__", "__ior__"};
    case BinaryOp::BitXor: return {"__xor__", "__rxor__", "__ixor__"};
    }
    return {"", "", ""};
}

bool is_not_implemented(const Value& value) {
    const auto* form = value.extension<TypingForm>();
    return form && form->repr() == "typing.NotImplemented";
}

static std::optional<Value> instance_binary(Evaluator& evaluator, BinaryOp op, const Value& a, const Value& b,
                                            Span span, bool in_place) {
    OperatorNames names = names_of(op);
    Evaluator::Impl& impl = evaluator.impl();
    if (in_place)
        if (auto result = impl.call_method(a, names.in_place, {b}, span); result && !is_not_implemented(*result))
            return result;
    if (auto result = impl.call_method(a, names.plain, {b}, span); result && !is_not_implemented(*result))
        return result;
    if (auto result = impl.call_method(b, names.reflected, {a}, span); result && !is_not_implemented(*result))
        return result;
    return std::nullopt;
}

// a += b changes lists, dicts and sets where they are.
static std::optional<Value> in_place_binary(Evaluator& evaluator, BinaryOp op, const Value& a, const Value& b,
                                            Span b_span) {
    if (a.is(ValueKind::List) && op == BinaryOp::Add) {
        std::vector<Value> more = evaluator.iterate(b, b_span);
        std::vector<Value>& items = as_sequence(a).items;
        items.insert(items.end(), more.begin(), more.end());
        return a;
    }
    if (a.is(ValueKind::Set) && b.is(ValueKind::Set) && !as_set(a).frozen) {
        auto result = set_binary(evaluator, op, a, b, b_span);
        if (result)
            std::swap(as_set(a).table, as_set(*result).table);
        return result ? std::optional(a) : std::nullopt;
    }
    if (a.is(ValueKind::Dict) && b.is(ValueKind::Dict) && op == BinaryOp::BitOr) {
        for (const ValueTable::Entry& entry : as_dict(b).table.living())
            as_dict(a).table.set(evaluator, entry.key, entry.value, b_span);
        return a;
    }
    return std::nullopt;
}

static bool is_type_like(const Value& value) {
    return value.is(ValueKind::Class) || value.is(ValueKind::None) || value.extension<TypingForm>();
}

static std::optional<Value> object_binary(Evaluator& evaluator, BinaryOp op, const Value& a, const Value& b,
                                          Span a_span, Span b_span) {
    Span span = cover(a_span, b_span);
    auto is_sequence = [](const Value& value) {
        return value.is(ValueKind::Str) || value.is(ValueKind::List) || value.is(ValueKind::Tuple);
    };
    auto is_int = [](const Value& value) { return value.is(ValueKind::Int) || value.is(ValueKind::Bool); };
    if (op == BinaryOp::Mod && a.is(ValueKind::Str))
        return evaluator.new_str(percent_format(evaluator, a.as_str(), b, span));
    if (op == BinaryOp::Add && a.kind() == b.kind()) {
        if (a.is(ValueKind::Str)) {
            std::string out;
            evaluator.impl().check_bytes(a.as_str().size() + b.as_str().size(), span);
            out.reserve(a.as_str().size() + b.as_str().size());
            out.append(a.as_str()).append(b.as_str());
            return evaluator.new_str(std::move(out));
        }
        if (a.is(ValueKind::List) || a.is(ValueKind::Tuple))
            return concatenate(evaluator, a, b, span);
    }
    if (op == BinaryOp::Mul && is_sequence(a) && is_int(b))
        return repeat(evaluator, a, b.as_int(), span);
    if (op == BinaryOp::Mul && is_int(a) && is_sequence(b))
        return repeat(evaluator, b, a.as_int(), span);
    if (a.is(ValueKind::Set) && b.is(ValueKind::Set))
        return set_binary(evaluator, op, a, b, span);
    if (a.is(ValueKind::Dict) && b.is(ValueKind::Dict) && op == BinaryOp::BitOr) {
        Value out = evaluator.impl().new_dict();
        in_place_binary(evaluator, op, out, a, a_span);
        return in_place_binary(evaluator, op, out, b, b_span);
    }
    if (op == BinaryOp::BitOr && is_type_like(a) && is_type_like(b)) // int | None
        return new_extension<TypingForm>("Union");
    return std::nullopt;
}

static std::unique_ptr<Value> native_binary(Evaluator& evaluator, BinaryOp op, const Value& a, const Value& b,
                                            Span span) {
    if (auto* left = a.extension<NativeObject>())
        if (auto result = left->binary(evaluator, op, b, false, span))
            return result;
    auto* right = b.extension<NativeObject>();
    return right ? right->binary(evaluator, op, a, true, span) : nullptr;
}

Value binary(Evaluator& evaluator, BinaryOp op, const Value& a, const Value& b, Span a_span, Span b_span,
             bool in_place) {
    if (a.is(ValueKind::Unknown) || b.is(ValueKind::Unknown))
        return Value::unknown();
    Span span = cover(a_span, b_span);
    if (a.is_number() && b.is_number()) {
        if (a.is(ValueKind::Float) || b.is(ValueKind::Float)) {
            if (auto result = float_binary(op, a.as_double(), b.as_double(), span))
                return *result;
        } else if (op != BinaryOp::MatMul) {
            if (a.is(ValueKind::Bool) && b.is(ValueKind::Bool) &&
                (op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor))
                return Value::boolean(int_binary(op, a.as_int(), b.as_int(), span).as_int() != 0);
            return int_binary(op, a.as_int(), b.as_int(), span);
        }
    } else if (auto result = native_binary(evaluator, op, a, b, span)) {
        return *result;
    } else if (a.is(ValueKind::Tensor) || b.is(ValueKind::Tensor)) {
        if (!a.is_ir() && !b.is_ir())
            if (auto result = tensor_binary(evaluator, op, a, b, a_span, b_span, in_place))
                return *result;
    } else if (a.is_ir() || b.is_ir()) {
        if (a.is(ValueKind::Instance) || b.is(ValueKind::Instance))
            if (auto result = instance_binary(evaluator, op, a, b, span, in_place))
                return *result;
        return evaluator.ir().binary(op, a, b, a_span, b_span);
    } else {
        if (in_place)
            if (auto result = in_place_binary(evaluator, op, a, b, b_span))
                return *result;
        if (auto result = object_binary(evaluator, op, a, b, a_span, b_span))
            return *result;
        const bool is_mixed =
            (a.is(ValueKind::List) && b.is(ValueKind::Tuple)) || (a.is(ValueKind::Tuple) && b.is(ValueKind::List));
        if (is_mixed && op == BinaryOp::Add && !in_place) // indices of a script function
            return evaluator.ir().binary(op, a, b, a_span, b_span);
    }
    if (a.is(ValueKind::Instance) || b.is(ValueKind::Instance))
        if (auto result = instance_binary(evaluator, op, a, b, span, in_place))
            return *result;
    fail(DiagId::UnsupportedOperand, span, std::string(ast::spelling(op)) + (in_place ? "=" : ""), type_name(a),
         type_name(b));
}

Value unary(Evaluator& evaluator, ast::UnaryOp op, const Value& a, Span span) {
    const char* sign = op == ast::UnaryOp::Minus ? "-" : op == ast::UnaryOp::Plus ? "+" : "~";
    switch (a.kind()) {
    case ValueKind::Unknown: return a;
    case ValueKind::Bool:
    case ValueKind::Int: {
        if (op == ast::UnaryOp::Plus)
            return Value::integer(a.as_int());
        const auto result = whole(op == ast::UnaryOp::Minus ? ScalarOp::Neg : ScalarOp::BitNot, a.as_int());
        if (!result)
            fail(DiagId::IntegerOverflow, span, cat("-", a.as_int()));
        return Value::integer(*result);
    }
    case ValueKind::Float:
        if (op == ast::UnaryOp::Invert)
            break;
        return Value::real(op == ast::UnaryOp::Minus ? -a.as_double() : a.as_double());
    case ValueKind::Tensor: return tensor_unary(evaluator, op, a, span);
    case ValueKind::Expr:
    case ValueKind::Stmt:
    case ValueKind::Type:
    case ValueKind::Layout:
    case ValueKind::Mapping: return evaluator.ir().unary(op, a, span);
    case ValueKind::Instance: {
        const char* name = op == ast::UnaryOp::Minus ? "__neg__" : op == ast::UnaryOp::Plus ? "__pos__" : "__invert__";
        if (auto result = evaluator.impl().call_method(a, name, {}, span))
            return *result;
        break;
    }
    case ValueKind::Extension:
        if (auto result = a.extension<NativeObject>()->unary(evaluator, op, span))
            return *result;
        break;
    default: break;
    }
    fail(DiagId::UnsupportedUnary, span, sign, type_name(a));
}

} // namespace hidet::lang
