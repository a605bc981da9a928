// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fold/cells.h"

#include <cmath>
#include <cstring>

#include "compiler/graph/core/shape.h"
#include "compiler/ir/intrinsic.h"
#include "lang/base/numeric.h"

namespace hidet::graph::lanes {

namespace {

using ir::BinOp;
using ir::DType;
using ir::IntrinsicId;

template <class F>
void floats(DType dtype, int lanes, const Row& a, const Row& b, Row& result, F&& apply) {
    const auto each = [&](auto&& rounded) {
        for (int i = 0; i < lanes; ++i)
            result[static_cast<std::size_t>(i)].d =
                rounded(apply(a[static_cast<std::size_t>(i)].d, b[static_cast<std::size_t>(i)].d));
    };
    if (dtype == DType::F64)
        each([](double value) { return value; });
    else if (dtype == DType::F32)
        each([](double value) { return static_cast<double>(static_cast<float>(value)); });
    else
        each([&](double value) { return ir::round_to(static_cast<float>(value), dtype); });
}

// Narrow results are wrapped, 64-bit ones are there already.
template <class F>
void integers(DType dtype, int lanes, const Row& a, const Row& b, Row& result, F&& apply) {
    const bool is_wide = dtype == DType::I64 || dtype == DType::U64;
    for (int i = 0; i < lanes; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const std::int64_t value = apply(a[at].i, b[at].i);
        result[at].i = is_wide ? value : ir::wrap_to(value, dtype);
    }
}

template <class F>
void compare(DType from, int lanes, const Row& a, const Row& b, Row& result, F&& apply) {
    for (int i = 0; i < lanes; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (ir::is_float(from))
            result[at].i = apply(a[at].d, b[at].d);
        else if (ir::is_signed(from))
            result[at].i = apply(a[at].i, b[at].i);
        else
            result[at].i = apply(static_cast<std::uint64_t>(a[at].i), static_cast<std::uint64_t>(b[at].i));
    }
}

template <class T>
std::int64_t divide(BinOp op, T a, T b) {
    if (b == 0)
        return 0;
    switch (op) {
    case BinOp::Div: return static_cast<std::int64_t>(truncating_div(a, b));
    case BinOp::Mod: return static_cast<std::int64_t>(truncating_mod(a, b));
    case BinOp::FloorDiv: return static_cast<std::int64_t>(floor_div_int(a, b));
    default: return static_cast<std::int64_t>(floor_mod_int(a, b));
    }
}

std::int64_t shift(BinOp op, DType dtype, std::int64_t value, std::int64_t count) {
    const bool is_left = op == BinOp::Shl;
    if (count < 0 || count >= ir::info(dtype).bits)
        return !is_left && ir::is_signed(dtype) && value < 0 ? -1 : 0;
    const auto bits = static_cast<std::uint64_t>(value);
    if (is_left)
        return static_cast<std::int64_t>(bits << count);
    return ir::is_signed(dtype) ? value >> count : static_cast<std::int64_t>(bits >> count);
}

std::int64_t integer_binary(BinOp op, DType dtype, std::int64_t a, std::int64_t b) {
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    switch (op) {
    case BinOp::Add: return static_cast<std::int64_t>(x + y);
    case BinOp::Sub: return static_cast<std::int64_t>(x - y);
    case BinOp::Mul: return static_cast<std::int64_t>(x * y);
    case BinOp::BitAnd: return a & b;
    case BinOp::BitOr: return a | b;
    case BinOp::BitXor: return a ^ b;
    case BinOp::Shl:
    case BinOp::Shr: return shift(op, dtype, a, b);
    default: return ir::is_signed(dtype) ? divide(op, a, b) : divide(op, x, y);
    }
}

void binary_of_floats(BinOp op, DType dtype, int lanes, const Row& a, const Row& b, Row& result) {
    const auto apply = [&](auto&& f) { floats(dtype, lanes, a, b, result, f); };
    const bool is_double = dtype == DType::F64;
    switch (op) {
    case BinOp::Add: return apply([](double x, double y) { return x + y; });
    case BinOp::Sub: return apply([](double x, double y) { return x - y; });
    case BinOp::Mul: return apply([](double x, double y) { return x * y; });
    case BinOp::Div: return apply([](double x, double y) { return x / y; });
    case BinOp::Mod: return apply([](double x, double y) { return std::fmod(x, y); });
    case BinOp::FloorDiv:
        return apply([&](double x, double y) {
            return is_double ? floor_div_float(x, y) : floor_div_float(static_cast<float>(x), static_cast<float>(y));
        });
    case BinOp::FloorMod:
        return apply([&](double x, double y) {
            return is_double ? floor_mod_float(x, y) : floor_mod_float(static_cast<float>(x), static_cast<float>(y));
        });
    default: HIDET_CHECK(false, std::string("no such operation on floats: ") + ir::spelling(op));
    }
}

template <class F>
void each_float(DType to, int lanes, const Row& a, Row& result, F&& apply) {
    floats(to, lanes, a, a, result, [&](double x, double) { return apply(x); });
}

double away_from_zero(double x) {
    return std::round(x);
}

double min_of(double a, double b) {
    return std::isnan(a) ? b : (b < a ? b : a);
}
double max_of(double a, double b) {
    return std::isnan(a) ? b : (a < b ? b : a);
}

bool math_of_integers(IntrinsicId id, DType dtype, int lanes, const std::vector<const Row*>& args, Row& result) {
    const Row& a = *args[0];
    const Row& b = *args.back();
    const auto is_less = [&](std::int64_t x, std::int64_t y) {
        return ir::is_signed(dtype) ? x < y : static_cast<std::uint64_t>(x) < static_cast<std::uint64_t>(y);
    };
    const auto apply = [&](auto&& f) {
        integers(dtype, lanes, a, b, result, f);
        return true;
    };
    switch (id) {
    case IntrinsicId::Min: return apply([&](auto x, auto y) { return is_less(y, x) ? y : x; });
    case IntrinsicId::Max: return apply([&](auto x, auto y) { return is_less(x, y) ? y : x; });
    case IntrinsicId::Abs:
        return apply([&](auto x, auto) {
            return ir::is_signed(dtype) && x < 0 ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x)) : x;
        });
    case IntrinsicId::Round:
    case IntrinsicId::Ceil:
    case IntrinsicId::Floor:
    case IntrinsicId::Trunc: return apply([](auto x, auto) { return x; });
    default: return false;
    }
}

void bitcast(DType from, DType to, int lanes, const Row& a, Row& result) {
    for (int i = 0; i < lanes; ++i) {
        std::byte bytes[8] = {};
        store(from, bytes, 0, a[static_cast<std::size_t>(i)]);
        result[static_cast<std::size_t>(i)] = load(to, bytes, 0);
    }
}

bool math_to_bool(IntrinsicId id, int lanes, const Row& a, Row& result) {
    if (id != IntrinsicId::IsNan && id != IntrinsicId::IsInf && id != IntrinsicId::IsFinite)
        return false;
    for (int i = 0; i < lanes; ++i) {
        const double x = a[static_cast<std::size_t>(i)].d;
        result[static_cast<std::size_t>(i)].i = id == IntrinsicId::IsNan   ? std::isnan(x)
                                                : id == IntrinsicId::IsInf ? std::isinf(x)
                                                                           : std::isfinite(x);
    }
    return true;
}

} // namespace

void apply_unary(ir::UnOp op, DType dtype, int lanes, const Row& a, Row& result) {
    if (op == ir::UnOp::Not)
        for (int i = 0; i < lanes; ++i)
            result[static_cast<std::size_t>(i)].i = !a[static_cast<std::size_t>(i)].i;
    else if (ir::is_float(dtype))
        each_float(dtype, lanes, a, result, [](double x) { return -x; });
    else if (op == ir::UnOp::Neg)
        integers(dtype, lanes, a, a, result,
                 [](auto x, auto) { return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x)); });
    else
        integers(dtype, lanes, a, a, result, [](auto x, auto) { return ~x; });
}

void apply_binary(BinOp op, DType from, int lanes, const Row& a, const Row& b, Row& result) {
    switch (op) {
    case BinOp::Lt: return compare(from, lanes, a, b, result, [](auto x, auto y) { return x < y; });
    case BinOp::Le: return compare(from, lanes, a, b, result, [](auto x, auto y) { return x <= y; });
    case BinOp::Eq: return compare(from, lanes, a, b, result, [](auto x, auto y) { return x == y; });
    case BinOp::Ne: return compare(from, lanes, a, b, result, [](auto x, auto y) { return x != y; });
    case BinOp::Add:
        if (ir::is_integer(from))
            return integers(from, lanes, a, b, result, [](auto x, auto y) {
                return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));
            });
        break;
    case BinOp::Mul:
        if (ir::is_integer(from))
            return integers(from, lanes, a, b, result, [](auto x, auto y) {
                return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
            });
        break;
    default: break;
    }
    if (ir::is_float(from))
        return binary_of_floats(op, from, lanes, a, b, result);
    integers(from, lanes, a, b, result, [&](auto x, auto y) { return integer_binary(op, from, x, y); });
}

void apply_cast(DType from, DType to, int lanes, const Row& a, Row& result) {
    if (from == to || (from == DType::I32 && to == DType::I64)) {
        std::copy(a.begin(), a.begin() + lanes, result.begin());
        return;
    }
    if (ir::is_float(from) && ir::is_float(to))
        return each_float(to, lanes, a, result, [](double x) { return x; });
    for (int i = 0; i < lanes; ++i)
        result[static_cast<std::size_t>(i)] = converted(a[static_cast<std::size_t>(i)], from, to);
}

void apply_math(IntrinsicId id, DType from, DType to, int lanes, const std::vector<const Row*>& args, Row& result) {
    const Row& a = *args[0];
    if (id == IntrinsicId::Bitcast)
        return bitcast(from, to, lanes, a, result);
    if (!ir::is_float(from)) {
        if (!math_of_integers(id, from, lanes, args, result))
            throw OpError(std::string(ir::info(id).name) + " is not defined for integers");
        return;
    }
    if (math_to_bool(id, lanes, a, result))
        return;
    const auto one = [&](auto&& f) { each_float(to, lanes, a, result, f); };
    const auto two = [&](auto&& f) { floats(to, lanes, a, *args[1], result, f); };
    switch (id) {
    case IntrinsicId::Sin: return one([](double x) { return std::sin(x); });
    case IntrinsicId::Cos: return one([](double x) { return std::cos(x); });
    case IntrinsicId::Tan: return one([](double x) { return std::tan(x); });
    case IntrinsicId::Sinh: return one([](double x) { return std::sinh(x); });
    case IntrinsicId::Cosh: return one([](double x) { return std::cosh(x); });
    case IntrinsicId::Tanh: return one([](double x) { return std::tanh(x); });
    case IntrinsicId::Asin: return one([](double x) { return std::asin(x); });
    case IntrinsicId::Acos: return one([](double x) { return std::acos(x); });
    case IntrinsicId::Atan: return one([](double x) { return std::atan(x); });
    case IntrinsicId::Asinh: return one([](double x) { return std::asinh(x); });
    case IntrinsicId::Acosh: return one([](double x) { return std::acosh(x); });
    case IntrinsicId::Atanh: return one([](double x) { return std::atanh(x); });
    case IntrinsicId::Exp: return one([](double x) { return std::exp(x); });
    case IntrinsicId::Exp2: return one([](double x) { return std::exp2(x); });
    case IntrinsicId::Expm1: return one([](double x) { return std::expm1(x); });
    case IntrinsicId::Erf: return one([](double x) { return std::erf(x); });
    case IntrinsicId::Sqrt: return one([](double x) { return std::sqrt(x); });
    case IntrinsicId::Rsqrt: return one([](double x) { return 1.0 / std::sqrt(x); });
    case IntrinsicId::Log: return one([](double x) { return std::log(x); });
    case IntrinsicId::Log2: return one([](double x) { return std::log2(x); });
    case IntrinsicId::Log10: return one([](double x) { return std::log10(x); });
    case IntrinsicId::Log1p: return one([](double x) { return std::log1p(x); });
    case IntrinsicId::Round: return one(away_from_zero);
    case IntrinsicId::Abs: return one([](double x) { return std::fabs(x); });
    case IntrinsicId::Ceil: return one([](double x) { return std::ceil(x); });
    case IntrinsicId::Floor: return one([](double x) { return std::floor(x); });
    case IntrinsicId::Trunc: return one([](double x) { return std::trunc(x); });
    case IntrinsicId::Min: return two(min_of);
    case IntrinsicId::Max: return two(max_of);
    case IntrinsicId::Pow: return two([](double x, double y) { return std::pow(x, y); });
    case IntrinsicId::Atan2: return two([](double x, double y) { return std::atan2(x, y); });
    case IntrinsicId::Fma:
        for (int i = 0; i < lanes; ++i) {
            const auto at = static_cast<std::size_t>(i);
            result[at].d = ir::round_to(std::fma(a[at].d, (*args[1])[at].d, (*args[2])[at].d), to);
        }
        return;
    default: throw OpError(std::string(ir::info(id).name) + " cannot be evaluated here");
    }
}

} // namespace hidet::graph::lanes
