// SPDX-License-Identifier: Apache-2.0
// 16-bit floats by the instructions of PTX.

//> half: uint16_t
// 16 bits with 5 of exponent: cvt.rn.f16.f32, cvt.f32.f16.
struct half {
    uint16_t bits;
    half() = default;
    __device__ explicit half(float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); }
    __device__ explicit operator float() const {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
    }
};

//> half_operator(op, name): half
// $name.rn.f16
inline __device__ half operator$op(half a, half b) {
    asm("$name.rn.f16 %0, %0, %1;" : "+h"(a.bits) : "h"(b.bits));
    return a;
}

//> float8: vec
using float8 = vec<float, 8>;

//> float32x16: vec
using float32x16 = vec<float, 16>;

//> half_fma: half
// fma.rn.f16
inline __device__ half fma(half a, half b, half c) {
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(c.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return c;
}

//> bfloat16: uint16_t
// The upper half of a float: cvt.rn.bf16.f32 where there is one.
struct bfloat16 {
    uint16_t bits;
    bfloat16() = default;
    __device__ explicit bfloat16(float value) {
#if __CUDA_ARCH__ >= 800
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
#else
        unsigned wide = __float_as_uint(value);
        bits = value != value ? 0x7fff : (wide + 0x7fff + (wide >> 16 & 1)) >> 16;
#endif
    }
    __device__ explicit operator float() const { return __uint_as_float(unsigned(bits) << 16); }
};

//> half2_operator(op, name): half2 uint32_t bit_cast
// $name.rn.f16x2
inline __device__ half2 operator$op(half2 a, half2 b) {
    uint32_t out;
    asm("$name.rn.f16x2 %0, %1, %2;" : "=r"(out) : "r"(bit_cast<uint32_t>(a)), "r"(bit_cast<uint32_t>(b)));
    return bit_cast<half2>(out);
}

//> to_e4m3: uint16_t round_e4m3
// cvt.rn.satfinite.e4m3x2.f32 where there is one.
inline __device__ uint8_t to_e4m3(float value) {
#if __CUDA_ARCH__ >= 890
    uint16_t pair;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(value));
    return static_cast<uint8_t>(pair);
#else
    return round_e4m3(value);
#endif
}

//> to_e5m2: uint16_t round_e5m2
// cvt.rn.satfinite.e5m2x2.f32 where there is one.
inline __device__ uint8_t to_e5m2(float value) {
#if __CUDA_ARCH__ >= 890
    uint16_t pair;
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(value));
    return static_cast<uint8_t>(pair);
#else
    return round_e5m2(value);
#endif
}
