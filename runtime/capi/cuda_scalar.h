// SPDX-License-Identifier: Apache-2.0
// Numbers as kernels take them: in the bytes of their type.
#pragma once

#include <bit>

#include "runtime/package/scalar.h"

namespace hidet::capi {

// Of the nearest number with so many bits of exponent and mantissa, ties to even; what is too large is an infinity.
constexpr std::uint64_t narrowed(double number, int exponent_bits, int mantissa_bits) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    const std::uint64_t sign = bits >> 63 << (exponent_bits + mantissa_bits);
    const std::uint64_t infinity = ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    if (exponent == 0x7ff)
        return sign | infinity | (fraction ? std::uint64_t{1} << (mantissa_bits - 1) : 0);
    if (exponent == 0) // far below what any narrower type has
        return sign;
    const int narrow = exponent - 1023 + (1 << (exponent_bits - 1)) - 1; // its exponent, below 1 where it has none
    const int dropped = 52 - mantissa_bits + (narrow < 1 ? 1 - narrow : 0);
    if (dropped > 53)
        return sign;
    const std::uint64_t whole = fraction | std::uint64_t{1} << 52;
    const std::uint64_t kept = whole >> dropped, rest = whole & ((std::uint64_t{1} << dropped) - 1),
                        half = std::uint64_t{1} << (dropped - 1);
    const std::uint64_t rounded = kept + (rest > half || (rest == half && (kept & 1)));
    // Carries go on into the exponent.
    const std::uint64_t out =
        narrow < 1 ? rounded : rounded + (static_cast<std::uint64_t>(narrow - 1) << mantissa_bits);
    return sign | (out > infinity ? infinity : out);
}

// Whether kernels of plans take numbers of this type at all.
constexpr bool is_argument(package::Scalar type) {
    return type != package::Scalar::F8E4M3 && type != package::Scalar::F8E5M2;
}

// The low bytes are the argument's, as the machine is little-endian like the device. `scalar` as ArgumentValue has it.
constexpr std::uint64_t argument_bits(package::Scalar type, std::int64_t scalar) {
    using package::Scalar;
    const auto number = std::bit_cast<double>(scalar);
    switch (type) {
    case Scalar::F16: return narrowed(number, 5, 10);
    case Scalar::BF16: return narrowed(number, 8, 7);
    case Scalar::F32:
    case Scalar::TF32: return narrowed(number, 8, 23);
    case Scalar::Bool: return scalar != 0;
    default: return static_cast<std::uint64_t>(scalar); // of an f64 the bits themselves
    }
}

} // namespace hidet::capi
