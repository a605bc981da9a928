// SPDX-License-Identifier: Apache-2.0
// Mathematics of C++ for the CPU, with the bits of the emulator.

//> assume
inline void assume(bool condition) {
    if (!condition)
        __builtin_unreachable();
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
    if (value != value)
        return 0;
    return value <= double(lowest) ? lowest : value >= double(highest) ? highest : T(value);
}
