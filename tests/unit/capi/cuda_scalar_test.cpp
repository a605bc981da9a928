// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <doctest/doctest.h>
#include <random>

#include "runtime/capi/cuda_scalar.h"

using namespace hidet;
using namespace hidet::capi;
using package::Scalar;

static std::uint64_t bits_of(Scalar type, double number) {
    return argument_bits(type, std::bit_cast<std::int64_t>(number));
}

TEST_CASE("real arguments are rounded as the processor rounds, to the nearest and to even") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 1'000'000; ++i) {
        const auto bits = random();
        double number = std::bit_cast<double>(bits);
        if (i % 3 != 0) // where the narrow types have numbers
            number =
                std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits)), static_cast<int>(bits % 340) - 253);
        if (std::isnan(number))
            continue;
        const auto wanted = std::bit_cast<std::uint32_t>(static_cast<float>(number));
        if (bits_of(Scalar::F32, number) != wanted)
            FAIL(number);
    }
}

TEST_CASE("arguments of half precision have ties, numbers without an exponent, and ends") {
    REQUIRE(bits_of(Scalar::F16, 1) == 0x3c00);
    REQUIRE(bits_of(Scalar::F16, -1.5) == 0xbe00);
    REQUIRE(bits_of(Scalar::F16, 1 + 0x1p-11) == 0x3c00);           // between two, down to the even one
    REQUIRE(bits_of(Scalar::F16, 1 + 0x1p-11 + 0x1p-40) == 0x3c01); // above the middle
    REQUIRE(bits_of(Scalar::F16, 1 + 0x1.8p-10) == 0x3c02);         // between two, up
    REQUIRE(bits_of(Scalar::F16, 0x1p-24) == 1);
    REQUIRE(bits_of(Scalar::F16, 0x1p-25) == 0);
    REQUIRE(bits_of(Scalar::F16, -0x1.8p-25) == 0x8001);
    REQUIRE(bits_of(Scalar::F16, 65519) == 0x7bff);
    REQUIRE(bits_of(Scalar::F16, 65520) == 0x7c00);
    REQUIRE(bits_of(Scalar::F16, INFINITY) == 0x7c00);
    REQUIRE(bits_of(Scalar::F16, NAN) == 0x7e00);
    REQUIRE(bits_of(Scalar::BF16, 1 + 0x1p-8) == 0x3f80);
    REQUIRE(bits_of(Scalar::BF16, -3.0e38) == 0xff62);
    REQUIRE(bits_of(Scalar::F64, 0.1) == std::bit_cast<std::uint64_t>(0.1));
}

TEST_CASE("whole arguments stay as they are in the low bytes") {
    REQUIRE(argument_bits(Scalar::I64, -2) == static_cast<std::uint64_t>(-2));
    REQUIRE(static_cast<std::uint8_t>(argument_bits(Scalar::I8, -2)) == 0xfe);
    REQUIRE(argument_bits(Scalar::Bool, 256) == 1);
}
