// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/packed.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace hidet::graph::onnx {

namespace {

using ir::DType;

// 0: not packed.
std::size_t packed_bits(std::int32_t type) {
    switch (type) {
    case Uint2:
    case Int2: return 2;
    case Uint4:
    case Int4:
    case Float4E2M1: return 4;
    case Float8E8M0:
    case Float8E4M3FNUZ:
    case Float8E5M2FNUZ: return 8;
    default: return 0;
    }
}

// 8-bit floats without infinities and with one zero: 0x80 is NaN.
float float8_of(std::uint8_t bits, int mantissa_bits, int bias) {
    if (bits == 0x80)
        return std::numeric_limits<float>::quiet_NaN();
    const int exponent = (bits & 127) >> mantissa_bits;
    const int mantissa = bits & ((1 << mantissa_bits) - 1);
    const int whole = exponent ? mantissa | 1 << mantissa_bits : mantissa;
    const float value = std::ldexp(static_cast<float>(whole), std::max(exponent, 1) - bias - mantissa_bits);
    return bits & 128 ? -value : value;
}

float unpacked_float(std::int32_t type, std::uint8_t bits) {
    static constexpr float of_four_bits[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    switch (type) {
    case Float4E2M1: return bits & 8 ? -of_four_bits[bits & 7] : of_four_bits[bits];
    case Float8E8M0: return bits == 255 ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0F, bits - 127);
    case Float8E4M3FNUZ: return float8_of(bits, 3, 8);
    default: return float8_of(bits, 2, 16);
    }
}

} // namespace

bool is_packed(std::int32_t type) {
    return packed_bits(type) > 0;
}
std::size_t packed_bytes(std::int32_t type, std::size_t count) {
    const std::size_t in_a_byte = 8 / packed_bits(type);
    return count / in_a_byte + (count % in_a_byte != 0);
}

void unpack(std::int32_t type, const std::byte* from, std::size_t count, std::byte* to) {
    const std::size_t width = packed_bits(type);
    const std::size_t in_a_byte = 8 / width;
    const bool is_integer = dtype_of(type) != DType::F32;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t shift = i % in_a_byte * width;
        const std::size_t bits = static_cast<std::size_t>(from[i / in_a_byte]) >> shift & ((1U << width) - 1);
        if (is_integer) {
            const bool is_negative = (type == Int4 || type == Int2) && bits >> (width - 1) != 0;
            to[i] = static_cast<std::byte>(is_negative ? bits | ~std::size_t{0} << width : bits);
            continue;
        }
        const float value = unpacked_float(type, static_cast<std::uint8_t>(bits));
        std::memcpy(to + i * sizeof(float), &value, sizeof(float));
    }
}

} // namespace hidet::graph::onnx
