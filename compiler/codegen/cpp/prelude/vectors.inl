// SPDX-License-Identifier: Apache-2.0
// Vectors that a register of the CPU holds, of floats: those of the language with a vector of the compiler in them, which it
// keeps in registers and splits where the processor has narrower ones. Memory is read and written at any address.

//> native_vector
// How vectors are passed between translation units does not matter: these functions are of one.
#pragma GCC diagnostic ignored "-Wpsabi"
template <int lanes>
struct native_vector {
    typedef float type __attribute__((vector_size(4 * lanes)));
    typedef float loose __attribute__((vector_size(4 * lanes), aligned(16), may_alias));   // in a value
    typedef float anywhere __attribute__((vector_size(4 * lanes), aligned(4), may_alias)); // in memory
};

//> wide_vec: vec native_vector
template <int lanes>
struct wide_vec {
    using native_type = typename native_vector<lanes>::type;
    typename native_vector<lanes>::loose native;
    wide_vec() = default;
    wide_vec(const native_type& value) : native(value) {}
    explicit wide_vec(float value) : native(value - native_type{}) {}
    template <class... Rest>
    wide_vec(float first, float second, Rest... rest) : native{first, second, float(rest)...} {}
    float& operator[](int i) { return reinterpret_cast<float*>(&native)[i]; }
    float operator[](int i) const { return native[i]; }
};
template <>
struct vec<float, 8> : wide_vec<8> {
    using wide_vec<8>::wide_vec;
};
template <>
struct vec<float, 16> : wide_vec<16> {
    using wide_vec<16>::wide_vec;
};

//> float8: wide_vec
using float8 = vec<float, 8>;

//> float32x16: wide_vec
using float32x16 = vec<float, 16>;

//> native: float4 wide_vec
inline native_vector<4>::type native(float4 v) { return native_vector<4>::type{v.x, v.y, v.z, v.w}; }
template <int lanes>
inline typename native_vector<lanes>::type native(vec<float, lanes> v) {
    return v.native;
}
template <class V, class Native>
inline V as_value(const Native& n) {
    if constexpr (sizeof(V) == 16)
        return V{n[0], n[1], n[2], n[3]};
    else
        return V(n);
}

//> avx_all: native
template <class V>
inline V avx_all(float value) {
    return as_value<V>(value - typename native_vector<sizeof(V) / 4>::type{});
}

//> avx_load: native
template <class V>
inline V avx_load(const void* from) {
    using type = typename native_vector<sizeof(V) / 4>::type;
    return as_value<V>(type(*static_cast<const typename native_vector<sizeof(V) / 4>::anywhere*>(from)));
}

//> avx_store: native
template <class V>
inline void avx_store(void* to, V value) {
    *static_cast<typename native_vector<sizeof(V) / 4>::anywhere*>(to) = native(value);
}

//> avx_arithmetic(name, op): native
template <class V>
inline V avx_$name(V a, V b) {
    return as_value<V>(native(a) $op native(b));
}

//> avx_max: native
// b where one of both is a NaN.
template <class V>
inline V avx_max(V a, V b) {
    const auto x = native(a), y = native(b);
    return as_value<V>(x > y ? x : y);
}

//> avx_sqrt: native
template <class V>
inline V avx_sqrt(V a) {
    auto x = native(a);
    for (int i = 0; i < int(sizeof(V) / 4); ++i)
        x[i] = __builtin_sqrtf(x[i]);
    return as_value<V>(x);
}

//> avx_fmadd: native
template <class V>
inline V avx_fmadd(V a, V b, V c) {
    const auto x = native(a), y = native(b);
    auto z = native(c);
    for (int i = 0; i < int(sizeof(V) / 4); ++i)
        z[i] = __builtin_fmaf(x[i], y[i], z[i]);
    return as_value<V>(z);
}

//> avx_hadd: native
inline float4 avx_hadd(float4 a, float4 b) { return {a.x + a.y, a.z + a.w, b.x + b.y, b.z + b.w}; }

//> avx_lanes: native
// Lanes of a, behind which those of b are counted; -1: a zero.
template <class V, int... from, class A, class B>
inline V avx_lanes(A a, B b) {
    constexpr int lanes = sizeof(A) / 4, more = sizeof(B) / 4;
    const auto x = native(a);
    const auto y = native(b);
    return V{(from < 0 ? 0.0f : from < lanes ? x[from & (lanes - 1)] : y[from & (more - 1)])...};
}
template <class V, int... from, class A>
inline V avx_lanes(A a) {
    const auto x = native(a);
    return V{x[from]...};
}

//> avx_first: native
template <class V>
inline float avx_first(V a) {
    return native(a)[0];
}

//> avx_sum: native
// Of the halves, until four lanes are left, then of neighbours.
template <class V>
inline float avx_sum(V a) {
    auto x = native(a);
    for (int half = sizeof(V) / 8; half >= 4; half /= 2)
        for (int i = 0; i < half; ++i)
            x[i] += x[i + half];
    return (x[0] + x[1]) + (x[2] + x[3]);
}

//> avx_greatest: native
template <class V>
inline float avx_greatest(V a) {
    auto x = native(a);
    for (int half = sizeof(V) / 8; half > 0; half /= 2)
        for (int i = 0; i < half; ++i)
            x[i] = x[i] > x[i + half] ? x[i] : x[i + half];
    return x[0];
}

//> native_words
template <int lanes>
struct native_words {
    typedef int type __attribute__((vector_size(4 * lanes)));
    typedef int anywhere __attribute__((vector_size(4 * lanes), aligned(4), may_alias)); // in memory
    typedef short halves __attribute__((vector_size(4 * lanes)));
    typedef unsigned short whole_halves __attribute__((vector_size(4 * lanes)));
};

//> dot_bytes: native_words
// The instruction of its name, or products of pairs: those of the even bytes and those of the odd ones, which no sum of two exceeds.
// In assembly, as the compilers' own functions for it differ.
template <int lanes, class Words = typename native_words<lanes>::type>
inline Words sum_of_products(Words sum, Words bytes, Words columns) {
#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(bytes), "v"(columns));
    return sum;
#elif defined(__AVX2__)
    using halves = typename native_words<lanes>::halves;
    using whole = typename native_words<lanes>::whole_halves;
    const auto add_products = [&](halves a, halves b) {
        Words pairs;
        __asm__("vpmaddwd %2, %1, %0" : "=v"(pairs) : "v"(a), "v"(b));
        sum += pairs;
    };
    const whole both = (whole)columns;
    add_products((halves)(bytes & 0x00ff00ff), (halves)(both << 8) >> 8);
    add_products((halves)((whole)bytes >> 8), (halves)both >> 8);
    return sum;
#else
    for (int byte = 0; byte < 4; ++byte) {
        sum += (bytes & 255) * (columns << 24 >> 24);
        bytes >>= 8;
        columns >>= 8;
    }
    return sum;
#endif
}
template <int lanes>
inline void dot_bytes(int* sums, const unsigned char* bytes, const signed char* columns) {
    using words = native_words<lanes>;
#if defined(__AVX512BW__)
    constexpr int most = 16;
#elif defined(__AVX2__)
    constexpr int most = 8;
#else
    constexpr int most = 4;
#endif
    if constexpr (lanes > most) {
        dot_bytes<lanes / 2>(sums, bytes, columns);
        dot_bytes<lanes / 2>(sums + lanes / 2, bytes, columns + 2 * lanes);
    } else {
        int word;
        __builtin_memcpy(&word, bytes, 4);
        const typename words::type before = *reinterpret_cast<const typename words::anywhere*>(sums);
        const typename words::type factors = *reinterpret_cast<const typename words::anywhere*>(columns);
        *reinterpret_cast<typename words::anywhere*>(sums) =
            sum_of_products<lanes>(before, word - typename words::type{}, factors);
    }
}

//> aligned_memory: hidet_host fail
// Memory that lives until it is given back.
inline void* aligned_memory(const hidet_host* host, long long bytes, long long align) {
    if (align <= 0 || (align & (align - 1)) != 0)
        fail(host, -1, "asks for memory at a multiple of no power of two");
    const long long step = align < 16 ? 16 : align;
    void* memory = bytes < 0 ? nullptr : __builtin_aligned_alloc(step, (bytes + step) / step * step);
    if (!memory)
        fail(host, -1, "asks for memory that there is not");
    return memory;
}
