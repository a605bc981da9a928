// SPDX-License-Identifier: Apache-2.0
// Integer types, bits, short floats and vectors, for CUDA C++ and C++ alike. $device is what makes a function run on the
// device. The types `half` and `bfloat16` themselves are in cuda/prelude and cpp/prelude.

//> int8_t
typedef signed char int8_t;

//> int16_t
typedef short int16_t;

//> int64_t
typedef long long int64_t;

//> uint8_t
typedef unsigned char uint8_t;

//> uint16_t
typedef unsigned short uint16_t;

//> uint32_t
typedef unsigned int uint32_t;

//> uint64_t
typedef unsigned long long uint64_t;

//> bit_cast
// The bits of one type as another of the same size.
template <class To, class From>
inline $device To bit_cast(From from) {
    return __builtin_bit_cast(To, from);
}

//> round_to_odd: uint32_t bit_cast
// A double as a float that rounds on, to a shorter format, as the double itself would.
inline $device float round_to_odd(double value) {
    float nearest = static_cast<float>(value);
    uint32_t bits = bit_cast<uint32_t>(nearest);
    bool is_exact = nearest == value || (bits & 0x7f800000u) == 0x7f800000u || value != value;
    if (is_exact)
        return nearest;
    bool is_too_large = value < 0 ? nearest < value : nearest > value;
    return bit_cast<float>((bits - is_too_large) | 1u);
}

//> floor_div
// Division of integers that rounds down.
template <class T>
inline $device T floor_div(T a, T b) {
    T quotient = a / b;
    return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

//> floor_mod
// The remainder that has the sign of the divisor.
template <class T>
inline $device T floor_mod(T a, T b) {
    T rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

//> shift_left
// By the width or more: 0.
template <class T>
inline $device T shift_left(T a, T count) {
    const unsigned long long width = 8 * sizeof(T);
    return (unsigned long long)count < width ? a << (count & T(width - 1)) : T(0);
}

//> shift_right
// By the width or more: what remains is the sign.
template <class T>
inline $device T shift_right(T a, T count) {
    const unsigned long long width = 8 * sizeof(T);
    const T sign = T(-1) > T(0) ? T(0) : a >> (width - 1);
    return (unsigned long long)count < width ? a >> (count & T(width - 1)) : sign;
}
