// SPDX-License-Identifier: Apache-2.0
// Expressions of plans: what is of no scalar, what is not known, and the order of things. unit/scalar/agree looks at each
// operator on scalars.
#include <bit>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "compiler/artifact/expression.h"

using namespace hidet;
using package::ExprOp;
using package::ExprWord;

namespace {

__extension__ using Wide = __int128;

using Table = std::vector<std::vector<ExprWord>>;
using Values = std::vector<artifact::ExprValue>;

std::int64_t bits(double real) {
    return std::bit_cast<std::int64_t>(real);
}

// The operator on the symbols 0, 1, 2.
artifact::ExprValue applied(ExprOp op, const Values& operands) {
    Table table(1);
    for (int each = 0; each < package::info(op).operands; ++each)
        table[0].push_back({ExprOp::Symbol, each});
    table[0].push_back({op});
    return artifact::evaluate(table, operands).front();
}

const std::vector<std::int64_t> edges = {0,
                                         1,
                                         -1,
                                         2,
                                         -2,
                                         3,
                                         -5,
                                         7,
                                         62,
                                         63,
                                         64,
                                         -63,
                                         INT32_MAX,
                                         INT32_MIN,
                                         UINT32_MAX,
                                         INT64_MAX,
                                         INT64_MIN,
                                         INT64_MAX - 1,
                                         INT64_MIN + 1};

} // namespace

TEST_CASE("a quotient is rounded up, and has a value where 64 bits hold it") {
    for (const std::int64_t a : edges)
        for (const std::int64_t b : edges) {
            CAPTURE(a);
            CAPTURE(b);
            const artifact::ExprValue up = applied(ExprOp::CeilDiv, {a, b});
            REQUIRE(up.has_value() == (b != 0 && !(a == INT64_MIN && b == -1)));
            if (!up)
                continue;
            const auto above = static_cast<Wide>(*up) * b - a; // in [0, |b|), with the sign of b
            REQUIRE((b > 0 ? above >= 0 && above < b : above <= 0 && above > b));
        }
}

TEST_CASE("truths are 0 and 1") {
    for (const std::int64_t a : edges)
        for (const std::int64_t b : edges) {
            REQUIRE(applied(ExprOp::And, {a, b}) == std::int64_t{a != 0 && b != 0});
            REQUIRE(applied(ExprOp::Or, {a, b}) == std::int64_t{a != 0 || b != 0});
        }
}

TEST_CASE("whole numbers become reals, and reals that fit become whole numbers toward zero") {
    for (const std::int64_t a : edges)
        REQUIRE(applied(ExprOp::Real, {a}) == bits(static_cast<double>(a)));
    REQUIRE(applied(ExprOp::Whole, {bits(-2.5)}) == -2);
    REQUIRE(applied(ExprOp::Whole, {bits(0x1p62)}) == std::int64_t{1} << 62);
    for (const double real : {0x1p63, -0x1p63, 0x1.8p63, HUGE_VAL, -HUGE_VAL, std::nan("")})
        REQUIRE(!applied(ExprOp::Whole, {bits(real)}));
    REQUIRE(applied(ExprOp::RealF32, {bits(16777217.0)}) == bits(16777216.0));
    REQUIRE(applied(ExprOp::RealF32, {bits(1e-310)}) == bits(0.0));
    REQUIRE(applied(ExprOp::RealF32, {bits(1e300)}) == bits(HUGE_VAL));
}

TEST_CASE("what is made from no value has none, but for the side of a select that is not taken") {
    for (int i = 0; i < package::expr_op_count; ++i) {
        const auto op = static_cast<ExprOp>(i);
        const int operands = package::info(op).operands;
        CAPTURE(package::info(op).text);
        for (int unknown = 0; op != ExprOp::Select && unknown < operands; ++unknown) {
            Values values = {bits(2), bits(1), bits(3)};
            values[static_cast<std::size_t>(unknown)] = std::nullopt;
            REQUIRE(!applied(op, values));
        }
    }
    REQUIRE(applied(ExprOp::Select, {7, 1, 2}) == 1);
    REQUIRE(applied(ExprOp::Select, {0, 1, 2}) == 2);
    REQUIRE(applied(ExprOp::Select, {1, 1, std::nullopt}) == 1);
    REQUIRE(applied(ExprOp::Select, {0, std::nullopt, 2}) == 2);
    REQUIRE((!applied(ExprOp::Select, {1, std::nullopt, 2}) && !applied(ExprOp::Select, {0, 1, std::nullopt}) &&
             !applied(ExprOp::Select, {std::nullopt, 1, 2})));
}

TEST_CASE("expressions use those before them, and their parts in order") {
    const Table table = {
        {{ExprOp::Symbol, 0}, {ExprOp::Constant, 255}, {ExprOp::Add}},
        {{ExprOp::Earlier, 0}, {ExprOp::Constant, 256}, {ExprOp::FloorDiv}, {ExprOp::Constant, 3}, {ExprOp::Max}},
        {{ExprOp::Symbol, 1}, {ExprOp::Symbol, 0}, {ExprOp::Earlier, 1}, {ExprOp::Mul}, {ExprOp::Sub}},
        {{ExprOp::Symbol, 0}, {ExprOp::Constant, 0}, {ExprOp::Div}},
        {{ExprOp::Earlier, 3}, {ExprOp::Constant, 1}, {ExprOp::Add}},
    };
    REQUIRE(artifact::evaluate(table, {1024, 7}) == Values{1279, 4, 7 - 4096, std::nullopt, std::nullopt});
}
