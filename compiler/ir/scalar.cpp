// SPDX-License-Identifier: Apache-2.0
// Integers are computed in 64 bits, extended as their type wants it, and wrapped afterwards: that gives what their own width
// gives, shifts by the width or more included.
#include "compiler/ir/scalar.h"

#include "compiler/ir/intrinsic.h"
#include "lang/base/check.h"

namespace hidet::ir {

namespace {

template <class T>
T get(ScalarValue value) {
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(value.d);
    else
        return static_cast<T>(value.i);
}

template <class T>
ScalarValue made(T value) {
    ScalarValue out;
    if constexpr (std::is_floating_point_v<T>)
        out.d = static_cast<double>(value);
    else
        out.i = static_cast<std::int64_t>(value);
    return out;
}

struct UseRows {
    const ScalarValue* const* args;
    int count;
    ScalarValue* result;

    template <class F, int operands, class T, class R>
    bool operator()() const {
        const ScalarValue* a = args[0];
        const ScalarValue* b = args[operands > 1 ? 1 : 0];
        const ScalarValue* c = args[operands > 2 ? 2 : 0];
        for (int n = 0; n < count; ++n)
            if constexpr (operands == 1)
                result[n] = made<R>(F::apply(get<T>(a[n])));
            else if constexpr (operands == 2)
                result[n] = made<R>(F::apply(get<T>(a[n]), get<T>(b[n])));
            else
                result[n] = made<R>(F::apply(get<T>(a[n]), get<T>(b[n]), get<T>(c[n])));
        return true;
    }
    bool none() const { return false; }
};

bool apply_wide(ScalarOp op, DType dtype, const UseRows& rows) {
    if (dtype == DType::F64)
        return scalar::with_operation<double>(op, rows);
    if (is_float(dtype))
        return scalar::with_operation<float>(op, rows);
    if (is_signed(dtype))
        return scalar::with_operation<std::int64_t>(op, rows);
    return scalar::with_operation<std::uint64_t>(op, rows);
}

std::int64_t to_integer(double value, DType to) {
    switch (to) {
    case DType::Bool: return value != 0; // NaN is not zero
    case DType::U64: return static_cast<std::int64_t>(scalar::saturate<std::uint64_t>(value));
    case DType::I64: return scalar::saturate<std::int64_t>(value);
    case DType::U32: return scalar::saturate<std::uint32_t>(value);
    default: return wrap_to(scalar::saturate<std::int32_t>(value), to);
    }
}

double to_float(std::int64_t value, DType from, DType to) {
    const bool is_wide = from == DType::U64;
    if (to == DType::F32)
        return is_wide ? static_cast<float>(static_cast<std::uint64_t>(value)) : static_cast<float>(value);
    return round_to(is_wide ? static_cast<double>(static_cast<std::uint64_t>(value)) : static_cast<double>(value), to);
}

} // namespace

ScalarOp scalar_op(UnOp op) {
    switch (op) {
// clang-format off
#define HIDET_PREFIX_OP(Name, ...) case UnOp::Name: return ScalarOp::Name;
// clang-format on
#include "lang/base/scalar_ops.def"
    }
    internal_failure(__FILE__, __LINE__, "UnOp", "not an operator");
}

ScalarOp scalar_op(BinOp op) {
    switch (op) {
// clang-format off
#define HIDET_INFIX_OP(Name, ...) case BinOp::Name: return ScalarOp::Name;
// clang-format on
#include "lang/base/scalar_ops.def"
    case BinOp::And: return ScalarOp::BitAnd;
    case BinOp::Or: return ScalarOp::BitOr;
    }
    internal_failure(__FILE__, __LINE__, "BinOp", "not an operator");
}

std::optional<ScalarOp> scalar_op(IntrinsicId id) {
    switch (id) {
// clang-format off
#define HIDET_CALL_OP(Name, ...) case IntrinsicId::Name: return ScalarOp::Name;
// clang-format on
#include "lang/base/scalar_ops.def"
    default: return std::nullopt;
    }
}

bool takes(ScalarOp op, DType dtype) {
    switch (info(op).takes) {
    case ScalarTakes::Number: return is_integer(dtype) || is_float(dtype);
    case ScalarTakes::Integer: return is_integer(dtype);
    case ScalarTakes::Float: return is_float(dtype);
    }
    return false;
}

void apply(ScalarOp op, DType dtype, const ScalarValue* const* args, int count, ScalarValue* result) {
    HIDET_CHECK(apply_wide(op, dtype, {args, count, result}), info(op).name);
    if (info(op).gives == ScalarGives::Bool)
        return;
    if (dtype == DType::Bool)
        for (int n = 0; n < count; ++n)
            result[n].i &= 1;
    else if (is_float(dtype) && dtype != DType::F32 && dtype != DType::F64)
        for (int n = 0; n < count; ++n)
            result[n].d = round_to(result[n].d, dtype);
    else if (is_integer(dtype) && dtype != DType::I64 && dtype != DType::U64)
        for (int n = 0; n < count; ++n)
            result[n].i = wrap_to(result[n].i, dtype);
}

ScalarValue apply(ScalarOp op, DType dtype, ScalarValue a, ScalarValue b, ScalarValue c) {
    const ScalarValue* args[] = {&a, &b, &c};
    ScalarValue result;
    apply(op, dtype, args, 1, &result);
    return result;
}

void convert(DType from, DType to, const ScalarValue* values, int count, ScalarValue* result) {
    const auto each = [&](auto&& value_of) {
        for (int n = 0; n < count; ++n)
            result[n] = made(value_of(values[n]));
    };
    if (is_float(from) && (from == to || to == DType::F64))
        return each([](ScalarValue value) { return value.d; });
    if (is_float(from) && to == DType::F32)
        return each([](ScalarValue value) { return static_cast<float>(value.d); });
    if (is_float(from) && is_float(to))
        return each([&](ScalarValue value) { return round_to(value.d, to); });
    if (is_float(from))
        return each([&](ScalarValue value) { return to_integer(value.d, to); });
    if (is_float(to))
        return each([&](ScalarValue value) { return to_float(value.i, from, to); });
    if (from == to || to == DType::I64 || to == DType::U64)
        return each([](ScalarValue value) { return value.i; });
    each([&](ScalarValue value) { return wrap_to(value.i, to); });
}

ScalarValue converted(ScalarValue value, DType from, DType to) {
    ScalarValue result;
    convert(from, to, &value, 1, &result);
    return result;
}

} // namespace hidet::ir
