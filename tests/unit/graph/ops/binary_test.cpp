// SPDX-License-Identifier: Apache-2.0
// Operators of several tensors, broadcast, against loops.
#include <cmath>
#include <doctest/doctest.h>
#include <string>

#include "tests/unit/graph/ops/loops.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;
using ir::DType;

namespace {

using BinaryFunction = std::function<double(double, double)>;

struct Shapes {
    Index x, y, result;
};
const std::vector<Shapes> shapes = {
    {{2, 3}, {2, 3}, {2, 3}}, {{2, 3}, {3}, {2, 3}},
    {{3}, {2, 3}, {2, 3}},    {{2, 1, 4}, {3, 1}, {2, 3, 4}},
    {{}, {2}, {2}},           {{}, {}, {}},
    {{1}, {1, 1}, {1, 1}},    {{0, 3}, {1, 3}, {0, 3}},
    {{2, 0}, {}, {2, 0}},     {{1, 2, 1, 2}, {2, 1}, {1, 2, 2, 2}},
};

struct BinaryRow {
    const OpInfo& op;
    BinaryFunction expected;
    Attributes attributes = {};
};

double floor_mod(double x, double y) {
    const double rest = std::fmod(x, y);
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

const std::vector<BinaryRow>& binary_rows() {
    static const std::vector<BinaryRow> table = {
        {op_info::Add(), [](double x, double y) { return x + y; }},
        {op_info::Subtract(), [](double x, double y) { return x - y; }},
        {op_info::Multiply(), [](double x, double y) { return x * y; }},
        {op_info::Divide(), [](double x, double y) { return x / y; }},
        {op_info::FloorDivide(), [](double x, double y) { return std::floor(x / y); }},
        {op_info::Mod(), floor_mod},
        {op_info::Mod(), [](double x, double y) { return std::fmod(x, y); }, {{"fmod", true}}},
        {op_info::Pow(), [](double x, double y) { return std::pow(x, y); }},
        {op_info::Atan2(), [](double x, double y) { return std::atan2(x, y); }},
        {op_info::PRelu(), [](double x, double y) { return x < 0 ? x * y : x; }},
        {op_info::Equal(), [](double x, double y) { return x == y; }},
        {op_info::NotEqual(), [](double x, double y) { return x != y; }},
        {op_info::Less(), [](double x, double y) { return x < y; }},
        {op_info::LessEqual(), [](double x, double y) { return x <= y; }},
        {op_info::Greater(), [](double x, double y) { return x > y; }},
        {op_info::GreaterEqual(), [](double x, double y) { return x >= y; }},
        {op_info::LogicalAnd(), [](double x, double y) { return x != 0 && y != 0; }},
        {op_info::LogicalOr(), [](double x, double y) { return x != 0 || y != 0; }},
        {op_info::LogicalXor(), [](double x, double y) { return (x != 0) != (y != 0); }},
        {op_info::Max(),
         [](double x, double y) { return std::isnan(x) || std::isnan(y) ? not_a_number : std::max(x, y); }},
        {op_info::Min(),
         [](double x, double y) { return std::isnan(x) || std::isnan(y) ? not_a_number : std::min(x, y); }},
        {op_info::MultiInputCompositeElementwise(),
         [](double x, double y) { return std::fabs(x) + std::fabs(y); },
         {{"left_unary_op", std::string("Abs")},
          {"right_unary_op", std::string("Abs")},
          {"binary_op", std::string("Add")}}},
    };
    return table;
}

void check_shapes(const BinaryRow& row) {
    for (const Shapes& each : shapes) {
        const auto x = random_tensor(DType::F32, each.x, 3);
        const auto y = random_tensor(DType::F32, each.y, 4);
        const auto result = apply(row.op, {x, y}, row.attributes).at(0);
        expect_elements(
            result, each.result,
            [&](const Index& index) { return row.expected(broadcast_at(x, index), broadcast_at(y, index)); }, 1e-5);
    }
}

void check_values(const BinaryRow& row, DType dtype, double tolerance) {
    const std::vector<double> numbers = {-infinity, -3, -1, -0.5, 0, 0.5, 2, 3, infinity, not_a_number};
    std::vector<double> left, right, expected;
    for (double x : numbers)
        for (double y : numbers) {
            // Where C's functions and Python's rule for infinite operands differ.
            const bool is_modulo = row.op.name == std::string("Mod") || row.op.name == std::string("FloorDivide");
            if (is_modulo && (y == 0 || std::isinf(x) || std::isinf(y)))
                continue;
            left.push_back(x), right.push_back(y);
            expected.push_back(ir::round_to(row.expected(x, y), dtype));
        }
    const Index shape = {static_cast<std::int64_t>(left.size())};
    const auto result = apply(row.op, {tensor(dtype, shape, left), tensor(dtype, shape, right)}, row.attributes);
    INFO(row.op.name);
    expect_close(result.at(0), expected, tolerance);
}

void expect_integers(const OpInfo& op, DType dtype, const std::vector<double>& x, const std::vector<double>& y,
                     const std::vector<double>& expected, const Attributes& attributes = {}) {
    const Index shape = {static_cast<std::int64_t>(x.size())};
    const auto result = apply(op, {tensor(dtype, shape, x), tensor(dtype, shape, y)}, attributes).at(0);
    REQUIRE(std::string(ir::info(result->dtype).name) == std::string(ir::info(dtype).name));
    INFO(op.name);
    expect_close(result, expected, 0);
}

DType type_of_sum(DType x, DType y) {
    return apply(op_info::Add(), {random_tensor(x, {2}), random_tensor(y, {2})}).at(0)->dtype;
}

} // namespace

TEST_CASE("two tensors are broadcast to a common shape, those without elements and without dimensions too") {
    for (const BinaryRow& row : binary_rows())
        check_shapes(row);
}

TEST_CASE("infinities and NaN go where the host's arithmetic sends them") {
    for (const BinaryRow& row : binary_rows()) {
        check_values(row, DType::F64, 1e-12);
        check_values(row, DType::F32, 1e-6);
        check_values(row, DType::F16, 2e-3);
        check_values(row, DType::BF16, 2e-2);
    }
}

TEST_CASE("integer division goes toward zero, never fails, and wraps") {
    const double least = -2147483648.0;
    expect_integers(op_info::Divide(), DType::I32, {7, -7, 7, -7, 5, least}, {2, 2, -2, -2, 0, -1},
                    {3, -3, -3, 3, 0, least});
    expect_integers(op_info::FloorDivide(), DType::I32, {7, -7, 7, -7, 5}, {2, 2, -2, -2, 0}, {3, -4, -4, 3, 0});
    expect_integers(op_info::Mod(), DType::I32, {7, -7, 7, -7, 5}, {3, 3, -3, -3, 0}, {1, 2, -2, -1, 0});
    expect_integers(op_info::Mod(), DType::I32, {7, -7, 7, -7, 5}, {3, 3, -3, -3, 0}, {1, -1, 1, -1, 0},
                    {{"fmod", true}});
    expect_integers(op_info::Divide(), DType::U8, {250, 7}, {3, 0}, {83, 0});
    expect_integers(op_info::Mod(), DType::U8, {250, 7}, {3, 0}, {1, 0});
}

TEST_CASE("arithmetic of integers wraps in their type") {
    expect_integers(op_info::Add(), DType::I8, {127, -128}, {1, -1}, {-128, 127});
    expect_integers(op_info::Subtract(), DType::U8, {0, 5}, {1, 3}, {255, 2});
    expect_integers(op_info::Multiply(), DType::I16, {300, -2}, {300, 4}, {24464, -8});
    expect_integers(op_info::Max(), DType::U8, {200, 3}, {100, 4}, {200, 4});
    expect_integers(op_info::Min(), DType::I8, {-100, 3}, {100, 4}, {-100, 3});
    expect_integers(op_info::Max(), DType::Bool, {0, 1, 0}, {0, 0, 1}, {0, 1, 1});
}

TEST_CASE("powers of integers are integers, of negative exponents too") {
    expect_integers(op_info::Pow(), DType::I32, {2, -3, 0, 0, 1, -1, -1, 2, 2, 7}, {10, 3, 0, 5, -3, -3, -2, -1, 31, 1},
                    {1024, -27, 1, 0, 1, -1, 1, 0, -2147483648.0, 7});
    expect_integers(op_info::Pow(), DType::I64, {3, 2, 2, -1, 0}, {33, 62, 64, 1000001, 77},
                    {5559060566555523.0, 4611686018427387904.0, 0, -1, 0});
    expect_integers(op_info::Pow(), DType::U8, {2, 3, 255}, {7, 5, 2}, {128, 243, 1});
}

TEST_CASE("shifts by more than there are bits leave nothing, or the sign") {
    expect_integers(op_info::LeftShift(), DType::U8, {1, 3, 1, 255}, {7, 1, 8, 4}, {128, 6, 0, 240});
    expect_integers(op_info::RightShift(), DType::U8, {128, 7, 255, 16}, {7, 1, 8, 4}, {1, 3, 0, 1});
    expect_integers(op_info::RightShift(), DType::I32, {-8, -8, 8}, {1, 40, 40}, {-4, -1, 0});
    expect_integers(op_info::LeftShift(), DType::U64, {1, 1}, {40, 64}, {1099511627776.0, 0});
}

TEST_CASE("bit operations take integers and bools") {
    expect_integers(op_info::BitwiseAnd(), DType::I32, {6, -1}, {3, 5}, {2, 5});
    expect_integers(op_info::BitwiseOr(), DType::U8, {6, 128}, {3, 5}, {7, 133});
    expect_integers(op_info::BitwiseXor(), DType::I64, {6, -1}, {3, 0}, {5, -1});
    expect_integers(op_info::BitwiseXor(), DType::Bool, {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 1, 1, 0});
    REQUIRE(!blocker_of(op_info::BitwiseAnd(), {{DType::F32, {dim(2)}}, {DType::F32, {dim(2)}}}).empty());
}

TEST_CASE("comparisons of unsigned numbers and of bools know no sign") {
    const auto result = [](const OpInfo& op, DType dtype) {
        return values_of(apply(op, {tensor(dtype, {2}, {1, 0}), tensor(dtype, {2}, {0, 1})}).at(0));
    };
    REQUIRE(result(op_info::Less(), DType::U64) == (std::vector<double>{0, 1}));
    REQUIRE(result(op_info::Greater(), DType::Bool) == (std::vector<double>{1, 0}));
    const auto big = tensor(DType::U8, {1}, {255});
    expect_close(apply(op_info::Greater(), {big, tensor(DType::U8, {1}, {1})}).at(0), {1});
}

TEST_CASE("operands of different types get a common one") {
    REQUIRE(type_of_sum(DType::F16, DType::F32) == DType::F32);
    REQUIRE(type_of_sum(DType::I32, DType::F16) == DType::F16);
    REQUIRE(type_of_sum(DType::I32, DType::I64) == DType::I64);
    REQUIRE(type_of_sum(DType::U8, DType::I8) == DType::I16);
    REQUIRE(type_of_sum(DType::Bool, DType::I32) == DType::I32);
}

TEST_CASE("Where chooses element by element, with numbers in place of tensors too") {
    const auto condition = tensor(DType::Bool, {2, 1}, {1, 0});
    const auto x = counted(DType::F32, {3});
    const auto y = tensor(DType::F32, {2, 3}, {-1, -2, -3, not_a_number, -5, infinity});
    expect_elements(apply(op_info::Where(), {condition, x, y}).at(0), {2, 3},
                    [&](const Index& i) { return i[0] == 0 ? broadcast_at(x, i) : broadcast_at(y, i); });
    expect_elements(apply(op_info::WhereScalarTensor(), {condition, y}, {{"x", 7.0}}).at(0), {2, 3},
                    [&](const Index& i) { return i[0] == 0 ? 7 : broadcast_at(y, i); });
    expect_elements(apply(op_info::WhereTensorScalar(), {condition, y}, {{"y", -infinity}}).at(0), {2, 3},
                    [&](const Index& i) { return i[0] == 0 ? broadcast_at(y, i) : -infinity; });
    const auto both =
        apply(op_info::WhereScalarScalar(), {condition}, {{"x", std::int64_t{3}}, {"y", std::int64_t{4}}}).at(0);
    REQUIRE(both->dtype == DType::I64);
    expect_elements(both, {2, 1}, [](const Index& i) { return i[0] == 0 ? 3 : 4; });
}

TEST_CASE("Max and Min take any number of tensors") {
    std::vector<lang::TensorRef> many;
    for (int i = 0; i < 9; ++i)
        many.push_back(random_tensor(DType::F32, i % 2 ? Index{2, 3} : Index{3}, static_cast<std::uint64_t>(i)));
    const auto extreme = [&](const OpInfo& op, bool is_max) {
        expect_elements(test::apply(op, many).at(0), {2, 3}, [&](const Index& index) {
            double best = broadcast_at(many[0], index);
            for (const auto& each : many)
                best = is_max ? std::max(best, broadcast_at(each, index)) : std::min(best, broadcast_at(each, index));
            return best;
        });
    };
    extreme(op_info::Max(), true);
    extreme(op_info::Min(), false);
    REQUIRE(apply(op_info::Max(), {many[0]}).at(0)->shape == (Index{3}));
}
