// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/scalar/edges.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "compiler/ir/intrinsic.h"
#include "lang/base/text.h"

namespace hidet::test {

using namespace ir;

const std::vector<DType>& scalar_types() {
    static const std::vector<DType> types = {
        DType::Bool, DType::I8,     DType::I16,    DType::I32, DType::I64,  DType::U8,   DType::U16, DType::U32,
        DType::U64,  DType::F8E4M3, DType::F8E5M2, DType::F16, DType::BF16, DType::TF32, DType::F32, DType::F64};
    return types;
}

bool same(DType dtype, ScalarValue a, ScalarValue b) {
    if (!is_float(dtype))
        return a.i == b.i;
    return std::isnan(a.d) ? std::isnan(b.d) : std::bit_cast<std::uint64_t>(a.d) == std::bit_cast<std::uint64_t>(b.d);
}

std::string text_of(DType dtype, ScalarValue value) {
    if (!is_float(dtype))
        return std::to_string(value.i);
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value.d);
    return text;
}

std::vector<ScalarValue> edges(DType dtype) {
    std::vector<ScalarValue> all;
    const auto add = [&](ScalarValue value) {
        if (std::ranges::none_of(all, [&](ScalarValue known) { return same(dtype, known, value); }))
            all.push_back(value);
    };
    if (is_float(dtype)) {
        const double largest = float_max(dtype), infinity = std::numeric_limits<double>::infinity();
        for (double value : {0.0,       1.0,        0.5,      1.5,     2.5,
                             0.3,       3.0,        7.5,      100.0,   0x1p-149,
                             0x1p-1074, 0x1p-24,    0x1p-16,  0x1p-14, 0x1p-9,
                             0x1p-6,    0x1p31,     0x1p32,   0x1p53,  0x1p63,
                             0x1p64,    300.0,      65535.0,  largest, 0.49999999999999994,
                             infinity,  16777217.0, 0x1p-1022})
            for (double each : {value, -value}) // infinities of 8 bits saturate
                add({.d = round_to(each, dtype)});
        add({.d = std::numeric_limits<double>::quiet_NaN()});
        return all;
    }
    const IntegerRange range = integer_range(dtype);
    const auto highest = static_cast<std::int64_t>(range.highest);
    const int bits = info(dtype).bits;
    for (std::int64_t value :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{7}, std::int64_t{100},
          std::int64_t{bits - 1}, std::int64_t{bits}, std::int64_t{bits + 1}, std::int64_t{31}, std::int64_t{63},
          std::int64_t{16777217}, std::int64_t{0x1010001}, (std::int64_t{1} << 53) + 1, (std::int64_t{1} << 62) + 1,
          highest, highest - 1, range.lowest, range.lowest + 1})
        for (std::int64_t each : {value, std::int64_t(0 - static_cast<std::uint64_t>(value))})
            add({.i = wrap_to(each, dtype)});
    return all;
}

static ExprRef call(ScalarOp op, IntrinsicId id, const ExprRef& a, const ExprRef& b, DType dtype) {
    const int operands = info(op).operands;
    const TypeRef type = data_type(info(op).gives == ScalarGives::Bool ? DType::Bool : dtype);
    return make_intrinsic(id, operands == 1 ? ExprVec{a} : operands == 2 ? ExprVec{a, b} : ExprVec{a, b, a}, type);
}

static ExprRef expression(ScalarOp op, const ExprRef& a, const ExprRef& b, DType dtype) {
    switch (op) {
// clang-format off
#define HIDET_INFIX_OP(Name, ...) case ScalarOp::Name: return make_binary(BinOp::Name, a, b);
#define HIDET_PREFIX_OP(Name, ...) case ScalarOp::Name: return make_unary(UnOp::Name, a);
#define HIDET_CALL_OP(Name, operands, ...) case ScalarOp::Name: return call(op, IntrinsicId::Name, a, b, dtype);
#define HIDET_FUSED_OP(Name, ...) case ScalarOp::Name: return nullptr;
// clang-format on
#include "lang/base/scalar_ops.def"
    }
    return nullptr;
}

// The IR has `not` for bools only, and no shifts nor minima of them.
static bool is_in_ir(ScalarOp op, DType dtype) {
    const bool is_bool = dtype == DType::Bool;
    switch (op) {
    case ScalarOp::Not: return is_bool;
    case ScalarOp::Shl:
    case ScalarOp::Shr: return !is_bool && is_integer(dtype);
    case ScalarOp::Fma: return is_float(dtype);
    default: return takes(op, dtype);
    }
}

std::vector<ScalarCase> scalar_cases() {
    std::vector<ScalarCase> all;
    for (DType dtype : scalar_types()) {
        const VarRef a = make_var("a", data_type(dtype)), b = make_var("b", data_type(dtype));
        for (const ScalarOpInfo& row : scalar_op_table)
            if (ExprRef expr = is_in_ir(row.op, dtype) ? expression(row.op, a, b, dtype) : nullptr)
                all.push_back(
                    {cat(row.name, "_", info(dtype).short_name), dtype, *scalar_of(expr->type), row.op, expr, a, b});
        for (DType to : scalar_types())
            if (to != dtype)
                all.push_back({cat("cast_", info(dtype).short_name, "_", info(to).short_name), dtype, to, std::nullopt,
                               make_cast(a, data_type(to)), a, b});
    }
    return all;
}

bool divides_integers(const ScalarCase& each) {
    return !is_float(each.in) && (each.op == ScalarOp::Div || each.op == ScalarOp::Mod ||
                                  each.op == ScalarOp::FloorDiv || each.op == ScalarOp::FloorMod);
}

ScalarRows rows_of(const ScalarCase& each) {
    ScalarRows rows;
    const bool has_two = each.op && info(*each.op).operands > 1;
    for (ScalarValue a : edges(each.in))
        for (ScalarValue b : has_two ? edges(each.in) : std::vector<ScalarValue>{a}) {
            if (divides_integers(each) && b.i == 0)
                continue;
            rows.a.push_back(a), rows.b.push_back(b);
            rows.result.push_back(each.op ? apply(*each.op, each.in, a, b, a) : converted(a, each.in, each.out));
        }
    return rows;
}

} // namespace hidet::test
