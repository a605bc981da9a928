// SPDX-License-Identifier: Apache-2.0
// What each operation does to one value. Included by the leaves and by the scalar interpreter; everything is local to
// the file that includes it (see table.h).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "lang/base/numeric.h"

namespace hidet::vm {
namespace {

template <class To, class From>
inline To bits_to(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

template <class T>
using Unsigned = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

// Integers wrap; signed overflow would be undefined.
struct AddOp {
    template <class T>
    static T apply(T a, T b) {
        return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
    }
};
struct SubOp {
    template <class T>
    static T apply(T a, T b) {
        return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
    }
};
struct MulOp {
    template <class T>
    static T apply(T a, T b) {
        return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
    }
};

// A divisor of 0 is a finding when the lane runs; for the others any result will do.
template <class T>
inline T quotient(T a, T b) {
    b = b == 0 ? T(1) : b;
    if constexpr (sizeof(T) == 4)
        return static_cast<T>(static_cast<std::int64_t>(static_cast<double>(a) / static_cast<double>(b)));
    if constexpr (std::is_signed_v<T>)
        if (b == T(-1))
            return static_cast<T>(0 - static_cast<Unsigned<T>>(a));
    return static_cast<T>(a / b);
}
struct DivOp {
    template <class T>
    static T apply(T a, T b) {
        if constexpr (std::is_floating_point_v<T>)
            return a / b;
        else
            return quotient(a, b);
    }
};
template <class T>
inline T remainder_of(T a, T b) {
    return SubOp::apply(a, MulOp::apply(quotient(a, b), b == 0 ? T(1) : b));
}
struct ModOp {
    template <class T>
    static T apply(T a, T b) {
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(std::fmod(a, b));
        else
            return remainder_of(a, b);
    }
};
struct FloorDivOp {
    template <class T>
    static T apply(T a, T b) {
        if constexpr (std::is_floating_point_v<T>) {
            if (b == T(0) || !(__builtin_fabs(a) <= std::numeric_limits<T>::max()) ||
                !(__builtin_fabs(b) <= std::numeric_limits<T>::max()))
                return static_cast<T>(__builtin_floor(a / b));
            T rest = static_cast<T>(__builtin_fmod(a, b));
            T result = (a - rest) / b;
            if (rest != T(0) && (rest < 0) != (b < 0))
                result -= T(1);
            if (result == T(0))
                return static_cast<T>(__builtin_copysign(T(0), a / b));
            T rounded = static_cast<T>(__builtin_floor(result));
            return result - rounded > T(0.5) ? rounded + T(1) : rounded;
        } else {
            T q = quotient(a, b);
            if constexpr (std::is_signed_v<T>) {
                T rest = remainder_of(a, b);
                q = rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(q - 1) : q;
            }
            return q;
        }
    }
};
struct FloorModOp {
    template <class T>
    static T apply(T a, T b) {
        if constexpr (std::is_floating_point_v<T>) {
            T rest = static_cast<T>(__builtin_fmod(a, b));
            if (rest == T(0))
                return static_cast<T>(__builtin_copysign(T(0), b));
            return (rest < 0) != (b < 0) ? rest + b : rest;
        } else {
            T rest = remainder_of(a, b);
            if constexpr (std::is_signed_v<T>)
                rest = rest != 0 && (rest < 0) != (b < 0) ? AddOp::apply(rest, b) : rest;
            return rest;
        }
    }
};
struct MinOp {
    template <class T>
    static T apply(T a, T b) {
        if constexpr (std::is_floating_point_v<T>)
            return a != a ? b : (b < a ? b : a);
        else
            return b < a ? b : a;
    }
};
struct MaxOp {
    template <class T>
    static T apply(T a, T b) {
        if constexpr (std::is_floating_point_v<T>)
            return a != a ? b : (a < b ? b : a);
        else
            return a < b ? b : a;
    }
};
struct AndOp {
    template <class T>
    static T apply(T a, T b) {
        return static_cast<T>(a & b);
    }
};
struct OrOp {
    template <class T>
    static T apply(T a, T b) {
        return static_cast<T>(a | b);
    }
};
struct XorOp {
    template <class T>
    static T apply(T a, T b) {
        return static_cast<T>(a ^ b);
    }
};
struct ShlOp {
    template <class T>
    static T apply(T a, T b) {
        constexpr Unsigned<T> width = 8 * sizeof(T);
        auto by = static_cast<Unsigned<T>>(b);
        return by < width ? static_cast<T>(static_cast<Unsigned<T>>(a) << (by & (width - 1))) : T(0);
    }
};
struct ShrOp {
    template <class T>
    static T apply(T a, T b) {
        constexpr Unsigned<T> width = 8 * sizeof(T);
        auto by = static_cast<Unsigned<T>>(b);
        T sign = static_cast<T>(a >> (width - 1));
        T rest = std::is_signed_v<T> ? sign : T(0);
        return by < width ? static_cast<T>(a >> (by & (width - 1))) : rest;
    }
};
struct LtOp {
    template <class T>
    static std::uint32_t apply(T a, T b) {
        return a < b;
    }
};
struct LeOp {
    template <class T>
    static std::uint32_t apply(T a, T b) {
        return a <= b;
    }
};
struct EqOp {
    template <class T>
    static std::uint32_t apply(T a, T b) {
        return a == b;
    }
};
struct NeOp {
    template <class T>
    static std::uint32_t apply(T a, T b) {
        return a != b;
    }
};
struct NegOp {
    template <class T>
    static T apply(T a) {
        if constexpr (std::is_floating_point_v<T>)
            return -a;
        else
            return static_cast<T>(Unsigned<T>(0) - static_cast<Unsigned<T>>(a));
    }
};
struct BitNotOp {
    template <class T>
    static T apply(T a) {
        return static_cast<T>(~a);
    }
};
struct NotOp {
    template <class T>
    static T apply(T a) {
        return a == 0;
    }
};
struct AbsOp {
    template <class T>
    static T apply(T a) {
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
    static T apply(T a, T b, T c) {
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

// ---- conversions -----------------------------------------------------------------------------------------------
inline float half_to_float(std::uint32_t h) {
    std::uint32_t rest = (h & 0x7FFFu) << 13;
    float scaled = bits_to<float>(rest) * 0x1p112f;
    std::uint32_t bits = (h & 0x7C00u) == 0x7C00u ? (rest | 0x7F800000u) : bits_to<std::uint32_t>(scaled);
    return bits_to<float>(bits | (h & 0x8000u) << 16);
}

inline std::uint32_t float_to_half(float f) {
    std::uint32_t u = bits_to<std::uint32_t>(f);
    std::uint32_t sign = (u & 0x80000000u) >> 16;
    u &= 0x7FFFFFFFu;
    std::uint32_t special = u > 0x7F800000u ? 0x7FFFu : 0x7C00u;
    std::uint32_t small = bits_to<std::uint32_t>(bits_to<float>(u) + 0.5f) - 0x3F000000u;
    std::uint32_t normal = (u + 0xC8000FFFu + ((u >> 13) & 1)) >> 13;
    std::uint32_t result = u >= 0x47800000u ? special : (u < 0x38800000u ? small : normal);
    return result | sign;
}

inline float bf16_to_float(std::uint32_t b) {
    return bits_to<float>(b << 16);
}

inline std::uint32_t float_to_bf16(float f) {
    std::uint32_t u = bits_to<std::uint32_t>(f);
    std::uint32_t rounded = (u + 0x7FFFu + ((u >> 16) & 1)) >> 16;
    return (u & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFu : rounded;
}

inline float round_tf32(float f) {
    std::uint32_t u = bits_to<std::uint32_t>(f);
    std::uint32_t rounded = (u + 0xFFFu + ((u >> 13) & 1)) & ~0x1FFFu;
    return bits_to<float>((u & 0x7F800000u) == 0x7F800000u ? u : rounded);
}

// Rounds a double to a float so that rounding again, to a shorter format, is as good as rounding once (round to odd).
inline float to_odd(double d) {
    float f = static_cast<float>(d);
    std::uint32_t u = bits_to<std::uint32_t>(f);
    double back = f;
    bool finite = (u & 0x7F800000u) != 0x7F800000u;
    if (back == d || !finite)
        return f;
    if (__builtin_fabs(back) > __builtin_fabs(d))
        --u;
    return bits_to<float>(u | 1u);
}

template <class T>
inline T saturate(double value) {
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

template <class To, class From>
inline To convert_number(From from) {
    if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
        return saturate<To>(from);
    else
        return static_cast<To>(from);
}

} // namespace
} // namespace hidet::vm
