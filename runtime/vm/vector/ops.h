// SPDX-License-Identifier: Apache-2.0
// What each operation does to one value: the table of lang/base/scalar_ops.def, and short floats. Included by the leaves and
// by the scalar interpreter; everything is local to the file that includes it (see table.h).
#pragma once

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

#include "lang/base/elementary.inl"
#include "lang/base/scalar_ops.inl"

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

} // namespace
} // namespace hidet::vm
