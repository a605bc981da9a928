// SPDX-License-Identifier: Apache-2.0
// Elementary functions. f32 results are computed in double and rounded once, so they are correct but for rare last bits,
// and the same on every machine: the common ones by polynomials of our own that also run in vector registers, the others
// by the C library in double. f64 goes to the C library. Local to each file, as ops.h.
#pragma once

#include "compiler/artifact/program.h"
#include "runtime/vm/vector/ops.h"

namespace hidet::vm {
namespace {

inline double nearest(double x) { // |x| < 2^51
    return (x + 0x1.8p52) - 0x1.8p52;
}

inline double power_of_two(double n) { // -1022 <= n <= 1023
    auto exponent = static_cast<std::int64_t>(n) + 1023;
    return bits_to<double>(exponent << 52);
}

// e^r, |r| <= 0.35.
inline double exp_polynomial(double r) {
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    return p * r + 1.0;
}

// For arguments from floats: beyond +-200 every result is infinite or 0 as a float.
inline double fast_exp(double x) {
    double clamped = x < -200.0 ? -200.0 : (x > 200.0 ? 200.0 : x);
    double n = nearest(clamped * 0x1.71547652b82fep0);
    double r = (clamped - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
    double result = exp_polynomial(r) * power_of_two(n);
    return x != x ? x : result;
}

inline double fast_exp2(double x) {
    double clamped = x < -300.0 ? -300.0 : (x > 300.0 ? 300.0 : x);
    double n = nearest(clamped);
    double result = exp_polynomial((clamped - n) * 0x1.62e42fefa39efp-1) * power_of_two(n);
    return x != x ? x : result;
}

// log(x) = e * log(2) + log(m): the parts. x is a positive normal double.
struct LogParts {
    double exponent;
    double log_m;
};
inline LogParts log_parts(double x) {
    auto bits = bits_to<std::int64_t>(x);
    std::int64_t shifted = bits - 0x3FE6A09E667F3BCDll; // m in [sqrt(1/2), sqrt(2))
    std::int64_t exponent = shifted >> 52;
    double m = bits_to<double>(bits - (exponent << 52));
    double s = (m - 1.0) / (m + 1.0);
    double z = s * s;
    double p = 1.0 / 23.0;
    p = p * z + 1.0 / 21.0;
    p = p * z + 1.0 / 19.0;
    p = p * z + 1.0 / 17.0;
    p = p * z + 1.0 / 15.0;
    p = p * z + 1.0 / 13.0;
    p = p * z + 1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    p = p * z + 1.0 / 7.0;
    p = p * z + 0.2;
    p = p * z + 1.0 / 3.0;
    return {static_cast<double>(static_cast<std::int32_t>(exponent)), 2.0 * s + 2.0 * s * z * p};
}

inline double log_ends(double x, double result) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double positive = x == infinity ? infinity : result;
    double low = x == 0.0 ? -infinity : std::numeric_limits<double>::quiet_NaN();
    return x > 0.0 ? positive : low;
}
inline double fast_log(double x) {
    LogParts parts = log_parts(x);
    return log_ends(x, parts.exponent * 0x1.62e42fefa39efp-1 + parts.log_m);
}
inline double fast_log2(double x) {
    LogParts parts = log_parts(x);
    return log_ends(x, parts.exponent + parts.log_m * 0x1.71547652b82fep0);
}
inline double fast_log10(double x) {
    LogParts parts = log_parts(x);
    return log_ends(x, parts.exponent * 0x1.34413509f79ffp-2 + parts.log_m * 0x1.bcb7b1526e50ep-2);
}

// tanh = t / (t + 2) with t = e^2x - 1, by series where that would cancel.
inline double fast_tanh(double x) {
    double a = __builtin_fabs(x);
    double t = fast_exp(a > 20.0 ? 40.0 : 2.0 * a) - 1.0;
    double large = t / (t + 2.0);
    double z = x * x;
    double small = a * (1.0 + z * (-1.0 / 3.0 + z * (2.0 / 15.0 + z * (-17.0 / 315.0 + z * (62.0 / 2835.0)))));
    double result = __builtin_copysign(a < 0.02 ? small : large, x);
    return x != x ? x : result;
}

// The angle less a multiple of pi/2, and that multiple. Good for |x| below 10^5.
struct Angle {
    double rest;
    std::int64_t quadrant;
};
inline Angle reduce(double x) {
    double n = nearest(x * 0x1.45f306dc9c883p-1);
    double rest = ((x - n * 0x1.921fb54400000p0) - n * 0x1.0b4611a600000p-34) - n * 0x1.3198a2e037073p-69;
    return {rest, static_cast<std::int64_t>(n)};
}
inline double sin_polynomial(double r) {
    double z = r * r;
    double p = 1.0 / 355687428096000.0;
    p = p * z - 1.0 / 1307674368000.0;
    p = p * z + 1.0 / 6227020800.0;
    p = p * z - 1.0 / 39916800.0;
    p = p * z + 1.0 / 362880.0;
    p = p * z - 1.0 / 5040.0;
    p = p * z + 1.0 / 120.0;
    p = p * z - 1.0 / 6.0;
    return r + r * z * p;
}
inline double cos_polynomial(double r) {
    double z = r * r;
    double p = 1.0 / 20922789888000.0;
    p = p * z - 1.0 / 87178291200.0;
    p = p * z + 1.0 / 479001600.0;
    p = p * z - 1.0 / 3628800.0;
    p = p * z + 1.0 / 40320.0;
    p = p * z - 1.0 / 720.0;
    p = p * z + 1.0 / 24.0;
    return 1.0 - 0.5 * z + z * z * p;
}
inline double fast_sin(double x) {
    Angle angle = reduce(x);
    double s = sin_polynomial(angle.rest), c = cos_polynomial(angle.rest);
    double value = (angle.quadrant & 1) ? c : s;
    return (angle.quadrant & 2) ? -value : value;
}
inline double fast_cos(double x) {
    Angle angle = reduce(x);
    double s = sin_polynomial(angle.rest), c = cos_polynomial(angle.rest);
    double value = (angle.quadrant & 1) ? s : c;
    return ((angle.quadrant + 1) & 2) ? -value : value;
}

// erf by the series with positive terms, to |x| = 4; beyond it is 1 as a float.
inline double fast_erf(double x) {
    double a = __builtin_fabs(x);
    double bound = a > 4.0 ? 4.0 : a;
    double z = bound * bound, term = bound, sum = bound;
    for (int k = 1; k < 72; ++k) {
        term *= 2.0 * z / (2.0 * k + 1.0);
        sum += term;
    }
    double inside = sum * fast_exp(-z) * 0x1.20dd750429b6dp0;
    double result = __builtin_copysign(a >= 4.0 ? 1.0 : inside, x);
    return x != x ? x : result;
}

#define HIDET_MATH_FAST(Name, function)                                                                                \
    struct Name {                                                                                                      \
        static float apply(float a) { return static_cast<float>(function(static_cast<double>(a))); }                   \
    };
HIDET_MATH_FAST(ExpF, fast_exp)
HIDET_MATH_FAST(Exp2F, fast_exp2)
HIDET_MATH_FAST(LogF, fast_log)
HIDET_MATH_FAST(Log2F, fast_log2)
HIDET_MATH_FAST(Log10F, fast_log10)
HIDET_MATH_FAST(TanhF, fast_tanh)
HIDET_MATH_FAST(ErfF, fast_erf)
#undef HIDET_MATH_FAST

// Large angles are rare; the C library reduces them.
struct SinF {
    static float apply(float a) {
        return static_cast<float>(__builtin_fabsf(a) < 1e5f ? fast_sin(a) : __builtin_sin(static_cast<double>(a)));
    }
};
struct CosF {
    static float apply(float a) {
        return static_cast<float>(__builtin_fabsf(a) < 1e5f ? fast_cos(a) : __builtin_cos(static_cast<double>(a)));
    }
};

#define HIDET_MATH_LIBRARY(Name, function)                                                                             \
    struct Name {                                                                                                      \
        template <class T>                                                                                             \
        static T apply(T a) {                                                                                          \
            return static_cast<T>(function(static_cast<double>(a)));                                                   \
        }                                                                                                              \
    };
HIDET_MATH_LIBRARY(SinD, __builtin_sin)
HIDET_MATH_LIBRARY(CosD, __builtin_cos)
HIDET_MATH_LIBRARY(TanOp, __builtin_tan)
HIDET_MATH_LIBRARY(SinhOp, __builtin_sinh)
HIDET_MATH_LIBRARY(CoshOp, __builtin_cosh)
HIDET_MATH_LIBRARY(TanhD, __builtin_tanh)
HIDET_MATH_LIBRARY(AsinOp, __builtin_asin)
HIDET_MATH_LIBRARY(AcosOp, __builtin_acos)
HIDET_MATH_LIBRARY(AtanOp, __builtin_atan)
HIDET_MATH_LIBRARY(AsinhOp, __builtin_asinh)
HIDET_MATH_LIBRARY(AcoshOp, __builtin_acosh)
HIDET_MATH_LIBRARY(AtanhOp, __builtin_atanh)
HIDET_MATH_LIBRARY(ExpD, __builtin_exp)
HIDET_MATH_LIBRARY(Exp2D, __builtin_exp2)
HIDET_MATH_LIBRARY(Expm1Op, __builtin_expm1)
HIDET_MATH_LIBRARY(ErfD, __builtin_erf)
HIDET_MATH_LIBRARY(LogD, __builtin_log)
HIDET_MATH_LIBRARY(Log2D, __builtin_log2)
HIDET_MATH_LIBRARY(Log10D, __builtin_log10)
HIDET_MATH_LIBRARY(Log1pOp, __builtin_log1p)
#undef HIDET_MATH_LIBRARY

struct SqrtOp {
    template <class T>
    static T apply(T a) {
        if constexpr (sizeof(T) == 4)
            return __builtin_sqrtf(a);
        else
            return __builtin_sqrt(a);
    }
};
struct RsqrtOp {
    template <class T>
    static T apply(T a) {
        return static_cast<T>(1.0 / __builtin_sqrt(static_cast<double>(a)));
    }
};
struct FloorOp {
    static float apply(float a) { return __builtin_floorf(a); }
    static double apply(double a) { return __builtin_floor(a); }
};
struct CeilOp {
    static float apply(float a) { return __builtin_ceilf(a); }
    static double apply(double a) { return __builtin_ceil(a); }
};
struct TruncOp {
    static float apply(float a) { return __builtin_truncf(a); }
    static double apply(double a) { return __builtin_trunc(a); }
};
struct RoundOp { // halves away from zero
    template <class T>
    static T apply(T a) {
        T whole = TruncOp::apply(a);
        T one = static_cast<T>(__builtin_copysign(T(1), a));
        return static_cast<T>(__builtin_fabs(a - whole)) >= T(0.5) ? whole + one : whole;
    }
};
struct IsFiniteOp {
    template <class T>
    static std::uint32_t apply(T a) {
        return static_cast<T>(__builtin_fabs(a)) <= std::numeric_limits<T>::max();
    }
};
struct IsInfOp {
    template <class T>
    static std::uint32_t apply(T a) {
        return static_cast<T>(__builtin_fabs(a)) > std::numeric_limits<T>::max();
    }
};
struct IsNanOp {
    template <class T>
    static std::uint32_t apply(T a) {
        return a != a;
    }
};
struct PowOp {
    template <class T>
    static T apply(T a, T b) {
        return static_cast<T>(__builtin_pow(static_cast<double>(a), static_cast<double>(b)));
    }
};
struct Atan2Op {
    template <class T>
    static T apply(T a, T b) {
        return static_cast<T>(__builtin_atan2(static_cast<double>(a), static_cast<double>(b)));
    }
};

// Calls use.template operator()<F, R>() with the operation on T; R is what it gives.
template <class T, class Use>
auto with_math(artifact::Op op, Use&& use) {
    using artifact::Op;
    constexpr bool is_single = sizeof(T) == 4;
#define HIDET_PICK(Fast, Library) return use.template operator()<std::conditional_t<is_single, Fast, Library>, T, T>()
    switch (op) {
    case Op::Sin: HIDET_PICK(SinF, SinD);
    case Op::Cos: HIDET_PICK(CosF, CosD);
    case Op::Tanh: HIDET_PICK(TanhF, TanhD);
    case Op::Exp: HIDET_PICK(ExpF, ExpD);
    case Op::Exp2: HIDET_PICK(Exp2F, Exp2D);
    case Op::Erf: HIDET_PICK(ErfF, ErfD);
    case Op::Log: HIDET_PICK(LogF, LogD);
    case Op::Log2: HIDET_PICK(Log2F, Log2D);
    case Op::Log10: HIDET_PICK(Log10F, Log10D);
#undef HIDET_PICK
    case Op::Tan: return use.template operator()<TanOp, T, T>();
    case Op::Sinh: return use.template operator()<SinhOp, T, T>();
    case Op::Cosh: return use.template operator()<CoshOp, T, T>();
    case Op::Asin: return use.template operator()<AsinOp, T, T>();
    case Op::Acos: return use.template operator()<AcosOp, T, T>();
    case Op::Atan: return use.template operator()<AtanOp, T, T>();
    case Op::Asinh: return use.template operator()<AsinhOp, T, T>();
    case Op::Acosh: return use.template operator()<AcoshOp, T, T>();
    case Op::Atanh: return use.template operator()<AtanhOp, T, T>();
    case Op::Expm1: return use.template operator()<Expm1Op, T, T>();
    case Op::Log1p: return use.template operator()<Log1pOp, T, T>();
    case Op::Sqrt: return use.template operator()<SqrtOp, T, T>();
    case Op::Rsqrt: return use.template operator()<RsqrtOp, T, T>();
    case Op::Round: return use.template operator()<RoundOp, T, T>();
    case Op::Ceil: return use.template operator()<CeilOp, T, T>();
    case Op::Floor: return use.template operator()<FloorOp, T, T>();
    case Op::Trunc: return use.template operator()<TruncOp, T, T>();
    case Op::IsFinite: return use.template operator()<IsFiniteOp, T, std::uint32_t>();
    case Op::IsInf: return use.template operator()<IsInfOp, T, std::uint32_t>();
    case Op::IsNan: return use.template operator()<IsNanOp, T, std::uint32_t>();
    default: return use.none();
    }
}

} // namespace
} // namespace hidet::vm
