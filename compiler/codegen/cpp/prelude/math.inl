// SPDX-License-Identifier: Apache-2.0
// Mathematics of C++ for the CPU, with the bits of the emulator.

//> assume
inline void assume(bool condition) {
    if (!condition)
        __builtin_unreachable();
}

//> power
// The compiler does not see the exponent: GCC makes a root of a power of 0.5 in a loop, also of -0.0 and of minus infinity,
// of which the power is 0.0 and infinity.
inline double power(double base, double exponent) {
    const volatile double hidden = exponent;
    return __builtin_pow(base, hidden);
}

//> min
// Of a NaN and a number the number.
template <class T>
inline T min(T a, T b) {
    return a != a ? b : (b < a ? b : a);
}

//> max
// Of a NaN and a number the number.
template <class T>
inline T max(T a, T b) {
    return a != a ? b : (a < b ? b : a);
}

//> magnitude
// Of the lowest number that number.
template <class T>
inline T magnitude(T a) {
    return a < 0 ? T(0ull - (unsigned long long)a) : a;
}

//> float_to_int
// Toward zero; what does not fit becomes the nearest end of the range, a NaN 0.
template <class T>
inline T float_to_int(double value) {
    constexpr T highest = T(-1) > T(0) ? T(-1) : T(~(1ull << (8 * sizeof(T) - 1)));
    constexpr T lowest = T(-1) > T(0) ? T(0) : T(-highest - 1);
    // What becomes 0 is +0.0 first, NaN too: compilers make one truncation of this and a conversion back, which keeps -0.0.
    value = __builtin_fabs(value) >= 1.0 ? value : 0.0;
    if constexpr (sizeof(T) < 8) { // a double holds the ends
        value = value < double(lowest) ? double(lowest) : value;
        return T(value > double(highest) ? double(highest) : value);
    }
    return value <= double(lowest) ? lowest : value >= double(highest) ? highest : T(value);
}

//> store_bits
// Writes `bits` bits of a place from `shift` on; the others stay, whoever writes them meanwhile.
template <int bits, class T>
inline void store_bits(T* place, int shift, T value) {
    const T mask = T(((1u << bits) - 1u) << shift), part = T(unsigned(value) << shift) & mask;
    T seen = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(place, &seen, T((seen & ~mask) | part), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}
