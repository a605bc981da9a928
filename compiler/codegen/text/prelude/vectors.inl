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

//> float8: vec
using float8 = vec<float, 8>;

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
