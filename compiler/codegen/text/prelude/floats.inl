// SPDX-License-Identifier: Apache-2.0
// Short floats that both languages compute with in float, and vectors.

//> tfloat32: uint32_t bit_cast
// A float of which a matrix instruction uses the upper 19 bits; rounded to nearest even, by one instruction where there is one.
struct tfloat32 {
    float value;
    tfloat32() = default;
    $device explicit tfloat32(float wide) {
        uint32_t bits;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(bits) : "f"(wide));
        value = bit_cast<float>(bits);
#else
        bits = bit_cast<uint32_t>(wide);
        bool is_finite = (bits & 0x7f800000u) != 0x7f800000u;
        value = bit_cast<float>(is_finite ? (bits + 0xfffu + (bits >> 13 & 1u)) & ~0x1fffu : bits);
#endif
    }
    $device explicit operator float() const { return value; }
};

//> round_e4m3: uint8_t uint32_t bit_cast
// 8 bits with 4 of exponent: rounded to nearest even, what is too large becomes 448.
inline $device uint8_t round_e4m3(float value) {
    uint32_t bits = bit_cast<uint32_t>(value), sign = bits >> 24 & 0x80u;
    bits &= 0x7fffffffu;
    if (bits > 0x7f800000u)
        return static_cast<uint8_t>(sign | 0x7fu);
    if (bits > 0x43e00000u)
        return static_cast<uint8_t>(sign | 0x7eu);
    if (bits < 0x3c800000u) // the sum aligns the digits of a small value and rounds them
        return static_cast<uint8_t>(sign | (bit_cast<uint32_t>(bit_cast<float>(bits) + 16384.0f) - 0x46800000u));
    return static_cast<uint8_t>(sign | ((bits - 0x3c000000u + 0x7ffffu + (bits >> 20 & 1u)) >> 20));
}

//> round_e5m2: uint8_t uint32_t bit_cast
// 8 bits with 5 of exponent: rounded to nearest even, what is too large becomes 57344.
inline $device uint8_t round_e5m2(float value) {
    uint32_t bits = bit_cast<uint32_t>(value), sign = bits >> 24 & 0x80u;
    bits &= 0x7fffffffu;
    if (bits > 0x7f800000u)
        return static_cast<uint8_t>(sign | 0x7fu);
    if (bits > 0x47600000u)
        return static_cast<uint8_t>(sign | 0x7bu);
    if (bits < 0x38800000u) // the sum aligns the digits of a small value and rounds them
        return static_cast<uint8_t>(sign | (bit_cast<uint32_t>(bit_cast<float>(bits) + 128.0f) - 0x43000000u));
    return static_cast<uint8_t>(sign | ((bits - 0x38000000u + 0xfffffu + (bits >> 21 & 1u)) >> 21));
}

//> float8_e4m3: uint8_t uint32_t bit_cast to_e4m3
struct float8_e4m3 {
    uint8_t bits;
    float8_e4m3() = default;
    $device explicit float8_e4m3(float value) : bits(to_e4m3(value)) {}
    $device explicit operator float() const {
        uint32_t sign = (bits & 0x80u) << 24, digits = bits & 0x7fu;
        float size = digits == 0x7fu ? bit_cast<float>(0x7fffffffu) : bit_cast<float>(digits << 20) * 0x1p120f;
        return bit_cast<float>(bit_cast<uint32_t>(size) | sign);
    }
};

//> float8_e5m2: uint8_t uint32_t bit_cast to_e5m2
struct float8_e5m2 {
    uint8_t bits;
    float8_e5m2() = default;
    $device explicit float8_e5m2(float value) : bits(to_e5m2(value)) {}
    $device explicit operator float() const {
        uint32_t sign = (bits & 0x80u) << 24, digits = (bits & 0x7fu) << 21;
        float scaled = bit_cast<float>(digits) * 0x1p112f;
        uint32_t size = digits >= 0x0f800000u ? digits | 0x7f800000u : bit_cast<uint32_t>(scaled);
        return bit_cast<float>(size | sign);
    }
};

//> float_operator(T, op): $T
inline $device $T operator$op($T a, $T b) { return $T(float(a) $op float(b)); }

//> float_comparison(T, op): $T
inline $device bool operator$op($T a, $T b) { return float(a) $op float(b); }

//> float_negation(T): $T
inline $device $T operator-($T a) { return $T(-float(a)); }

//> sign_flip(T, sign): $T
inline $device $T operator-($T a) {
    a.bits ^= $sign;
    return a;
}
