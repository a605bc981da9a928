// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <doctest/doctest.h>

#include "tests/unit/graph/interpret.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;
using ir::DType;

namespace {

// x[2, 3, 4] reduced over the middle.
std::vector<double> over_middle(const std::vector<double>& x, double (*combine)(const std::vector<double>&)) {
    std::vector<double> result;
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t k = 0; k < 4; ++k)
            result.push_back(combine({x[i * 12 + k], x[i * 12 + 4 + k], x[i * 12 + 8 + k]}));
    return result;
}

void check_over_middle(const OpInfo& op, double (*combine)(const std::vector<double>&)) {
    for (const DType dtype : {DType::F32, DType::F64, DType::F16}) {
        const lang::TensorRef x = random_tensor(dtype, {2, 3, 4});
        const auto result = apply(op, {x}, {{"dims", Ints{-2}}});
        REQUIRE(result[0]->shape == (std::vector<std::int64_t>{2, 4}));
        expect_close(result[0], over_middle(values_of(x), combine), dtype == DType::F16 ? 2e-3 : 1e-6);
    }
}

TEST_CASE("reductions give what a loop gives, in every float type") {
    check_over_middle(op_info::ReduceMean(), [](const auto& v) { return (v[0] + v[1] + v[2]) / 3; });
    check_over_middle(op_info::ReduceMax(), [](const auto& v) { return std::max({v[0], v[1], v[2]}); });
    check_over_middle(op_info::ReduceMin(), [](const auto& v) { return std::min({v[0], v[1], v[2]}); });
    check_over_middle(op_info::ReduceProd(), [](const auto& v) { return v[0] * v[1] * v[2]; });
    check_over_middle(op_info::ReduceL1(), [](const auto& v) { return fabs(v[0]) + fabs(v[1]) + fabs(v[2]); });
    check_over_middle(op_info::ReduceL2(),
                      [](const auto& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); });
    check_over_middle(op_info::ReduceSumSquare(),
                      [](const auto& v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; });
    check_over_middle(op_info::ReduceLogSum(), [](const auto& v) { return std::log(v[0] + v[1] + v[2]); });
    check_over_middle(op_info::ReduceLogSumExp(),
                      [](const auto& v) { return std::log(std::exp(v[0]) + std::exp(v[1]) + std::exp(v[2])); });
}

TEST_CASE("integers and bools are reduced in their own type") {
    const auto x = tensor(DType::I32, {2, 3}, {1, -2, -6, 3, 4, 1});
    expect_close(apply(op_info::ReduceMean(), {x}, {{"dims", Ints{1}}})[0], {-2, 2});
    expect_close(apply(op_info::ReduceMax(), {x}, {{"dims", Ints{0}}})[0], {3, 4, 1});
    expect_close(apply(op_info::ReduceSumSquare(), {x}, {{"dims", Ints{1}}})[0], {41, 26});
    const auto large = tensor(DType::U64, {2}, {-1, 5});
    REQUIRE(values_of(apply(op_info::ReduceMax(), {large})[0]) == std::vector<double>{-1}); // all bits set
    const auto bools = tensor(DType::Bool, {2, 2}, {0, 1, 0, 0});
    expect_close(apply(op_info::ReduceMax(), {bools}, {{"dims", Ints{1}}})[0], {1, 0});
    expect_close(apply(op_info::ReduceMin(), {bools}, {{"dims", Ints{0}}})[0], {0, 0});
    expect_close(apply(op_info::ReduceOr(), {x}, {{"dims", Ints{1}}})[0], {1, 1});
    expect_close(apply(op_info::ReduceAnd(), {bools}, {{"dims", Ints{1}}})[0], {0, 0});
}

TEST_CASE("nan, infinities, nothing and scalars are reduced as NumPy reduces them") {
    const auto x = tensor(DType::F32, {2, 3}, {1, not_a_number, 2, -infinity, -infinity, -infinity});
    expect_close(apply(op_info::ReduceMax(), {x}, {{"dims", Ints{1}}})[0], {not_a_number, -infinity});
    expect_close(apply(op_info::ReduceMin(), {x}, {{"dims", Ints{1}}})[0], {not_a_number, -infinity});
    expect_close(apply(op_info::ArgMax(), {x}, {{"dim", std::int64_t{1}}})[0], {1, 0});
    expect_close(apply(op_info::ReduceLogSumExp(), {x}, {{"dims", Ints{1}}})[0], {not_a_number, -infinity});
    const auto empty = tensor(DType::F32, {2, 0}, {});
    expect_close(apply(op_info::ReduceMax(), {empty}, {{"dims", Ints{1}}})[0], {-infinity, -infinity});
    expect_close(apply(op_info::ReduceProd(), {empty}, {{"dims", Ints{1}}})[0], {1, 1});
    expect_close(apply(op_info::ReduceMean(), {empty}, {{"dims", Ints{1}}})[0], {not_a_number, not_a_number});
    const auto scalar = tensor(DType::F32, {}, {3});
    expect_close(apply(op_info::ReduceSum(), {scalar})[0], {3});
    const auto halves = tensor(DType::F16, {3}, {60000, 60000, -60000});
    expect_close(apply(op_info::ReduceSum(), {halves})[0], {60000});
}

TEST_CASE("arg reductions take the first of equals, or the last") {
    const auto x = tensor(DType::F32, {2, 4}, {1, 5, 5, 0, -1, -1, -3, -3});
    expect_close(apply(op_info::ArgMax(), {x}, {{"dim", std::int64_t{1}}})[0], {1, 0});
    expect_close(apply(op_info::ArgMax(), {x}, {{"dim", std::int64_t{-1}}, {"select_last", true}})[0], {2, 1});
    const auto kept = apply(op_info::ArgMin(), {x}, {{"dim", std::int64_t{1}}, {"keepdims", true}})[0];
    REQUIRE(kept->shape == (std::vector<std::int64_t>{2, 1}));
    REQUIRE(kept->dtype == DType::I64);
    expect_close(kept, {3, 2});
}

TEST_CASE("a running sum adds in chunks what a loop adds in turn") {
    for (const std::int64_t extent : {5, 1000}) {
        for (int variant = 0; variant < 4; ++variant) {
            const bool exclusive = variant & 1;
            const bool reverse = variant & 2;
            const auto x = random_tensor(DType::F64, {2, extent, 2}, 7);
            const auto values = values_of(x);
            std::vector<double> expected(values.size());
            for (std::int64_t i = 0; i < 2; ++i)
                for (std::int64_t k = 0; k < 2; ++k) {
                    double sum = 0;
                    for (std::int64_t step = 0; step < extent; ++step) {
                        const std::int64_t j = reverse ? extent - 1 - step : step;
                        const auto slot = static_cast<std::size_t>((i * extent + j) * 2 + k);
                        expected[slot] = exclusive ? sum : sum + values[slot];
                        sum += values[slot];
                    }
                }
            const auto sum = apply(op_info::CumulativeSum(), {x},
                                   {{"dim", std::int64_t{1}}, {"exclusive", exclusive}, {"reverse", reverse}});
            expect_close(sum[0], expected, 1e-9);
        }
    }
}

TEST_CASE("softmax overflows for no input") {
    const auto x = tensor(DType::F32, {2, 3}, {1, 2, 3, 1000, 1000, -infinity});
    const double s = std::exp(-2) + std::exp(-1) + 1;
    expect_close(apply(op_info::Softmax(), {x})[0], {std::exp(-2) / s, std::exp(-1) / s, 1 / s, 0.5, 0.5, 0});
    expect_close(apply(op_info::LogSoftmax(), {x}, {{"axis", std::int64_t{1}}})[0],
                 {-2 - std::log(s), -1 - std::log(s), -std::log(s), -std::log(2), -std::log(2), -infinity});
    expect_close(apply(op_info::Hardmax(), {x})[0], {0, 0, 1, 1, 0, 0});
}

TEST_CASE("normalisation takes out mean and deviation") {
    const auto x = random_tensor(DType::F32, {3, 8}, 3);
    const auto v = values_of(x);
    std::vector<double> normal, by_root, unit;
    for (std::size_t i = 0; i < 3; ++i) {
        double mean = 0, square = 0, variance = 0;
        for (std::size_t j = 0; j < 8; ++j)
            mean += v[i * 8 + j] / 8, square += v[i * 8 + j] * v[i * 8 + j];
        for (std::size_t j = 0; j < 8; ++j)
            variance += (v[i * 8 + j] - mean) * (v[i * 8 + j] - mean) / 8;
        for (std::size_t j = 0; j < 8; ++j) {
            normal.push_back((v[i * 8 + j] - mean) / std::sqrt(variance + 0.1));
            by_root.push_back(v[i * 8 + j] / std::sqrt(square / 8 + 0.1));
            unit.push_back(v[i * 8 + j] / std::sqrt(square));
        }
    }
    expect_close(apply(op_info::Normalize(), {x}, {{"dims", Ints{1}}, {"epsilon", 0.1}})[0], normal);
    expect_close(apply(op_info::RmsNormalize(), {x}, {{"dims", Ints{1}}, {"epsilon", 0.1}})[0], by_root);
    expect_close(apply(op_info::LpNorm(), {x}, {{"dim", std::int64_t{1}}})[0], unit);
    const auto even = tensor(DType::F32, {2, 2}, {1, 3, -2, 2});
    expect_close(apply(op_info::ReduceVar(), {even}, {{"dims", Ints{1}}})[0], {1, 4});
    expect_close(apply(op_info::ReduceStd(), {even}, {{"dims", Ints{0}}, {"keepdims", true}, {"unbiased", true}})[0],
                 {std::sqrt(4.5), std::sqrt(0.5)});
    const auto zeros = tensor(DType::F32, {1, 2}, {0, 0});
    expect_close(apply(op_info::LpNorm(), {zeros}, {{"dim", std::int64_t{1}}, {"eps", 0.0}})[0], {0, 0});
    const auto pictures = random_tensor(DType::F32, {2, 3, 2, 2}, 9);
    const auto mvn = values_of(apply(op_info::MeanVarianceNormalization(), {pictures})[0]);
    double sum = 0, square = 0;
    for (std::size_t n = 0; n < 2; ++n)
        for (std::size_t p = 0; p < 4; ++p)
            sum += mvn[n * 12 + 4 + p], square += mvn[n * 12 + 4 + p] * mvn[n * 12 + 4 + p];
    REQUIRE((std::fabs(sum) < 1e-5 && std::fabs(square - 8) < 1e-4));
}

TEST_CASE("local response is normalised over neighbouring channels") {
    const auto x = random_tensor(DType::F32, {1, 5, 2}, 4);
    const auto v = values_of(x);
    std::vector<double> expected;
    for (int c = 0; c < 5; ++c)
        for (int p = 0; p < 2; ++p) {
            double square = 0;
            for (int d = std::max(0, c - 1); d <= std::min(4, c + 2); ++d)
                square += v[static_cast<std::size_t>(d * 2 + p)] * v[static_cast<std::size_t>(d * 2 + p)];
            expected.push_back(v[static_cast<std::size_t>(c * 2 + p)] / std::pow(2 + 0.5 / 4 * square, 0.6));
        }
    expect_close(
        apply(op_info::LRN(), {x}, {{"size", std::int64_t{4}}, {"alpha", 0.5}, {"beta", 0.6}, {"bias", 2.0}})[0],
        expected);
}

TEST_CASE("what cannot be reduced is refused with its shape") {
    const TensorSpec x{DType::F32, graph::shape_of({2, 3})};
    REQUIRE(blocker_of(op_info::ReduceMax(), {x}, {{"dims", Ints{1, -1}}}) == "dimension -1 is reduced twice");
    REQUIRE(blocker_of(op_info::Softmax(), {x}, {{"axis", std::int64_t{2}}}) ==
            "axis 2 is out of range for 2 dimensions");
    const TensorSpec integers{DType::I32, x.shape};
    REQUIRE(blocker_of(op_info::Softmax(), {integers}) == "softmax wants a tensor of floats, not " + text_of(integers));
    const TensorSpec empty{DType::F32, graph::shape_of({0, 3})};
    REQUIRE(blocker_of(op_info::ArgMax(), {empty}) == "argmax along an empty dimension of " + text_of(empty));
}

} // namespace
