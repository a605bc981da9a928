// SPDX-License-Identifier: Apache-2.0
// Packages evaluate expressions without a C++ library, and count as those who made the plan.
#include <bit>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "compiler/artifact/expression.h"

using namespace hidet;
using package::ExprOp;
using package::ExprWord;

namespace {

using Table = std::vector<std::vector<ExprWord>>;
using Values = std::vector<artifact::ExprValue>;

Values evaluated_by_package(Table table, const Values& symbols) {
    std::vector<package::List<ExprWord>> rows;
    for (std::vector<ExprWord>& row : table)
        rows.push_back({row.data(), static_cast<std::uint32_t>(row.size())});
    const package::ExprTable flat{rows.data(), static_cast<std::uint32_t>(rows.size())};
    std::vector<package::ExprValue> given, values(table.size()), stack(package::deepest_stack(flat));
    for (const artifact::ExprValue& symbol : symbols)
        given.push_back({symbol.value_or(0), symbol.has_value()});
    package::evaluate(flat, given.data(), values.data(), stack.data());
    Values out;
    for (const package::ExprValue& value : values)
        out.push_back(value.is_known ? artifact::ExprValue(value.value) : std::nullopt);
    return out;
}

std::int64_t bits(double real) {
    return std::bit_cast<std::int64_t>(real);
}

bool takes_reals(ExprOp op) {
    return op > ExprOp::Real;
}

const std::vector<std::int64_t> whole_edges = {0,
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
const std::vector<double> real_edges = {0.0,
                                        -0.0,
                                        0.5,
                                        -0.5,
                                        1.5,
                                        2.5,
                                        -2.5,
                                        1e-310,
                                        1e300,
                                        16777217.0,
                                        0x1p62,
                                        0x1p63,
                                        -0x1p63,
                                        0x1.8p63,
                                        std::numeric_limits<double>::infinity(),
                                        -std::numeric_limits<double>::infinity(),
                                        std::numeric_limits<double>::quiet_NaN()};

std::vector<std::int64_t> edges_of(ExprOp op) {
    if (!takes_reals(op))
        return whole_edges;
    std::vector<std::int64_t> words;
    for (const double real : real_edges)
        words.push_back(bits(real));
    return words;
}

// A result that is no number has no bits to speak of.
bool is_same(const artifact::ExprValue& a, const artifact::ExprValue& b) {
    const auto is_nan = [](const artifact::ExprValue& value) {
        const double real = value ? std::bit_cast<double>(*value) : 0;
        return real != real;
    };
    return a == b || (is_nan(a) && is_nan(b));
}

void require_same(const Table& table, const Values& symbols) {
    const Values got = evaluated_by_package(table, symbols), wanted = artifact::evaluate(table, symbols);
    REQUIRE(got.size() == wanted.size());
    for (std::size_t row = 0; row < got.size(); ++row) {
        INFO(artifact::text_of(table, static_cast<std::uint32_t>(row), {"a", "b", "c"}));
        CAPTURE(symbols[0].value_or(-99));
        CAPTURE(symbols[1].value_or(-99));
        REQUIRE(is_same(got[row], wanted[row]));
    }
}

} // namespace

TEST_CASE("every operator at the edges is what the compiler says it is") {
    for (int i = 0; i < package::expr_op_count; ++i) {
        const auto op = static_cast<ExprOp>(i);
        const int operands = package::info(op).operands;
        if (operands == 0)
            continue;
        Table table(1);
        for (int each = 0; each < operands; ++each)
            table[0].push_back({ExprOp::Symbol, each});
        table[0].push_back({op});
        for (const std::int64_t a : edges_of(op))
            for (const std::int64_t b : edges_of(op))
                require_same(table, {a, b, std::int64_t{9}});
        for (const Values& some : {Values{std::nullopt, 1, 2}, Values{1, std::nullopt, 2}, Values{0, std::nullopt, 2},
                                   Values{1, 2, std::nullopt}, Values{0, 2, std::nullopt}})
            require_same(table, some);
    }
}

TEST_CASE("expressions use those before them, and their parts in order") {
    const Table table = {
        {{ExprOp::Symbol, 0}, {ExprOp::Constant, 255}, {ExprOp::Add}},
        {{ExprOp::Earlier, 0}, {ExprOp::Constant, 256}, {ExprOp::FloorDiv}, {ExprOp::Constant, 3}, {ExprOp::Max}},
        {{ExprOp::Symbol, 1}, {ExprOp::Symbol, 0}, {ExprOp::Earlier, 1}, {ExprOp::Mul}, {ExprOp::Sub}},
        {{ExprOp::Symbol, 0}, {ExprOp::Constant, 0}, {ExprOp::Div}},
        {{ExprOp::Earlier, 3}, {ExprOp::Constant, 1}, {ExprOp::Add}},
    };
    REQUIRE(evaluated_by_package(table, {1024, 7}) == Values{1279, 4, 7 - 4096, std::nullopt, std::nullopt});
    require_same(table, {1024, 7});
}
