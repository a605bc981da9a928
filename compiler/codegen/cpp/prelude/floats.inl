// SPDX-License-Identifier: Apache-2.0
// 16-bit floats without help from the compiler: neither g++ 12 nor every CPU has them.

//> half: uint16_t uint32_t bit_cast
// 16 bits with 5 of exponent; rounded to nearest even.
struct half {
    uint16_t bits;
    half() = default;
    explicit half(float value) {
        uint32_t wide = bit_cast<uint32_t>(value), sign = wide >> 16 & 0x8000u;
        wide &= 0x7fffffffu;
        uint32_t special = wide > 0x7f800000u ? 0x7fffu : 0x7c00u;
        uint32_t small = bit_cast<uint32_t>(bit_cast<float>(wide) + 0.5f) - 0x3f000000u;
        uint32_t normal = (wide - 0x37fff001u + (wide >> 13 & 1u)) >> 13;
        bits = static_cast<uint16_t>(sign | (wide >= 0x47800000u ? special : wide < 0x38800000u ? small : normal));
    }
    explicit operator float() const {
        uint32_t sign = (bits & 0x8000u) << 16, digits = (bits & 0x7fffu) << 13;
        float scaled = bit_cast<float>(digits) * 0x1p112f;
        uint32_t size = digits >= 0x0f800000u ? digits | 0x7f800000u : bit_cast<uint32_t>(scaled);
        return bit_cast<float>(size | sign);
    }
};

//> bfloat16: uint16_t uint32_t bit_cast
// The upper half of a float; rounded to nearest even.
struct bfloat16 {
    uint16_t bits;
    bfloat16() = default;
    explicit bfloat16(float value) {
        uint32_t wide = bit_cast<uint32_t>(value);
        bits = static_cast<uint16_t>(value != value ? 0x7fffu : (wide + 0x7fffu + (wide >> 16 & 1u)) >> 16);
    }
    explicit operator float() const { return bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

//> float1
struct float1 {
    float x;
};
inline float1 make_float1(float x) { return {x}; }

//> float2
struct alignas(8) float2 {
    float x, y;
};
inline float2 make_float2(float x, float y) { return {x, y}; }

//> float4
struct alignas(16) float4 {
    float x, y, z, w;
};
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

//> to_e4m3: round_e4m3
inline uint8_t to_e4m3(float value) { return round_e4m3(value); }

//> to_e5m2: round_e5m2
inline uint8_t to_e5m2(float value) { return round_e5m2(value); }
