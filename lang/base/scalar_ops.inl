// SPDX-License-Identifier: Apache-2.0
// The operations of scalar_ops.def as functions of one value of type T: NameOp::apply(a, ...). This text is included in
// namespaces: in hidet::scalar by scalar.h, and by the files that the virtual machine compiles once for each instruction set
// in namespaces of their own, so it uses no inline function of a header. With -ffp-contract=off it gives the same bits
// everywhere. What includes it has included <cstdint>, <limits> and <type_traits>.
//
// f32 results of elementary functions are computed in double and rounded once: the common ones by the polynomials of
// elementary.inl, which run in vector registers, the others by the C library. f64 goes to the C library.

template <class T>
using Unsigned = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

struct AddOp {
    template <class T>
    static constexpr T apply(T a, T b) {
        return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
    }
};
struct SubOp {
    template <class T>
    static constexpr T apply(T a, T b) {
        return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
    }
};
struct MulOp {
    template <class T>
    static constexpr T apply(T a, T b) {
        return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
    }
};

// 32-bit integers are divided as doubles, which vector registers can.
template <class T>
constexpr T quotient(T a, T b) {
    T by = b == 0 ? T(1) : b;
    a = b == 0 ? T(0) : a;
    if constexpr (sizeof(T) == 4)
        return static_cast<T>(static_cast<std::int64_t>(static_cast<double>(a) / static_cast<double>(by)));
    if constexpr (std::is_signed_v<T>)
        if (b == T(-1))
            return static_cast<T>(0 - static_cast<Unsigned<T>>(a));
    return static_cast<T>(a / by);
}
template <class T>
constexpr T rest(T a, T b) {
    if constexpr (std::is_same_v<T, float>)
        return __builtin_fmodf(a, b);
    else if constexpr (std::is_same_v<T, double>)
        return __builtin_fmod(a, b);
    else
        return b == 0 ? T(0) : SubOp::apply(a, MulOp::apply(quotient(a, b), b));
}
struct DivOp {
    template <class T>
    static constexpr T apply(T a, T b) {
        if constexpr (std::is_floating_point_v<T>)
            return a / b;
        else
            return quotient(a, b);
    }
};
struct ModOp {
    template <class T>
    static constexpr T apply(T a, T b) {
        return rest(a, b);
    }
};
struct FloorDivOp {
    template <class T>
    static constexpr T apply(T a, T b) {
        T left = rest(a, b);
        bool is_below = left != 0 && (left < 0) != (b < 0);
        if constexpr (!std::is_floating_point_v<T>)
            return static_cast<T>(quotient(a, b) - is_below);
        else
            return of_floats(a, b, left, is_below);
    }

private:
    // floor(a / b) rounds twice, which may be one too many: the exact multiple of b is divided instead.
    template <class T>
    static constexpr T of_floats(T a, T b, T left, bool is_below) {
        T ratio = a / b;
        if (b == T(0))
            return ratio;
        T near = (a - left) / b - (is_below ? T(1) : T(0));
        if (near == T(0))
            return static_cast<T>(__builtin_copysign(T(0), ratio));
        T below = static_cast<T>(__builtin_floor(near));
        return near - below > T(0.5) ? below + T(1) : below;
    }
};
struct FloorModOp {
    template <class T>
    static constexpr T apply(T a, T b) {
        T left = rest(a, b);
        if constexpr (std::is_floating_point_v<T>)
            if (left == T(0))
                return static_cast<T>(__builtin_copysign(T(0), b));
        return left != 0 && (left < 0) != (b < 0) ? AddOp::apply(left, b) : left;
    }
};
struct MinOp {
    template <class T>
    static constexpr T apply(T a, T b) {
        if constexpr (std::is_floating_point_v<T>)
            return a != a ? b : (b < a ? b : a);
        else
            return b < a ? b : a;
    }
};
struct MaxOp {
    template <class T>
    static constexpr T apply(T a, T b) {
        if constexpr (std::is_floating_point_v<T>)
            return a != a ? b : (a < b ? b : a);
        else
            return a < b ? b : a;
    }
};
struct LtOp {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return a < b;
    }
};
struct LeOp {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return a <= b;
    }
};
struct EqOp {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return a == b;
    }
};
struct NeOp {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return a != b;
    }
};
struct BitAndOp {
    template <class T>
    static constexpr T apply(T a, T b) {
        return static_cast<T>(a & b);
    }
};
struct BitOrOp {
    template <class T>
    static constexpr T apply(T a, T b) {
        return static_cast<T>(a | b);
    }
};
struct BitXorOp {
    template <class T>
    static constexpr T apply(T a, T b) {
        return static_cast<T>(a ^ b);
    }
};
struct ShlOp {
    template <class T>
    static constexpr T apply(T a, T b) {
        constexpr Unsigned<T> width = 8 * sizeof(T);
        auto by = static_cast<Unsigned<T>>(b);
        return by < width ? static_cast<T>(static_cast<Unsigned<T>>(a) << (by & (width - 1))) : T(0);
    }
};
struct ShrOp {
    template <class T>
    static constexpr T apply(T a, T b) {
        constexpr Unsigned<T> width = 8 * sizeof(T);
        auto by = static_cast<Unsigned<T>>(b);
        T sign = std::is_signed_v<T> ? static_cast<T>(a >> (width - 1)) : T(0);
        return by < width ? static_cast<T>(a >> (by & (width - 1))) : sign;
    }
};
struct NegOp {
    template <class T>
    static constexpr T apply(T a) {
        if constexpr (std::is_floating_point_v<T>)
            return -a;
        else
            return static_cast<T>(Unsigned<T>(0) - static_cast<Unsigned<T>>(a));
    }
};
struct BitNotOp {
    template <class T>
    static constexpr T apply(T a) {
        return static_cast<T>(~a);
    }
};
struct NotOp {
    template <class T>
    static constexpr bool apply(T a) {
        return a == 0;
    }
};
struct AbsOp {
    template <class T>
    static constexpr T apply(T a) {
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(__builtin_fabs(a));
        else if constexpr (std::is_signed_v<T>)
            return a < 0 ? NegOp::apply(a) : a;
        else
            return a;
    }
};
struct MulAddOp {
    template <class T>
    static constexpr T apply(T a, T b, T c) {
        return AddOp::apply(MulOp::apply(a, b), c);
    }
};
struct FmaOp {
    template <class T>
    static T apply(T a, T b, T c) {
        if constexpr (std::is_same_v<T, float>)
            return __builtin_fmaf(a, b, c);
        else if constexpr (std::is_same_v<T, double>)
            return __builtin_fma(a, b, c);
        else
            return MulAddOp::apply(a, b, c);
    }
};

// ---- floats -------------------------------------------------------------------------------------------------------
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
struct RoundOp {
    template <class T>
    static T apply(T a) {
        T whole = TruncOp::apply(a);
        T one = static_cast<T>(__builtin_copysign(T(1), a));
        return static_cast<T>(__builtin_fabs(a - whole)) >= T(0.5) ? whole + one : whole;
    }
};
struct IsFiniteOp {
    template <class T>
    static bool apply(T a) {
        return static_cast<T>(__builtin_fabs(a)) <= std::numeric_limits<T>::max();
    }
};
struct IsInfOp {
    template <class T>
    static bool apply(T a) {
        return static_cast<T>(__builtin_fabs(a)) > std::numeric_limits<T>::max();
    }
};
struct IsNanOp {
    template <class T>
    static bool apply(T a) {
        return a != a;
    }
};
struct SqrtOp {
    static float apply(float a) { return __builtin_sqrtf(a); }
    static double apply(double a) { return __builtin_sqrt(a); }
};
struct RsqrtOp {
    template <class T>
    static T apply(T a) {
        return static_cast<T>(1.0 / __builtin_sqrt(static_cast<double>(a)));
    }
};
struct SinOp {
    static float apply(float a) { return float_sin(a); }
    static double apply(double a) { return __builtin_sin(a); }
};
struct CosOp {
    static float apply(float a) { return float_cos(a); }
    static double apply(double a) { return __builtin_cos(a); }
};
struct ExpOp {
    static float apply(float a) { return float_exp(a); }
    static double apply(double a) { return __builtin_exp(a); }
};

#define HIDET_SCALAR_POLYNOMIAL(Name, polynomial, library)                                                             \
    struct Name {                                                                                                      \
        static float apply(float a) { return static_cast<float>(polynomial(static_cast<double>(a))); }                 \
        static double apply(double a) { return library(a); }                                                           \
    };
HIDET_SCALAR_POLYNOMIAL(Exp2Op, fast_exp2, __builtin_exp2)
HIDET_SCALAR_POLYNOMIAL(LogOp, fast_log, __builtin_log)
HIDET_SCALAR_POLYNOMIAL(Log2Op, fast_log2, __builtin_log2)
HIDET_SCALAR_POLYNOMIAL(Log10Op, fast_log10, __builtin_log10)
HIDET_SCALAR_POLYNOMIAL(TanhOp, fast_tanh, __builtin_tanh)
HIDET_SCALAR_POLYNOMIAL(ErfOp, fast_erf, __builtin_erf)
#undef HIDET_SCALAR_POLYNOMIAL

#define HIDET_SCALAR_LIBRARY(Name, function)                                                                           \
    struct Name {                                                                                                      \
        template <class T>                                                                                             \
        static T apply(T a) {                                                                                          \
            return static_cast<T>(function(static_cast<double>(a)));                                                   \
        }                                                                                                              \
    };
HIDET_SCALAR_LIBRARY(TanOp, __builtin_tan)
HIDET_SCALAR_LIBRARY(SinhOp, __builtin_sinh)
HIDET_SCALAR_LIBRARY(CoshOp, __builtin_cosh)
HIDET_SCALAR_LIBRARY(AsinOp, __builtin_asin)
HIDET_SCALAR_LIBRARY(AcosOp, __builtin_acos)
HIDET_SCALAR_LIBRARY(AtanOp, __builtin_atan)
HIDET_SCALAR_LIBRARY(AsinhOp, __builtin_asinh)
HIDET_SCALAR_LIBRARY(AcoshOp, __builtin_acosh)
HIDET_SCALAR_LIBRARY(AtanhOp, __builtin_atanh)
HIDET_SCALAR_LIBRARY(Expm1Op, __builtin_expm1)
HIDET_SCALAR_LIBRARY(Log1pOp, __builtin_log1p)
#undef HIDET_SCALAR_LIBRARY

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

// ---- conversion ---------------------------------------------------------------------------------------------------
template <class T>
constexpr T saturate(double value) {
    constexpr double lowest = static_cast<double>(std::numeric_limits<T>::min());
    constexpr double highest = static_cast<double>(std::numeric_limits<T>::max());
    if (value != value)
        return 0;
    if (value <= lowest)
        return std::numeric_limits<T>::min();
    if (value >= highest)
        return std::numeric_limits<T>::max();
    return static_cast<T>(value);
}

// Between types that arithmetic is done in: 32 and 64 bits.
template <class To, class From>
constexpr To convert_number(From from) {
    if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
        return saturate<To>(from);
    else
        return static_cast<To>(from);
}

// ---- choice -------------------------------------------------------------------------------------------------------
template <class T>
constexpr bool takes_Number = true;
template <class T>
constexpr bool takes_Integer = std::is_integral_v<T>;
template <class T>
constexpr bool takes_Float = std::is_floating_point_v<T>;
template <class T>
using gives_Same = T;
template <class T>
using gives_Bool = bool;

// Calls use.template operator()<Operation, operands, T, Result>() with the operation of that name, or use.none() where T has
// none. Id: an enum that has every name of the table.
template <class T, class Id, class Use>
auto with_operation(Id id, Use&& use) {
    switch (id) {
#define HIDET_SCALAR_OP(Name, operands, takes, gives, bits, meaning)                                                   \
    case Id::Name:                                                                                                     \
        if constexpr (takes_##takes<T>)                                                                                \
            return use.template operator()<Name##Op, operands, T, gives_##gives<T>>();                                 \
        else                                                                                                           \
            return use.none();
#include "lang/base/scalar_ops.def"
    default: return use.none();
    }
}
