// SPDX-License-Identifier: Apache-2.0
// What arithmetic on our numbers means, once, for the constant folder, the evaluator and the virtual machine alike.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace hidet {

// ---- small float formats: round to nearest even; fp8 saturates, as the hardware's conversions do ------------------
std::uint16_t f32_to_f16(float value);
float f16_to_f32(std::uint16_t bits);
std::uint16_t f32_to_bf16(float value);
float bf16_to_f32(std::uint16_t bits);
std::uint8_t f32_to_e4m3(float value);
float e4m3_to_f32(std::uint8_t bits);
std::uint8_t f32_to_e5m2(float value);
float e5m2_to_f32(std::uint8_t bits);

// One rounding, from double straight to the format.
double round_to_f16(double value);
double round_to_bf16(double value);
double round_to_tf32(double value);
double round_to_e4m3(double value);
double round_to_e5m2(double value);

// ---- division -----------------------------------------------------------------------------------------------------
// Integers: the divisor is not zero. INT_MIN / -1 wraps.
template <class T>
constexpr T truncating_div(T a, T b) {
    if constexpr (std::is_signed_v<T>)
        if (b == T(-1))
            return static_cast<T>(std::make_unsigned_t<T>(0) - static_cast<std::make_unsigned_t<T>>(a));
    return static_cast<T>(a / b);
}
template <class T>
constexpr T truncating_mod(T a, T b) {
    if constexpr (std::is_signed_v<T>)
        if (b == T(-1))
            return 0;
    return static_cast<T>(a % b);
}
template <class T>
constexpr T floor_div_int(T a, T b) {
    T quotient = truncating_div(a, b);
    if constexpr (std::is_signed_v<T>)
        if (truncating_mod(a, b) != 0 && (a < 0) != (b < 0))
            --quotient;
    return quotient;
}
template <class T>
constexpr T floor_mod_int(T a, T b) {
    T rest = truncating_mod(a, b);
    if constexpr (std::is_signed_v<T>)
        if (rest != 0 && (rest < 0) != (b < 0))
            rest = static_cast<T>(rest + b);
    return rest;
}

// Python's `%` and `//` on floats, in T's precision. A zero divisor gives what the hardware's division gives.
template <class T>
T floor_mod_float(T a, T b) {
    T rest = std::fmod(a, b);
    if (rest == T(0))
        return std::copysign(T(0), b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
}
template <class T>
T floor_div_float(T a, T b) {
    if (b == T(0) || !std::isfinite(a) || !std::isfinite(b))
        return std::floor(a / b);
    T rest = std::fmod(a, b);
    T quotient = (a - rest) / b;
    if (rest != T(0) && (rest < 0) != (b < 0))
        quotient -= T(1);
    if (quotient == T(0))
        return std::copysign(T(0), a / b);
    T rounded = std::floor(quotient);
    return quotient - rounded > T(0.5) ? rounded + T(1) : rounded;
}

// ---- conversion ---------------------------------------------------------------------------------------------------
// Toward zero; what does not fit becomes the nearest end of the range, NaN becomes 0 (the GPU's rule).
template <class T>
T float_to_int(double value) {
    if (std::isnan(value))
        return 0;
    constexpr T lowest = std::numeric_limits<T>::min();
    constexpr T highest = std::numeric_limits<T>::max();
    if (value <= static_cast<double>(lowest))
        return lowest;
    if (value >= static_cast<double>(highest))
        return highest;
    return static_cast<T>(value);
}

} // namespace hidet
