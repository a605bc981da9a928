// SPDX-License-Identifier: Apache-2.0
// The short float formats at every boundary between two neighbours.
#include "lang/base/numeric.h"

#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <string>
#include <vector>

using namespace hidet;

namespace {

struct Format {
    const char* name;
    int codes; // non-negative codes: 0 .. codes - 1
    std::function<float(unsigned)> decode;
    std::function<unsigned(float)> encode;
    double (*round)(double);
};

const Format formats[] = {
    {"f16", 0x7C00, [](unsigned c) { return f16_to_f32(static_cast<std::uint16_t>(c)); }, f32_to_f16, round_to_f16},
    {"bf16", 0x7F80, [](unsigned c) { return bf16_to_f32(static_cast<std::uint16_t>(c)); }, f32_to_bf16, round_to_bf16},
    {"e4m3", 0x7F, [](unsigned c) { return e4m3_to_f32(static_cast<std::uint8_t>(c)); }, f32_to_e4m3, round_to_e4m3},
    {"e5m2", 0x7C, [](unsigned c) { return e5m2_to_f32(static_cast<std::uint8_t>(c)); }, f32_to_e5m2, round_to_e5m2},
};

void check(const Format& format, float value, unsigned code) {
    unsigned sign = format.codes > 0x100 ? 0x8000 : 0x80;
    bool is_right = format.encode(value) == code && format.encode(-value) == (code | sign) &&
                    format.round(value) == static_cast<double>(format.decode(code)) &&
                    format.round(-value) == -static_cast<double>(format.decode(code));
    if (!is_right)
        FAIL(format.name, ": ", value, " became code ", format.encode(value), ", not ", code);
}

// Between two neighbours everything below the middle goes down, above it up, and the middle to the even code.
void check_boundary(const Format& format, unsigned code) {
    float low = format.decode(code), high = format.decode(code + 1);
    float middle = low + (high - low) / 2;
    REQUIRE((low < middle && middle < high));
    check(format, low, code);
    check(format, middle, code % 2 == 0 ? code : code + 1);
    check(format, std::nextafter(middle, low), code);
    check(format, std::nextafter(middle, high), code + 1);
    double exact = (static_cast<double>(low) + high) / 2;
    REQUIRE(format.round(std::nextafter(exact, 1e300)) == static_cast<double>(high));
    REQUIRE(format.round(std::nextafter(exact, 0.0)) == static_cast<double>(low));
}

} // namespace

TEST_CASE("every boundary of the short float formats rounds to nearest even") {
    for (const Format& format : formats)
        for (unsigned code = 0; code + 1 < static_cast<unsigned>(format.codes); ++code)
            check_boundary(format, code);
}

TEST_CASE("f16 and bf16 overflow to infinity, the 8-bit floats saturate") {
    float inf = std::numeric_limits<float>::infinity();
    check(formats[0], 65519.99f, 0x7BFF);
    REQUIRE(f32_to_f16(65520.0f) == 0x7C00);
    REQUIRE(f32_to_f16(-inf) == 0xFC00);
    REQUIRE(f32_to_bf16(std::numeric_limits<float>::max()) == 0x7F80);
    REQUIRE(round_to_f16(65520.0) == static_cast<double>(inf));
    REQUIRE(f32_to_e4m3(1e30f) == 0x7E);
    REQUIRE(f32_to_e4m3(-inf) == 0xFE);
    REQUIRE(f32_to_e5m2(61440.0f) == 0x7B);
    REQUIRE(round_to_e5m2(-1e300) == -57344.0);
}

TEST_CASE("not-a-number stays one in every format") {
    float nan = std::numeric_limits<float>::quiet_NaN();
    for (const Format& format : formats)
        REQUIRE((std::isnan(format.decode(format.encode(nan))) && std::isnan(format.round(nan))));
    REQUIRE((std::isnan(f16_to_f32(0x7E01)) && std::isnan(e4m3_to_f32(0xFF)) && std::isnan(e5m2_to_f32(0x7D))));
}

TEST_CASE("tf32 keeps ten bits of mantissa") {
    REQUIRE(round_to_tf32(1.0 + 0x1p-10) == 1.0 + 0x1p-10);
    REQUIRE(round_to_tf32(1.0 + 0x1p-11) == 1.0);
    REQUIRE(round_to_tf32(1.0 + 0x1.8p-10) == 1.0 + 0x1p-9);
}
