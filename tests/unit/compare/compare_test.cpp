// SPDX-License-Identifier: Apache-2.0
// Results beside what they should be: figures worked out by hand, in every type that kernels compute with.
#include "app/session/compare/compare.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

#include "app/session/kernel_bench/filling.h"
#include "lang/tensor/elements.h"
#include "lang/tensor/random.h"

using namespace hidet;
using namespace hidet::session;
using ir::DType;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

lang::TensorRef tensor_of(DType dtype, std::vector<std::int64_t> shape, const lang::Doubles& values) {
    lang::TensorRef tensor(new lang::Tensor);
    tensor->dtype = dtype;
    tensor->shape = std::move(shape);
    tensor->storage = std::make_shared<lang::Storage>(values.size() * static_cast<std::size_t>(ir::bytes_of(dtype)));
    lang::write_doubles(*tensor, values);
    return tensor;
}

Comparison compared(DType dtype, const lang::Doubles& got, const lang::Doubles& wanted, Tolerance tolerance = {}) {
    auto count = static_cast<std::int64_t>(got.size());
    return compare("c", *tensor_of(dtype, {count}, got), *tensor_of(dtype, {count}, wanted), {tolerance, 1, false});
}

TEST_CASE("errors are figures of all elements, and the worst one is told with its numbers") {
    Comparison found = compared(DType::F32, {1, 2, 3.5, 4}, {1, 2, 3, 8}, {0.25, 0});
    REQUIRE(found.bad == 2);
    REQUIRE(found.max_absolute == 4.0);
    REQUIRE(found.max_relative == 0.5);
    REQUIRE(found.mean_absolute == 4.5 / 4);
    REQUIRE(found.first_bad.at(0) == 2);
    REQUIRE(found.worst.at(0) == 3);
    REQUIRE(found.got == 4.0);
    REQUIRE(found.wanted == 8.0);
    REQUIRE(describe(found) == "2 of 4 elements of 'c' are wrong, worst at (3,): got 4, expected 8");
}

TEST_CASE("numbers are told in four digits, or in as many as show that they differ") {
    REQUIRE(describe(compared(DType::F32, {36.4149842}, {0.0274}, {0, 0})) ==
            "1 of 1 element of 'c' is wrong, at (0,): got 36.41, expected 0.0274");
    REQUIRE(describe(compared(DType::F32, {1.0000001}, {1}, {0, 0})) ==
            "1 of 1 element of 'c' is wrong, at (0,): got 1.0000001, expected 1.0");
    REQUIRE(describe(compared(DType::I32, {123456}, {123457})) ==
            "1 of 1 element of 'c' is wrong, at (0,): got 123456, expected 123457");
    REQUIRE(describe(compared(DType::F32, {100, 2, nan}, {1, 2, 3}, {0, 0})) ==
            "2 of 3 elements of 'c' are wrong, worst at (2,): got nan, expected 3");
}

TEST_CASE("a tolerance takes what lies on its edge") {
    REQUIRE(compared(DType::F64, {1.5}, {1}, {0.5, 0}).bad == 0);
    REQUIRE(compared(DType::F64, {1.5}, {1}, {0, 0.5}).bad == 0);
    REQUIRE(compared(DType::F64, {1.5}, {1}, {0.25, 0.24}).bad == 1);
}

TEST_CASE("the first bad index is that of the shape") {
    lang::Doubles got(24, 1), wanted(24, 1);
    got[17] = 5;
    Comparison found =
        compare("c", *tensor_of(DType::F32, {2, 3, 4}, got), *tensor_of(DType::F32, {2, 3, 4}, wanted), {});
    REQUIRE((found.first_bad == std::vector<std::int64_t>{1, 1, 1}));
}

TEST_CASE("units in the last place are those of the type") {
    REQUIRE(ulp_distance(1, std::nextafter(1.0F, 2.0F), DType::F32) == 1.0);
    REQUIRE(ulp_distance(1, std::nextafter(1.0, 2.0), DType::F64) == 1.0);
    REQUIRE(ulp_distance(1, 1 + 0x1p-10, DType::F16) == 1.0);
    REQUIRE(ulp_distance(1, 1 + 0x1p-7, DType::BF16) == 1.0);
    REQUIRE(ulp_distance(0.0, -0.0, DType::F32) == 0.0);
    REQUIRE(ulp_distance(0x1p-149, -0x1p-149, DType::F32) == 2.0);
    REQUIRE(ulp_distance(0x1p-1074, -0x1p-1074, DType::F64) == 2.0);
    REQUIRE(ulp_distance(1, 2, DType::F32) == 0x1p23);
}

TEST_CASE("integers are compared exactly, also where doubles cannot tell them apart") {
    lang::TensorRef got = tensor_of(DType::I64, {2}, {0, 0}), wanted = tensor_of(DType::I64, {2}, {0, 0});
    lang::write_integers(*got, {(std::int64_t(1) << 62) + 1, std::numeric_limits<std::int64_t>::min()});
    lang::write_integers(*wanted, {std::int64_t(1) << 62, std::numeric_limits<std::int64_t>::max()});
    Comparison found = compare("c", *got, *wanted, {});
    REQUIRE(found.bad == 2);
    REQUIRE(found.first_bad.at(0) == 0);
    REQUIRE(found.max_ulp == 0x1p64);
    REQUIRE(compared(DType::U8, {255, 1}, {255, 1}).bad == 0);
    REQUIRE(compared(DType::Bool, {1, 0}, {1, 1}).bad == 1);
}

TEST_CASE("NaN and infinity are right only where they are wanted") {
    Comparison found = compared(DType::F32, {nan, infinity, nan, infinity, -infinity, 1},
                                {nan, infinity, 1, 1, infinity, nan}, {1e9, 1});
    REQUIRE(found.bad == 4);
    REQUIRE(found.first_bad.at(0) == 2);
    REQUIRE(found.got_nan == 2);
    REQUIRE(found.wanted_nan == 2);
    REQUIRE(found.got_infinite == 3);
    REQUIRE(found.wanted_infinite == 2);
    REQUIRE(!found.max_absolute); // no element is finite on both sides: there is no error to speak of
    REQUIRE(!found.mean_absolute);
    REQUIRE(!largest_error({found}));
}

TEST_CASE("where nothing is compared there is no error, and none of zero either") {
    Comparison empty = compared(DType::F32, {}, {});
    REQUIRE(empty.bad == 0);
    REQUIRE(!empty.max_absolute);
    REQUIRE(!largest_error({}));
    lang::TensorRef matrix = tensor_of(DType::F32, {2, 2}, {1, 2, 3, 4});
    Comparison refused = compare("c", *matrix, *tensor_of(DType::F32, {4, 1}, {1, 2, 3, 4}), {});
    REQUIRE(!largest_error({refused}));
    Comparison same = compared(DType::F32, {1}, {1});
    REQUIRE(largest_error({refused, same}) == 0.0);
    REQUIRE(largest_error({same, compared(DType::F32, {1}, {3})}) == 2.0);
}

TEST_CASE("a wrong element where zero is wanted is relatively wrong without bound") {
    Comparison wrong = compared(DType::F32, {5, 1}, {0, 1}, {0.5, 0});
    REQUIRE(wrong.max_relative == infinity);
    Comparison right = compared(DType::F32, {0.25, 1}, {0, 1}, {0.5, 0});
    REQUIRE(right.max_relative == 0.0);
}

TEST_CASE("NaN where NaN is wanted is wrong for who says so") {
    const auto one = tensor_of(DType::F32, {1}, {nan});
    REQUIRE(compare("c", *one, *one, {}).bad == 0);
    REQUIRE(compare("c", *one, *one, {.tolerance = {1.0, 1.0}, .equal_nan = false}).bad == 1);
}

TEST_CASE("all zeros are not close to anything") {
    lang::Doubles wanted;
    for (int i = 0; i < 100; ++i)
        wanted.push_back(std::sin(i + 1.0));
    for (DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64})
        REQUIRE(compared(dtype, lang::Doubles(100, 0), wanted).bad > 90);
}

TEST_CASE("shapes that differ are refused, a vector of as many elements is not") {
    lang::TensorRef matrix = tensor_of(DType::F32, {2, 2}, {1, 2, 3, 4});
    REQUIRE(compare("c", *matrix, *tensor_of(DType::F32, {4}, {1, 2, 3, 4}), {}).bad == 0);
    REQUIRE(compare("c", *matrix, *tensor_of(DType::F32, {4, 1}, {1, 2, 3, 4}), {}).refusal ==
            "'c' has the shape [2, 2], and the reference gives [4, 1]");
}

TEST_CASE("an empty tensor is right") {
    Comparison found = compared(DType::F32, {}, {});
    REQUIRE(found.bad == 0);
    REQUIRE(found.map.rows == 0);
}

// Of 50 sums of products, each added in `type` from the first to the last, how many are wrong by default.
std::int64_t wrong_sums(DType type, int length, DType told, double factor = 1) {
    lang::Random random(5);
    lang::Doubles summed, exact;
    for (int i = 0; i < 50; ++i) {
        double sum = 0, wanted = 0;
        for (int k = 0; k < length; ++k) {
            double a = ir::round_to(random.normal(), DType::F16), b = ir::round_to(random.normal(), DType::F16);
            sum = ir::round_to(sum + a * b, type);
            wanted += a * b;
        }
        summed.push_back(ir::round_to(sum * factor, DType::F16));
        exact.push_back(wanted);
    }
    Expectation expectation{{}, static_cast<double>(length), false, told};
    return compare("c", *tensor_of(DType::F16, {50}, summed), *tensor_of(DType::F32, {50}, exact), expectation).bad;
}

TEST_CASE("sums in f16 are right for what they are, and wrong as sums in f32") {
    for (int length : {16, 256, 1024})
        REQUIRE(wrong_sums(DType::F16, length, DType::F16) == 0);
    REQUIRE(wrong_sums(DType::F16, 1024, DType::F32) > 0);
    REQUIRE(wrong_sums(DType::F32, 1024, DType::F32) == 0);
    REQUIRE(wrong_sums(DType::F16, 1024, DType::F16, 1.25) > 0);
}

TEST_CASE("one operation in f16 is as exact as its rounding") {
    REQUIRE(wrong_sums(DType::F16, 1, DType::F16) == 0);
    REQUIRE(wrong_sums(DType::F16, 1, DType::F16, 1.01) > 0);
}

TEST_CASE("sums in f32 of any length are within the default, and an error of 1 % never is") {
    lang::Random random(3);
    for (int length : {1, 16, 256, 4096}) {
        lang::Doubles summed, exact;
        for (int i = 0; i < 50; ++i) {
            float sum = 0;
            double wanted = 0;
            for (int k = 0; k < length; ++k) {
                auto a = static_cast<float>(random.normal()), b = static_cast<float>(random.normal());
                sum += a * b;
                wanted += static_cast<double>(a) * static_cast<double>(b);
            }
            summed.push_back(static_cast<double>(sum));
            exact.push_back(wanted);
        }
        auto judged = [&](const lang::Doubles& got) {
            return compare("c", *tensor_of(DType::F32, {50}, got), *tensor_of(DType::F32, {50}, exact),
                           {{}, static_cast<double>(length), false})
                .bad;
        };
        REQUIRE(judged(summed) == 0);
        lang::Doubles off = exact;
        double largest = 0;
        std::size_t place = 0;
        for (std::size_t i = 0; i < off.size(); ++i)
            if (std::fabs(off[i]) > largest)
                largest = std::fabs(off[i]), place = i;
        off[place] *= 1.01;
        REQUIRE(judged(off) == 1);
    }
}

TEST_CASE("a matrix folds into at most 64 x 64 cells, the worst of each shown") {
    lang::Doubles got(130 * 200, 0), wanted(130 * 200, 0);
    got[static_cast<std::size_t>(129 * 200 + 199)] = 1;
    got[0] = 0.5;
    ErrorMap map = compare("c", *tensor_of(DType::F32, {130, 200}, got), *tensor_of(DType::F32, {130, 200}, wanted),
                           {{1, 0}, 1, false})
                       .map;
    REQUIRE(map.cell_rows == 3);
    REQUIRE(map.cell_columns == 4);
    REQUIRE(map.rows == 44);
    REQUIRE(map.columns == 50);
    REQUIRE(map.values.size() == 44u * 50u);
    REQUIRE(map.values.front() == 0.5);
    REQUIRE(map.values.back() == 1.0);
}

TEST_CASE("a vector takes rows of a power of two, and what has no tolerance is beyond the scale") {
    lang::Doubles got(100, 0), wanted(100, 0);
    got[99] = nan;
    ErrorMap map = compared(DType::F32, got, wanted, {0, 0}).map;
    REQUIRE(map.matrix_columns == 16);
    REQUIRE(map.rows == 7);
    REQUIRE(map.values.at(6 * 16 + 3) == worst_error);
}

TEST_CASE("what was never written is wrong where NaN is wanted, and right where that was never written either") {
    for (DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
        const lang::TensorRef got = tensor_of(dtype, {3}, {nan, nan, nan}),
                              wanted = tensor_of(dtype, {3}, {nan, nan, nan});
        REQUIRE(compare("c", *got, *wanted, {}).bad == 0);
        fill_with_pattern(*got);
        REQUIRE(describe(compare("c", *got, *wanted, {})) ==
                "3 of 3 elements of 'c' are wrong, the first at (0,): never written");
        fill_with_pattern(*wanted);
        REQUIRE(compare("c", *got, *wanted, {}).bad == 0);
    }
}

TEST_CASE("what was never written is known by its pattern, in every type") {
    for (DType dtype : {DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U32, DType::F16, DType::BF16,
                        DType::F32, DType::F64, DType::F8E4M3, DType::F8E5M2}) {
        lang::TensorRef got = tensor_of(dtype, {5}, {1, 1, 1, 1, 1});
        fill_with_pattern(*got);
        Comparison found = compare("c", *got, *tensor_of(dtype, {5}, {1, 1, 1, 1, 1}), {});
        REQUIRE(found.bad == 5);
        REQUIRE(found.never_written == 5);
        REQUIRE(describe(found) == "5 of 5 elements of 'c' are wrong, the first at (0,): never written");
    }
}

TEST_CASE("random numbers depend on the seed alone") {
    lang::TensorRef a = tensor_of(DType::F32, {1000}, lang::Doubles(1000)),
                    b = tensor_of(DType::F32, {1000}, lang::Doubles(1000));
    fill(*a, Fill::Random, {.seed = 1});
    fill(*b, Fill::Random, {.seed = 1});
    REQUIRE(lang::read_doubles(*a) == lang::read_doubles(*b));
    fill(*b, Fill::Random, {.seed = 2});
    REQUIRE(lang::read_doubles(*a) != lang::read_doubles(*b));
    fill(*a, Fill::Arange, {});
    REQUIRE(lang::element_double(*a, 999) == 999.0);
}

} // namespace
