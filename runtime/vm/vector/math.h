// SPDX-License-Identifier: Apache-2.0
// Elementary functions. f32 results are computed in double and rounded once, so they are correct but for rare last bits,
// and the same on every machine: the common ones by polynomials of our own that also run in vector registers, the others
// by the C library in double. f64 goes to the C library. Local to each file, as ops.h.
#pragma once

#include "compiler/artifact/program.h"
#include "runtime/vm/vector/ops.h"

namespace hidet::vm {
namespace {

#include "lang/base/elementary.inl"

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

struct SinF {
    static float apply(float a) { return float_sin(a); }
};
struct CosF {
    static float apply(float a) { return float_cos(a); }
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
