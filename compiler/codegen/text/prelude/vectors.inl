// SPDX-License-Identifier: Apache-2.0
// Values side by side.

//> vec
// N values of type T that lie side by side and are read and written at once.
template <class T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) vec {
    T lanes[N];
    vec() = default;
    $device explicit vec(T value) {
        for (T& lane : lanes)
            lane = value;
    }
    template <class... Rest>
    $device vec(T first, T second, Rest... rest) : lanes{first, second, T(rest)...} {}
    $device T& operator[](int i) { return lanes[i]; }
    $device const T& operator[](int i) const { return lanes[i]; }
};

//> each: vec
// What f makes of each lane.
template <class F, class T, int N, class... Rest>
inline $device vec<T, N> each(F f, vec<T, N> a, Rest... rest) {
    vec<T, N> out;
    for (int i = 0; i < N; ++i)
        out[i] = f(a[i], rest[i]...);
    return out;
}

//> vec_operator(op): each
template <class T, int N>
inline $device vec<T, N> operator$op(vec<T, N> a, vec<T, N> b) {
    return each([](T x, T y) { return T(x $op y); }, a, b);
}

//> vec_negation: each
template <class T, int N>
inline $device vec<T, N> operator-(vec<T, N> a) {
    return each([](T x) { return T(-x); }, a);
}

//> half1: half vec
using half1 = vec<half, 1>;

//> half2: half vec
using half2 = vec<half, 2>;

//> half4: half vec
using half4 = vec<half, 4>;

//> half8: half vec
using half8 = vec<half, 8>;

//> bfloat16x2: bfloat16 vec
using bfloat16x2 = vec<bfloat16, 2>;

//> int8x4: int8_t vec
using int8x4 = vec<int8_t, 4>;

//> uint8x4: uint8_t vec
using uint8x4 = vec<uint8_t, 4>;

//> all_float1: float1
inline $device float1 all_float1(float x) { return make_float1(x); }

//> all_float2: float2
inline $device float2 all_float2(float x) { return make_float2(x, x); }

//> all_float4: float4
inline $device float4 all_float4(float x) { return make_float4(x, x, x, x); }

//> int4x8: int8_t uint32_t
// Eight values of four bits in a word, the first in the lowest bits.
struct int4x8 {
    uint32_t bits;
    int4x8() = default;
    $device explicit int4x8(int value) : bits((value & 15u) * 0x11111111u) {}
    $device int4x8(int a, int b, int c, int d, int e, int f, int g, int h)
        : bits((a & 15u) | (b & 15u) << 4 | (c & 15u) << 8 | (d & 15u) << 12 | (e & 15u) << 16 | (f & 15u) << 20 |
               (g & 15u) << 24 | (h & 15u) << 28) {}
    $device int8_t operator[](int i) const { return static_cast<int8_t>(static_cast<int>(bits << (28 - 4 * i)) >> 28); }
};

//> uint4x8: uint8_t uint32_t
// Eight values of four bits in a word, the first in the lowest bits.
struct uint4x8 {
    uint32_t bits;
    uint4x8() = default;
    $device explicit uint4x8(int value) : bits((value & 15u) * 0x11111111u) {}
    $device uint4x8(int a, int b, int c, int d, int e, int f, int g, int h)
        : bits((a & 15u) | (b & 15u) << 4 | (c & 15u) << 8 | (d & 15u) << 12 | (e & 15u) << 16 | (f & 15u) << 20 |
               (g & 15u) << 24 | (h & 15u) << 28) {}
    $device uint8_t operator[](int i) const { return bits >> 4 * i & 15u; }
};

//> int4x2: int8_t uint8_t
// Two values of four bits in a byte, the first in the lower bits.
struct int4x2 {
    uint8_t bits;
    int4x2() = default;
    $device explicit int4x2(int value) : bits(static_cast<uint8_t>((value & 15u) * 0x11u)) {}
    $device int4x2(int a, int b) : bits(static_cast<uint8_t>((a & 15u) | (b & 15u) << 4)) {}
    $device int8_t operator[](int i) const { return static_cast<int8_t>(((bits >> 4 * i & 15) ^ 8) - 8); }
};

//> uint4x2: uint8_t
// Two values of four bits in a byte, the first in the lower bits.
struct uint4x2 {
    uint8_t bits;
    uint4x2() = default;
    $device explicit uint4x2(int value) : bits(static_cast<uint8_t>((value & 15u) * 0x11u)) {}
    $device uint4x2(int a, int b) : bits(static_cast<uint8_t>((a & 15u) | (b & 15u) << 4)) {}
    $device uint8_t operator[](int i) const { return bits >> 4 * i & 15u; }
};

//> complex
// A number with a real and an imaginary part.
template <class T>
struct alignas(2 * sizeof(T)) complex {
    T real, imag;
    complex() = default;
    $device explicit complex(T real, T imag = T(0)) : real(real), imag(imag) {}
    template <class From>
    $device explicit complex(complex<From> a) : real(T(a.real)), imag(T(a.imag)) {}
};

//> complex64: complex
using complex64 = complex<float>;

//> complex128: complex
using complex128 = complex<double>;

//> complex_sum(op): complex
template <class T>
inline $device complex<T> operator$op(complex<T> a, complex<T> b) {
    return complex<T>(a.real $op b.real, a.imag $op b.imag);
}

//> complex_product: complex
template <class T>
inline $device complex<T> operator*(complex<T> a, complex<T> b) {
    return complex<T>(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real);
}

//> complex_quotient: complex
// Scaled by the larger part of the divisor, so that squares neither overflow nor vanish.
template <class T>
inline $device complex<T> operator/(complex<T> a, complex<T> b) {
    const bool is_real = (b.imag < 0 ? -b.imag : b.imag) <= (b.real < 0 ? -b.real : b.real);
    const T large = is_real ? b.real : b.imag, small = is_real ? b.imag : b.real;
    const T ratio = large == T(0) ? T(0) : small / large;
    const T scale = T(1) / (large + small * ratio);
    const T x = is_real ? a.real : a.imag, y = is_real ? a.imag : a.real;
    const T imag = (y - x * ratio) * scale;
    return complex<T>((x + y * ratio) * scale, is_real ? imag : -imag);
}

//> complex_equality: complex
template <class T>
inline $device bool operator==(complex<T> a, complex<T> b) {
    return a.real == b.real && a.imag == b.imag;
}

//> complex_inequality: complex
template <class T>
inline $device bool operator!=(complex<T> a, complex<T> b) {
    return a.real != b.real || a.imag != b.imag;
}

//> complex_negation: complex
template <class T>
inline $device complex<T> operator-(complex<T> a) {
    return complex<T>(-a.real, -a.imag);
}
