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

//> popc
template <class T>
inline int popc(T x) {
    return sizeof(T) == 8 ? __builtin_popcountll(x) : __builtin_popcount(unsigned(x));
}

//> clz
template <class T>
inline int clz(T x) {
    if (x == 0)
        return 8 * sizeof(T);
    return sizeof(T) == 8 ? __builtin_clzll(x) : __builtin_clz(unsigned(x));
}

//> ffs
template <class T>
inline int ffs(T x) {
    return sizeof(T) == 8 ? __builtin_ffsll((long long)x) : __builtin_ffs(int(x));
}

//> brev
template <class T>
inline T brev(T x) {
    auto given = (unsigned long long)x;
    unsigned long long result = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i, given >>= 1)
        result = result << 1 | (given & 1);
    return T(result);
}

//> funnelshift_l
inline unsigned funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
    return unsigned(((unsigned long long)hi << 32 | lo) << (shift & 31) >> 32);
}

//> funnelshift_lc
inline unsigned funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) {
    return unsigned(((unsigned long long)hi << 32 | lo) << (shift < 32 ? shift : 32) >> 32);
}

//> funnelshift_r
inline unsigned funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
    return unsigned(((unsigned long long)hi << 32 | lo) >> (shift & 31));
}

//> funnelshift_rc
inline unsigned funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) {
    return unsigned(((unsigned long long)hi << 32 | lo) >> (shift < 32 ? shift : 32));
}

//> dp4a
// The products of the bytes of two words, added to c; the sum wraps.
template <class Byte, class T>
inline T dp4a(T a, T b, T c) {
    auto sum = unsigned(c);
    for (int i = 0; i < 32; i += 8)
        sum += unsigned(int(Byte(unsigned(a) >> i)) * int(Byte(unsigned(b) >> i)));
    return T(sum);
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

//> float_to_int32
// The same of a float, of which none is the highest integer.
inline int float_to_int32(float value) {
    constexpr float beyond = 2147483648.0f;
    value = __builtin_fabsf(value) >= 1.0f ? value : 0.0f;
    value = value < -beyond ? -beyond : value;
    const bool is_high = value >= beyond;
    const int inside = int(is_high ? 0.0f : value);
    return is_high ? 2147483647 : inside;
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
