// SPDX-License-Identifier: Apache-2.0
// The functions of scalar_ops.def do what it says; whole numbers end where 64 bits do. unit/scalar/agree compares all the
// others with them.
#include "lang/base/whole.h"

#include <bit>
#include <cmath>
#include <doctest/doctest.h>

using namespace hidet;
using namespace hidet::scalar;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

// What Python prints for a, b, a // b, a % b.
constexpr double python[][4] = {
    {0.0, 1.0, 0.0, 0.0},
    {0.0, -1.0, -0.0, -0.0},
    {0.0, 0.5, 0.0, 0.0},
    {0.0, -0.3, -0.0, -0.0},
    {0.0, 7.5, 0.0, 0.0},
    {0.0, inf, 0.0, 0.0},
    {0.0, -inf, -0.0, -0.0},
    {0.0, nothing, nothing, nothing},
    {0.0, 5e-324, 0.0, 0.0},
    {0.0, -1e+300, -0.0, -0.0},
    {-0.0, 1.0, -0.0, 0.0},
    {-0.0, -1.0, 0.0, -0.0},
    {-0.0, 0.5, -0.0, 0.0},
    {-0.0, -0.3, 0.0, -0.0},
    {-0.0, 7.5, -0.0, 0.0},
    {-0.0, inf, -0.0, 0.0},
    {-0.0, -inf, 0.0, -0.0},
    {-0.0, nothing, nothing, nothing},
    {-0.0, 5e-324, -0.0, 0.0},
    {-0.0, -1e+300, 0.0, -0.0},
    {1.0, 1.0, 1.0, 0.0},
    {1.0, -1.0, -1.0, -0.0},
    {1.0, 0.5, 2.0, 0.0},
    {1.0, -0.3, -4.0, -0.19999999999999996},
    {1.0, 7.5, 0.0, 1.0},
    {1.0, inf, 0.0, 1.0},
    {1.0, -inf, -1.0, -inf},
    {1.0, nothing, nothing, nothing},
    {1.0, 5e-324, inf, 0.0},
    {1.0, -1e+300, -1.0, -1e+300},
    {-1.0, 1.0, -1.0, 0.0},
    {-1.0, -1.0, 1.0, -0.0},
    {-1.0, 0.5, -2.0, 0.0},
    {-1.0, -0.3, 3.0, -0.10000000000000003},
    {-1.0, 7.5, -1.0, 6.5},
    {-1.0, inf, -1.0, inf},
    {-1.0, -inf, 0.0, -1.0},
    {-1.0, nothing, nothing, nothing},
    {-1.0, 5e-324, -inf, 0.0},
    {-1.0, -1e+300, 0.0, -1.0},
    {0.5, 1.0, 0.0, 0.5},
    {0.5, -1.0, -1.0, -0.5},
    {0.5, 0.5, 1.0, 0.0},
    {0.5, -0.3, -2.0, -0.09999999999999998},
    {0.5, 7.5, 0.0, 0.5},
    {0.5, inf, 0.0, 0.5},
    {0.5, -inf, -1.0, -inf},
    {0.5, nothing, nothing, nothing},
    {0.5, 5e-324, inf, 0.0},
    {0.5, -1e+300, -1.0, -1e+300},
    {-0.3, 1.0, -1.0, 0.7},
    {-0.3, -1.0, 0.0, -0.3},
    {-0.3, 0.5, -1.0, 0.2},
    {-0.3, -0.3, 1.0, -0.0},
    {-0.3, 7.5, -1.0, 7.2},
    {-0.3, inf, -1.0, inf},
    {-0.3, -inf, 0.0, -0.3},
    {-0.3, nothing, nothing, nothing},
    {-0.3, 5e-324, -inf, 0.0},
    {-0.3, -1e+300, 0.0, -0.3},
    {7.5, 1.0, 7.0, 0.5},
    {7.5, -1.0, -8.0, -0.5},
    {7.5, 0.5, 15.0, 0.0},
    {7.5, -0.3, -26.0, -0.2999999999999997},
    {7.5, 7.5, 1.0, 0.0},
    {7.5, inf, 0.0, 7.5},
    {7.5, -inf, -1.0, -inf},
    {7.5, nothing, nothing, nothing},
    {7.5, 5e-324, inf, 0.0},
    {7.5, -1e+300, -1.0, -1e+300},
    {inf, 1.0, nothing, nothing},
    {inf, -1.0, nothing, nothing},
    {inf, 0.5, nothing, nothing},
    {inf, -0.3, nothing, nothing},
    {inf, 7.5, nothing, nothing},
    {inf, inf, nothing, nothing},
    {inf, -inf, nothing, nothing},
    {inf, nothing, nothing, nothing},
    {inf, 5e-324, nothing, nothing},
    {inf, -1e+300, nothing, nothing},
    {-inf, 1.0, nothing, nothing},
    {-inf, -1.0, nothing, nothing},
    {-inf, 0.5, nothing, nothing},
    {-inf, -0.3, nothing, nothing},
    {-inf, 7.5, nothing, nothing},
    {-inf, inf, nothing, nothing},
    {-inf, -inf, nothing, nothing},
    {-inf, nothing, nothing, nothing},
    {-inf, 5e-324, nothing, nothing},
    {-inf, -1e+300, nothing, nothing},
    {nothing, 1.0, nothing, nothing},
    {nothing, -1.0, nothing, nothing},
    {nothing, 0.5, nothing, nothing},
    {nothing, -0.3, nothing, nothing},
    {nothing, 7.5, nothing, nothing},
    {nothing, inf, nothing, nothing},
    {nothing, -inf, nothing, nothing},
    {nothing, nothing, nothing, nothing},
    {nothing, 5e-324, nothing, nothing},
    {nothing, -1e+300, nothing, nothing},
    {5e-324, 1.0, 0.0, 5e-324},
    {5e-324, -1.0, -1.0, -1.0},
    {5e-324, 0.5, 0.0, 5e-324},
    {5e-324, -0.3, -1.0, -0.3},
    {5e-324, 7.5, 0.0, 5e-324},
    {5e-324, inf, 0.0, 5e-324},
    {5e-324, -inf, -1.0, -inf},
    {5e-324, nothing, nothing, nothing},
    {5e-324, 5e-324, 1.0, 0.0},
    {5e-324, -1e+300, -1.0, -1e+300},
    {-1e+300, 1.0, -1e+300, 0.0},
    {-1e+300, -1.0, 1e+300, -0.0},
    {-1e+300, 0.5, -2e+300, 0.0},
    {-1e+300, -0.3, 3.3333333333333335e+300, -0.15321850028067768},
    {-1e+300, 7.5, -1.3333333333333334e+299, 0.0},
    {-1e+300, inf, -1.0, inf},
    {-1e+300, -inf, 0.0, -1e+300},
    {-1e+300, nothing, nothing, nothing},
    {-1e+300, 5e-324, -inf, 0.0},
    {-1e+300, -1e+300, 1.0, -0.0},
};

bool same(double a, double b) {
    return std::isnan(a) ? std::isnan(b) : std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

} // namespace

TEST_CASE("division of floats and its rest are Python's") {
    for (const auto& [a, b, quotient, rest] : python) {
        if (!same(FloorDivOp::apply(a, b), quotient) || !same(FloorModOp::apply(a, b), rest))
            FAIL(a, " and ", b, ": ", FloorDivOp::apply(a, b), ", ", FloorModOp::apply(a, b));
    }
    REQUIRE(FloorDivOp::apply(1.0, 0.1) == 9.0);
    REQUIRE(FloorDivOp::apply(7.0f, 2.0f) == 3.0f);
    REQUIRE((same(FloorDivOp::apply(1.0, 0.0), inf) && same(FloorDivOp::apply(1.0, -0.0), -inf)));
    REQUIRE((std::isnan(FloorDivOp::apply(0.0, 0.0)) && std::isnan(FloorModOp::apply(1.0, 0.0))));
}

TEST_CASE("division of integers rounds down and leaves a rest with the divisor's sign") {
    for (int a = -20; a <= 20; ++a)
        for (int b = -7; b <= 7; ++b) {
            if (b == 0)
                continue;
            int quotient = FloorDivOp::apply(a, b), rest = FloorModOp::apply(a, b);
            REQUIRE(quotient == static_cast<int>(std::floor(static_cast<double>(a) / b)));
            REQUIRE(quotient * b + rest == a);
            REQUIRE((rest == 0 || (rest < 0) == (b < 0)));
            REQUIRE(DivOp::apply(a, b) == a / b);
            REQUIRE(ModOp::apply(a, b) == a % b);
        }
    REQUIRE(FloorDivOp::apply(lowest, std::int64_t(-1)) == lowest);
    REQUIRE(FloorModOp::apply(lowest, std::int64_t(-1)) == 0);
    REQUIRE(FloorDivOp::apply(7u, 2u) == 3u);
    REQUIRE(DivOp::apply(7, 0) + ModOp::apply(7, 0) + FloorDivOp::apply(7, 0) + FloorModOp::apply(7, 0) == 0);
}

TEST_CASE("shifts by the width or more leave nothing, or the sign") {
    REQUIRE(ShlOp::apply(1, 31) == std::numeric_limits<int>::min());
    REQUIRE(ShlOp::apply(1, 32) + ShlOp::apply(1, -1) == 0);
    REQUIRE(ShrOp::apply(-8, 2) == -2);
    REQUIRE(ShrOp::apply(-8, 32) == -1);
    REQUIRE(ShrOp::apply(-8, -1) == -1);
    REQUIRE(ShrOp::apply(0x80000000u, 31u) == 1u);
    REQUIRE(ShrOp::apply(0x80000000u, 32u) == 0u);
}

TEST_CASE("halves are rounded away from zero, and zeros keep their sign") {
    REQUIRE(RoundOp::apply(0.5) == 1.0);
    REQUIRE(RoundOp::apply(2.5f) == 3.0f);
    REQUIRE(RoundOp::apply(-2.5) == -3.0);
    REQUIRE((same(RoundOp::apply(-0.4), -0.0) && same(RoundOp::apply(0.49999999999999994), 0.0)));
    REQUIRE((same(RoundOp::apply(-inf), -inf) && std::isnan(RoundOp::apply(nothing))));
    REQUIRE((same(TruncOp::apply(-0.5), -0.0) && same(CeilOp::apply(-0.5), -0.0)));
}

TEST_CASE("the smaller of a number and a NaN is the number") {
    REQUIRE((same(MinOp::apply(nothing, 1.0), 1.0) && same(MinOp::apply(1.0, nothing), 1.0)));
    REQUIRE((same(MaxOp::apply(nothing, -inf), -inf) && std::isnan(MaxOp::apply(nothing, nothing))));
    REQUIRE((same(MinOp::apply(0.0, -0.0), 0.0) && same(MinOp::apply(-0.0, 0.0), -0.0)));
    REQUIRE((!LtOp::apply(nothing, nothing) && !LeOp::apply(nothing, nothing) && !EqOp::apply(nothing, nothing) &&
             NeOp::apply(nothing, nothing)));
}

TEST_CASE("floats become integers toward zero and within the range") {
    REQUIRE(saturate<std::int32_t>(-3.9) == -3);
    REQUIRE(saturate<std::int32_t>(3e9) == std::numeric_limits<std::int32_t>::max());
    REQUIRE(saturate<std::int64_t>(-1e30) == lowest);
    REQUIRE(saturate<std::int64_t>(9.3e18) == highest);
    REQUIRE(saturate<std::uint64_t>(-1.0) == 0u);
    REQUIRE(saturate<std::int32_t>(nothing) == 0);
}

TEST_CASE("a whole number that 64 bits do not hold is none") {
    REQUIRE(
        (!whole(ScalarOp::Add, highest, 1) && !whole(ScalarOp::Sub, lowest, 1) && !whole(ScalarOp::Mul, lowest, -1)));
    REQUIRE((!whole(ScalarOp::FloorDiv, lowest, -1) && !whole(ScalarOp::Neg, lowest) && !whole(ScalarOp::Abs, lowest)));
    REQUIRE((whole(ScalarOp::FloorMod, lowest, -1) == 0 && whole(ScalarOp::Add, lowest, highest) == -1));
    for (ScalarOp op : {ScalarOp::Div, ScalarOp::Mod, ScalarOp::FloorDiv, ScalarOp::FloorMod})
        REQUIRE(!whole(op, 1, 0));
    REQUIRE((!whole(ScalarOp::Shl, 1, 63) && !whole(ScalarOp::Shl, 1, -1) && !whole(ScalarOp::Shr, 1, -1)));
    REQUIRE((whole(ScalarOp::Shl, 0, 1000) == 0 && whole(ScalarOp::Shl, -1, 62) == lowest / 2));
    REQUIRE((whole(ScalarOp::Shr, -5, 1000) == -1 && !whole(ScalarOp::Sin, 1) && !whole(ScalarOp::MulAdd, 1, 1)));
}
