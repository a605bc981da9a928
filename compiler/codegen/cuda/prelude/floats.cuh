// SPDX-License-Identifier: Apache-2.0
// 16-bit floats by the instructions of PTX.

//> half_type: uint16_t
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

//> half_arithmetic: half_type
// add.rn.f16 and its like; a quotient goes through float, which rounds the same.
inline __device__ half operator+(half a, half b) {
    asm("add.rn.f16 %0, %0, %1;" : "+h"(a.bits) : "h"(b.bits));
    return a;
}
inline __device__ half operator-(half a, half b) {
    asm("sub.rn.f16 %0, %0, %1;" : "+h"(a.bits) : "h"(b.bits));
    return a;
}
inline __device__ half operator*(half a, half b) {
    asm("mul.rn.f16 %0, %0, %1;" : "+h"(a.bits) : "h"(b.bits));
    return a;
}
inline __device__ half operator/(half a, half b) { return half(float(a) / float(b)); }
inline __device__ half operator-(half a) {
    a.bits ^= 0x8000;
    return a;
}

//> half: half_type half_arithmetic comparison(half)

//> half_fma: half
// fma.rn.f16
inline __device__ half fma(half a, half b, half c) {
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(c.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return c;
}

//> bfloat16_type: uint16_t
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

//> bfloat16: bfloat16_type arithmetic(bfloat16) comparison(bfloat16)

//> half2_arithmetic: half uint32_t bit_cast vec
// add.rn.f16x2 and its like.
inline __device__ vec<half, 2> operator+(vec<half, 2> a, vec<half, 2> b) {
    uint32_t sum;
    asm("add.rn.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(bit_cast<uint32_t>(a)), "r"(bit_cast<uint32_t>(b)));
    return bit_cast<vec<half, 2>>(sum);
}
inline __device__ vec<half, 2> operator-(vec<half, 2> a, vec<half, 2> b) {
    uint32_t difference;
    asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(difference) : "r"(bit_cast<uint32_t>(a)), "r"(bit_cast<uint32_t>(b)));
    return bit_cast<vec<half, 2>>(difference);
}
inline __device__ vec<half, 2> operator*(vec<half, 2> a, vec<half, 2> b) {
    uint32_t product;
    asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(product) : "r"(bit_cast<uint32_t>(a)), "r"(bit_cast<uint32_t>(b)));
    return bit_cast<vec<half, 2>>(product);
}
inline __device__ vec<half, 2> operator/(vec<half, 2> a, vec<half, 2> b) { return {a[0] / b[0], a[1] / b[1]}; }
inline __device__ vec<half, 2> operator-(vec<half, 2> a) { return {-a[0], -a[1]}; }
