// SPDX-License-Identifier: Apache-2.0
// Operators of one tensor, against the mathematics of the host in double, on numbers of every kind.
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <numbers>
#include <string>

#include "tests/unit/graph/interpret.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;
using ir::DType;

namespace {

const std::vector<double> unary_numbers = {-infinity, -1000, -88, -3,    -2.5, -1.5,     -1,          -0.75, -0.5,
                                           -0.001,    -0.0,  0,   0.001, 0.5,  0.6,      1,           1.5,   2.5,
                                           3,         6,     20,  88,    1000, infinity, not_a_number};

using UnaryFunction = std::function<double(double)>;

struct UnaryRow {
    const OpInfo& op;
    UnaryFunction expected;
    Attributes attributes = {};
};

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}
double soft_plus(double x) {
    return x > 30 ? x : std::log1p(std::exp(x));
}
double between(double x, double low, double high) {
    return std::isnan(x) ? x : std::min(std::max(x, low), high);
}
double elu(double x, double alpha) {
    return x > 0 ? x : alpha * std::expm1(x);
}

const std::vector<UnaryRow>& unary_rows() {
    static const std::vector<UnaryRow> table = {
        {op_info::Abs(), [](double x) { return std::fabs(x); }},
        {op_info::Acos(), [](double x) { return std::acos(x); }},
        {op_info::Acosh(), [](double x) { return std::acosh(x); }},
        {op_info::Asin(), [](double x) { return std::asin(x); }},
        {op_info::Asinh(), [](double x) { return std::asinh(x); }},
        {op_info::Atan(), [](double x) { return std::atan(x); }},
        {op_info::Atanh(), [](double x) { return std::atanh(x); }},
        {op_info::Ceil(), [](double x) { return std::ceil(x); }},
        {op_info::Cos(), [](double x) { return std::cos(x); }},
        {op_info::Cosh(), [](double x) { return std::cosh(x); }},
        {op_info::Cube(), [](double x) { return x * x * x; }},
        {op_info::Erf(), [](double x) { return std::erf(x); }},
        {op_info::Exp(), [](double x) { return std::exp(x); }},
        {op_info::Expm1(), [](double x) { return std::expm1(x); }},
        {op_info::Floor(), [](double x) { return std::floor(x); }},
        {op_info::HardSwish(), [](double x) { return x * between(x / 6 + 0.5, 0, 1); }},
        {op_info::IsFinite(), [](double x) { return std::isfinite(x); }},
        {op_info::IsNan(), [](double x) { return std::isnan(x); }},
        {op_info::Log(), [](double x) { return std::log(x); }},
        {op_info::Log10(), [](double x) { return std::log10(x); }},
        {op_info::Log1p(), [](double x) { return std::log1p(x); }},
        {op_info::Log2(), [](double x) { return std::log2(x); }},
        {op_info::LogSigmoid(), [](double x) { return -soft_plus(-x); }},
        {op_info::LogicalNot(), [](double x) { return x == 0; }},
        {op_info::Mish(), [](double x) { return x * std::tanh(soft_plus(x)); }},
        {op_info::Negative(), [](double x) { return -x; }},
        {op_info::Reciprocal(), [](double x) { return 1 / x; }},
        {op_info::Relu(), [](double x) { return x < 0 ? 0 : x; }},
        {op_info::Round(), [](double x) { return std::nearbyint(x); }},
        {op_info::Rsqrt(), [](double x) { return 1 / std::sqrt(x); }},
        {op_info::Sigmoid(), sigmoid},
        {op_info::Sign(), [](double x) { return x > 0   ? 1
                                                : x < 0 ? -1
                                                        : x; }},
        {op_info::Silu(), [](double x) { return x * sigmoid(x); }},
        {op_info::Sin(), [](double x) { return std::sin(x); }},
        {op_info::Sinh(), [](double x) { return std::sinh(x); }},
        {op_info::SoftSign(), [](double x) { return x / (1 + std::fabs(x)); }},
        {op_info::Sqrt(), [](double x) { return std::sqrt(x); }},
        {op_info::Square(), [](double x) { return x * x; }},
        {op_info::Tan(), [](double x) { return std::tan(x); }},
        {op_info::Tanh(), [](double x) { return std::tanh(x); }},
        {op_info::TanhShrink(), [](double x) { return x - std::tanh(x); }},
        {op_info::Trunc(), [](double x) { return std::trunc(x); }},
        {op_info::Celu(),
         [](double x) { return std::max(0.0, x) + (x > 0 ? 0 : 2 * std::expm1(x / 2)); },
         {{"alpha", 2.0}}},
        {op_info::Celu(), [](double x) { return elu(x, 1); }},
        {op_info::Clamp(), [](double x) { return between(x, -1, 2); }, {{"min_value", -1.0}, {"max_value", 2.0}}},
        {op_info::Clamp(), [](double x) { return between(x, -1, infinity); }, {{"min_value", std::int64_t{-1}}}},
        {op_info::Clip(), [](double x) { return between(x, 0, 6); }, {{"min_val", 0.0}, {"max_val", 6.0}}},
        {op_info::Clip(), [](double x) { return std::isnan(x) ? x : 1.0; }, {{"min_val", 3.0}, {"max_val", 1.0}}},
        {op_info::Clip(), [](double x) { return x; }},
        {op_info::Elu(), [](double x) { return elu(x, 1); }},
        {op_info::Elu(), [](double x) { return elu(x, 0.5); }, {{"alpha", 0.5}}},
        {op_info::Gelu(), [](double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }},
        {op_info::Gelu(),
         [](double x) {
             return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
         },
         {{"approximate", true}}},
        {op_info::HardShrink(), [](double x) { return std::fabs(x) <= 0.5 ? 0 : x; }},
        {op_info::HardShrink(), [](double x) { return std::fabs(x) <= 1 ? 0 : x; }, {{"lambda_val", 1.0}}},
        {op_info::HardSigmoid(), [](double x) { return between(x / 6 + 0.5, 0, 1); }},
        {op_info::HardSigmoid(),
         [](double x) { return between(0.2 * x + 0.4, 0, 1); },
         {{"alpha", 0.2}, {"beta", 0.4}}},
        {op_info::HardTanh(), [](double x) { return between(x, -1, 1); }},
        {op_info::HardTanh(), [](double x) { return between(x, -2, 1); }, {{"min_val", -2.0}}},
        {op_info::IsInf(), [](double x) { return std::isinf(x); }},
        {op_info::IsInf(), [](double x) { return x == infinity; }, {{"detect_negative", false}}},
        {op_info::IsInf(), [](double x) { return x == -infinity; }, {{"detect_positive", false}}},
        {op_info::IsInf(), [](double) { return 0; }, {{"detect_positive", false}, {"detect_negative", false}}},
        {op_info::LeakyRelu(), [](double x) { return x < 0 ? 0.01 * x : x; }},
        {op_info::LeakyRelu(), [](double x) { return x < 0 ? 0.25 * x : x; }, {{"alpha", 0.25}}},
        {op_info::Selu(), [](double x) { return 1.0507009873554805 * elu(x, 1.6732632423543772); }},
        {op_info::Selu(), [](double x) { return 3 * elu(x, 2); }, {{"alpha", 2.0}, {"gamma", 3.0}}},
        {op_info::Shrink(),
         [](double x) { return x < -1  ? x + 0.5
                               : x > 1 ? x - 0.5
                                       : 0; },
         {{"lambd", 1.0}, {"bias", 0.5}}},
        {op_info::SoftPlus(), soft_plus},
        {op_info::SoftPlus(),
         [](double x) { return 2 * x > 4 ? x : soft_plus(2 * x) / 2; },
         {{"beta", 2.0}, {"threshold_val", 4.0}}},
        {op_info::SoftShrink(),
         [](double x) {
             return x < -0.5 ? x + 0.5 : x > 0.5 ? x - 0.5 : std::isnan(x) ? x : 0;
         }},
        {op_info::Threshold(), [](double x) { return x <= 0.5 ? 7 : x; }, {{"threshold_val", 0.5}, {"value", 7.0}}},
        {op_info::ThresholdedRelu(), [](double x) { return x > 1 ? x : 0; }},
        {op_info::AddScalar(), [](double x) { return x + 1.5; }, {{"scalar", 1.5}}},
        {op_info::SubScalar(), [](double x) { return x - 1.5; }, {{"scalar", 1.5}}},
        {op_info::RSubScalar(), [](double x) { return 2 - x; }, {{"scalar", std::int64_t{2}}}},
        {op_info::MultiplyScalar(), [](double x) { return x * 1.5; }, {{"scalar", 1.5}}},
        {op_info::DivideScalar(), [](double x) { return x / 0.5; }, {{"scalar", 0.5}}},
        {op_info::RDivideScalar(), [](double x) { return 2 / x; }, {{"scalar", std::int64_t{2}}}},
        {op_info::CompositeElementwise(),
         [](double x) { return x * sigmoid(x); },
         {{"left_unary_op", std::string()},
          {"right_unary_op", std::string("Sigmoid")},
          {"binary_op", std::string("Multiply")}}},
        {op_info::CompositeElementwise(),
         [](double x) { return (x < 0 ? 0.5 * x : x) - 3 * x; },
         {{"left_unary_op", std::string("LeakyRelu")},
          {"right_unary_op", std::string("MultiplyScalar")},
          {"binary_op", std::string("Subtract")},
          {"left_arguments", Floats{0.5}},
          {"right_arguments", Floats{3}}}},
    };
    return table;
}

struct Precision {
    DType dtype;
    double tolerance;
};
constexpr Precision precisions[] = {{DType::F64, 1e-12}, {DType::F32, 2e-6}, {DType::F16, 2e-3}, {DType::BF16, 2e-2}};

void check(const UnaryRow& row, const Precision& precision) {
    const DType dtype = precision.dtype;
    const auto shape = std::vector<std::int64_t>{static_cast<std::int64_t>(unary_numbers.size())};
    const lang::TensorRef result = apply(row.op, {tensor(dtype, shape, unary_numbers)}, row.attributes).at(0);
    const std::vector<double> values = values_of(result);
    for (std::size_t i = 0; i < unary_numbers.size(); ++i) {
        const double x = ir::round_to(unary_numbers[i], dtype);
        const double expected = ir::round_to(row.expected(x), dtype);
        const bool is_same = values[i] == expected || (std::isnan(values[i]) && std::isnan(expected));
        const bool is_near = std::isfinite(expected) &&
                             std::fabs(values[i] - expected) <= precision.tolerance * (1 + std::fabs(expected));
        if (!is_same && !is_near)
            FAIL(row.op.name, " of ", x, " as ", ir::info(dtype).name, " is ", values[i], ", not ", expected);
    }
    const bool is_test = result->dtype == DType::Bool;
    REQUIRE((is_test || result->dtype == dtype));
}

// Whole numbers in their own type.
void expect_integers(const OpInfo& op, DType dtype, const std::vector<double>& in, const std::vector<double>& out,
                     const Attributes& attributes = {}) {
    const auto shape = std::vector<std::int64_t>{static_cast<std::int64_t>(in.size())};
    const lang::TensorRef result = apply(op, {tensor(dtype, shape, in)}, attributes).at(0);
    REQUIRE(std::string(ir::info(result->dtype).name) == std::string(ir::info(dtype).name));
    expect_close(result, out, 0);
}

} // namespace

TEST_CASE("operators of one tensor compute what the host computes") {
    for (const Precision& precision : precisions)
        SUBCASE(ir::info(precision.dtype).name) {
            for (const UnaryRow& row : unary_rows())
                check(row, precision);
        }
}

TEST_CASE("shapes stay, those without elements and without dimensions too") {
    for (const UnaryRow& row : unary_rows())
        for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{}, {0}, {2, 0, 3}, {2, 3}, {1, 1}}) {
            const auto result = apply(row.op, {random_tensor(DType::F32, shape)}, row.attributes).at(0);
            REQUIRE(result->shape == shape);
        }
}

TEST_CASE("integers stay integers") {
    expect_integers(op_info::Abs(), DType::I8, {-128, -3, 0, 5}, {-128, 3, 0, 5});
    expect_integers(op_info::Abs(), DType::U8, {0, 200}, {0, 200});
    expect_integers(op_info::Negative(), DType::I32, {-2147483648.0, -1, 7}, {-2147483648.0, 1, -7});
    expect_integers(op_info::Sign(), DType::I64, {-5, 0, 9}, {-1, 0, 1});
    expect_integers(op_info::Sign(), DType::U16, {0, 65535}, {0, 1});
    expect_integers(op_info::Square(), DType::I16, {-3, 300}, {9, 24464});
    expect_integers(op_info::Cube(), DType::I32, {-3, 2}, {-27, 8});
    expect_integers(op_info::Relu(), DType::I32, {-3, 0, 4}, {0, 0, 4});
    expect_integers(op_info::Round(), DType::I32, {-3, 4}, {-3, 4});
    expect_integers(op_info::Floor(), DType::U8, {3, 255}, {3, 255});
    expect_integers(op_info::BitwiseNot(), DType::I32, {0, -1, 5}, {-1, 0, -6});
    expect_integers(op_info::BitwiseNot(), DType::U8, {0, 255, 5}, {255, 0, 250});
    expect_integers(op_info::BitwiseNot(), DType::Bool, {0, 1}, {1, 0});
    expect_integers(op_info::Clip(), DType::I8, {-128, -3, 100}, {-5, -3, 100}, {{"min_val", -5.0}});
    expect_integers(op_info::Clip(), DType::U8, {0, 3, 255}, {2, 3, 255},
                    {{"min_val", std::int64_t{2}}, {"max_val", std::int64_t{1000}}});
    expect_integers(op_info::Clip(), DType::I8, {-128, 3}, {-128, 3}, {{"min_val", std::int64_t{-1000}}});
    expect_integers(op_info::Clip(), DType::I64, {-9e15, 9007199254740991.0}, {-9e15, 9007199254740991.0});
    expect_integers(op_info::Shrink(), DType::I32, {-3, -1, 0, 1, 3}, {-3, 0, 0, 0, 3}, {{"lambd", 1.5}});
    expect_integers(op_info::AddScalar(), DType::U8, {250, 3}, {4, 13}, {{"scalar", std::int64_t{10}}});
    expect_integers(op_info::DivideScalar(), DType::I32, {-7, 7}, {-3, 3}, {{"scalar", std::int64_t{2}}});
    expect_integers(op_info::RDivideScalar(), DType::I32, {-2, 0, 3}, {-3, 0, 2}, {{"scalar", std::int64_t{7}}});
}

TEST_CASE("functions that only floats have take integers as float32") {
    for (const OpInfo* op : {&op_info::Exp(), &op_info::Sigmoid(), &op_info::Gelu(), &op_info::Sqrt()})
        REQUIRE(apply(*op, {tensor(DType::I64, {1}, {1})}).at(0)->dtype == DType::F32);
    expect_close(apply(op_info::Sqrt(), {tensor(DType::U8, {2}, {4, 9})}).at(0), {2, 3});
    expect_close(apply(op_info::AddScalar(), {tensor(DType::I32, {2}, {4, 9})}, {{"scalar", 0.5}}).at(0), {4.5, 9.5});
}

TEST_CASE("Cast converts as NumPy does and keeps integers in the range of the type") {
    const auto cast = [](DType from, const std::vector<double>& values, DType to) {
        const auto count = static_cast<std::int64_t>(values.size());
        return values_of(apply(op_info::Cast(), {tensor(from, {count}, values)}, {{"dtype", to}}).at(0));
    };
    using Values = std::vector<double>;
    REQUIRE(cast(DType::F32, {-1.9, 1.9, 3e9}, DType::I32) == (Values{-1, 1, 2147483647}));
    REQUIRE(cast(DType::F32, {not_a_number, 0, -0.0, 0.5, infinity}, DType::Bool) == (Values{1, 0, 0, 1, 1}));
    REQUIRE(cast(DType::F32, {-1.9, 300.5, 1e9, infinity}, DType::U8) == (Values{255, 44, 0, 255}));
    REQUIRE(cast(DType::I32, {-1, 256, 300}, DType::U8) == (Values{255, 0, 44}));
    REQUIRE(cast(DType::Bool, {0, 1}, DType::F16) == (Values{0, 1}));
    REQUIRE(cast(DType::F64, {1e-10, 70000}, DType::F16) == (Values{0, infinity}));
    REQUIRE(cast(DType::I64, {9007199254740991.0}, DType::F64) == (Values{9007199254740991.0}));
}

TEST_CASE("functions of halves are within an ulp of the host's for each of them") {
    std::vector<double> all;
    for (int exponent = -24; exponent <= 15; ++exponent) // 2^-24 is the smallest; below 2^-14 all steps are as large
        for (int i = 0; i < 1024; ++i)
            for (const double sign : {-1.0, 1.0})
                if (const double x = sign * std::ldexp(1 + i / 1024.0, exponent); x == ir::round_to(x, DType::F16))
                    all.push_back(x);
    const auto phi = [](double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; };
    const auto tanh_inner = [](double x) { return std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x); };
    const UnaryRow rows[] = {
        {op_info::Gelu(), [&](double x) { return x * phi(x); }},
        {op_info::Gelu(), [&](double x) { return x * sigmoid(2 * tanh_inner(x)); }, {{"approximate", true}}},
        {op_info::Sigmoid(), sigmoid},
        {op_info::Silu(), [](double x) { return x * sigmoid(x); }},
    };
    for (const UnaryRow& row : rows) {
        const auto shape = std::vector<std::int64_t>{static_cast<std::int64_t>(all.size())};
        const std::vector<double> values =
            values_of(apply(row.op, {tensor(DType::F16, shape, all)}, row.attributes).at(0));
        for (std::size_t i = 0; i < all.size(); ++i) {
            const double expected = row.expected(all[i]);
            const double ulp = std::ldexp(1, std::max(std::ilogb(std::max(std::fabs(expected), 0x1p-24)) - 10, -24));
            if (!(std::fabs(values[i] - expected) <= ulp))
                FAIL(row.op.name, " of ", all[i], " is ", values[i], ", not ", expected);
        }
    }
}
