// SPDX-License-Identifier: Apache-2.0
// Elements of all types that become one.
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "lang/base/numeric.h"
#include "runtime/distributed/reduction.h"

using namespace hidet;
using namespace hidet::distributed;
using package::Scalar;

namespace {

template <class T>
T reduced(Reduction how, Scalar dtype, const std::vector<T>& values) {
    std::vector<const std::byte*> inputs;
    for (const T& value : values)
        inputs.push_back(reinterpret_cast<const std::byte*>(&value));
    T out{};
    reduce(how, dtype, inputs, reinterpret_cast<std::byte*>(&out), 1);
    return out;
}

} // namespace

TEST_CASE("integers of every width wrap") {
    CHECK(reduced<std::int8_t>(Reduction::Sum, Scalar::I8, {127, 1}) == -128);
    CHECK(reduced<std::int16_t>(Reduction::Product, Scalar::I16, {256, 256, 3}) == 0);
    CHECK(reduced<std::int32_t>(Reduction::Sum, Scalar::I32, {std::numeric_limits<std::int32_t>::max(), 1}) ==
          std::numeric_limits<std::int32_t>::min());
    CHECK(reduced<std::int64_t>(Reduction::Sum, Scalar::I64, {std::numeric_limits<std::int64_t>::max(), 1}) ==
          std::numeric_limits<std::int64_t>::min());
    CHECK(reduced<std::uint8_t>(Reduction::Sum, Scalar::U8, {255, 2}) == 1);
    CHECK(reduced<std::uint16_t>(Reduction::Max, Scalar::U16, {1, 65535}) == 65535);
    CHECK(reduced<std::uint64_t>(Reduction::Min, Scalar::U64, {~std::uint64_t{0}, 4}) == 4);
}

TEST_CASE("reals of few bits are added up in f32 and rounded once") {
    std::vector<std::uint16_t> halves(4097, f32_to_f16(1.0F));
    CHECK(f16_to_f32(reduced(Reduction::Sum, Scalar::F16, halves)) == 4096.0F); // in f16 it would end at 2048
    std::vector<std::uint16_t> brains(1024, f32_to_bf16(1.0F));
    CHECK(bf16_to_f32(reduced(Reduction::Sum, Scalar::BF16, brains)) == 1024.0F);
    CHECK(bf16_to_f32(reduced(Reduction::Avg, Scalar::BF16, brains)) == 1.0F);
    std::vector<std::uint8_t> bytes(32, f32_to_e4m3(1.0F));
    CHECK(e4m3_to_f32(reduced(Reduction::Sum, Scalar::F8E4M3, bytes)) == 32.0F);
    CHECK(e5m2_to_f32(reduced<std::uint8_t>(Reduction::Max, Scalar::F8E5M2, {f32_to_e5m2(2), f32_to_e5m2(3)})) == 3.0F);
}

TEST_CASE("a NaN of any process stays") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (Reduction how : {Reduction::Min, Reduction::Max, Reduction::Sum}) {
        const float first = reduced<float>(how, Scalar::F32, {nan, 1});
        const float last = reduced<float>(how, Scalar::F32, {1, nan});
        CHECK(first != first);
        CHECK(last != last);
    }
}

TEST_CASE("bool has and and or, and no sum") {
    CHECK(reduced<std::uint8_t>(Reduction::Max, Scalar::Bool, {0, 1}) == 1);
    CHECK(reduced<std::uint8_t>(Reduction::Min, Scalar::Bool, {0, 1}) == 0);
    CHECK(refusal(Reduction::Sum, Scalar::Bool) == "there is no 'sum' of bool: 'max' is or, 'min' is and");
    CHECK(refusal(Reduction::Avg, Scalar::I32) == "there is no 'avg' of i32: integers have no mean");
    CHECK(refusal(Reduction::Avg, Scalar::F16).empty());
    CHECK_FALSE(find_reduction("mean").has_value());
}
