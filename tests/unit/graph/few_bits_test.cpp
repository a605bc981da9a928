// SPDX-License-Identifier: Apache-2.0
// What rounding a weight to few bits costs a product, beside what is said of it.
#include <doctest/doctest.h>

#include <cmath>

#include "compiler/graph/core/data.h"
#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/passes/packed_weight.h"
#include "tests/unit/graph/interpret.h"

using hidet::ir::DType;
using namespace hidet;
using namespace hidet::test;
using namespace hidet::graph;

namespace {

// Of the normal distribution, by the sum of twelve.
lang::TensorRef normal_tensor(DType dtype, const std::vector<std::int64_t>& shape, std::uint64_t seed) {
    const std::int64_t count = shape[0] * shape[1];
    const std::vector<double> parts = values_of(random_tensor(DType::F32, {count, 12}, seed));
    std::vector<double> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < parts.size(); ++i)
        values[i / 12] += parts[i] / 2 * 0.02;
    return tensor_of(dtype, shape, values);
}

double error_of_product(const lang::TensorRef& weight, const QuantizedWeight& made) {
    const std::int64_t n = weight->shape[0], k = weight->shape[1], rows = 16;
    const lang::TensorRef a = normal_tensor(DType::F32, {rows, k}, 7);
    const OpCall product(op_info::Matmul(), {spec_of(*a), spec_of(*weight)}, {{"transpose_b", true}});
    const OpCall packed(op_info::PackedMatmul(), {spec_of(*a), spec_of(*made.numbers), spec_of(*made.scale)},
                        {{"bits", made.bits}, {"group_size", made.group_size}});
    const std::vector<double> wanted = values_of(evaluate(product, {a, weight})[0]);
    const std::vector<double> found = values_of(evaluate(packed, {a, made.numbers, made.scale})[0]);
    REQUIRE(found.size() == static_cast<std::size_t>(rows * n));
    double change = 0, square = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        change += (found[i] - wanted[i]) * (found[i] - wanted[i]);
        square += wanted[i] * wanted[i];
    }
    return std::sqrt(change / square);
}

} // namespace

TEST_CASE("a product with weights of few bits is as far off as is said, and the fewer bits, the further") {
    for (const DType dtype : {DType::F32, DType::F16, DType::BF16}) {
        CAPTURE(ir::info(dtype).name);
        const lang::TensorRef weight = normal_tensor(dtype, {96, 512}, 3);
        double before = 0;
        for (const char* kind : {"int8", "fp8", "int4"}) {
            CAPTURE(kind);
            const QuantizeKind& how = *find_quantize_kind(kind);
            const QuantizedWeight made = quantized(*weight, true, how);
            CHECK(made.error > before);
            CHECK(made.error < how.limit);
            CHECK(error_of_product(weight, made) == doctest::Approx(made.error).epsilon(0.1));
            CHECK(bytes_of(made) * 16 < 96 * 512 * (how.bits * 2 + 1));
            before = made.error;
        }
    }
}

TEST_CASE("a weight with a NaN or an infinity has no error that is finite") {
    for (const double odd : {std::nan(""), HUGE_VAL}) {
        std::vector<double> values(64, 1.0);
        values[5] = odd;
        const lang::TensorRef weight = tensor_of(DType::F32, {2, 32}, values);
        for (const QuantizeKind& kind : quantize_kinds())
            CHECK_FALSE(std::isfinite(quantized(*weight, true, kind).error));
    }
}

TEST_CASE("zeros stay zeros, and a scale that half precision cannot hold is kept in float32") {
    const lang::TensorRef zeros = tensor_of(DType::F16, {2, 32}, std::vector<double>(64, 0.0));
    const QuantizedWeight none = quantized(*zeros, true, *find_quantize_kind("int8"));
    CHECK(none.error == 0);
    const lang::TensorRef small = tensor_of(DType::F16, {2, 32}, std::vector<double>(64, 1e-3));
    const QuantizedWeight made = quantized(*small, true, *find_quantize_kind("int8"));
    CHECK(made.scale->dtype == DType::F32);
    CHECK(made.error < 1e-6);
}
