// SPDX-License-Identifier: Apache-2.0
// The native interpreter beside the one of the tests, on tensors that several threads share: elements that neighbouring lanes
// walk along at a step, backwards or not at all, and such whose indices are no sums of axes.
#include "compiler/graph/interpreter/interpreter.h"

#include <doctest/doctest.h>

#include <cstring>

#include "tests/unit/graph/interpret.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;
using ir::DType;

namespace {

using Shape64 = std::vector<std::int64_t>;

void expect_same(const OpInfo& op, const Tensors& inputs, const Attributes& attributes = {}) {
    CAPTURE(op.name);
    std::vector<TensorSpec> specs;
    for (const lang::TensorRef& input : inputs)
        specs.push_back(spec_of(*input));
    const Tensors made = graph::evaluate(OpCall(op, specs, attributes), inputs);
    const Tensors wanted = apply(op, inputs, attributes);
    REQUIRE(made.size() == wanted.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
        REQUIRE(made[i]->shape == wanted[i]->shape);
        REQUIRE(made[i]->dtype == wanted[i]->dtype);
        expect_close(made[i], values_of(wanted[i]));
    }
}

// What evaluates a cast at once, beside the definition run through the interpreter.
void expect_same_bits(const lang::TensorRef& from, DType to) {
    const OpCall call(op_info::Cast(), {spec_of(*from)}, {{"dtype", to}});
    const lang::TensorRef made = graph::evaluate(call, {from})[0], wanted = run_task(call.op->define(call), {from})[0];
    REQUIRE(made->dtype == to);
    REQUIRE(made->shape == wanted->shape);
    REQUIRE(std::memcmp(made->read(), wanted->read(), static_cast<std::size_t>(made->count() * ir::bytes_of(to))) == 0);
}

lang::TensorRef tensor_of_bits(DType dtype, const auto& bits) {
    const lang::TensorRef tensor = make_tensor(dtype, {static_cast<std::int64_t>(bits.size())});
    std::memcpy(tensor->data(), bits.data(), bits.size() * sizeof bits[0]);
    return tensor;
}

const Shape64 odd = {37, 1, 61, 53};

TEST_CASE("casts between float32 and half precision have the bits of their definition") {
    std::vector<std::uint16_t> halves;
    std::vector<std::uint32_t> wholes;
    for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
        halves.push_back(static_cast<std::uint16_t>(upper));
        for (const std::uint32_t lower :
             {0u, 1u, 0xFFFu, 0x1000u, 0x1001u, 0x3000u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu})
            wholes.push_back(upper << 16 | lower);
    }
    wholes.push_back(0x7FC00000u); // as many as no vector and no number of threads divides
    for (const DType half : {DType::F16, DType::BF16}) {
        expect_same_bits(tensor_of_bits(half, halves), DType::F32);
        expect_same_bits(tensor_of_bits(DType::F32, wholes), half);
    }
    expect_same_bits(make_tensor(DType::F32, {3, 0}), DType::F16);
}

TEST_CASE("elements that are moved, converted and combined") {
    const lang::TensorRef x = random_tensor(DType::F16, odd);
    expect_same(op_info::Cast(), {x}, {{"dtype", DType::F32}});
    expect_same(op_info::Cast(), {random_tensor(DType::I8, odd)}, {{"dtype", DType::BF16}});
    expect_same(op_info::PermuteDims(), {x}, {{"axes", Ints{2, 3, 1, 0}}});
    expect_same(op_info::Reshape(), {x}, {{"shape", shape_of(Shape64{61 * 37, 53})}});
    expect_same(op_info::StridedSlice(), {x},
                {{"starts", shape_of(Shape64{60, -1})},
                 {"ends", shape_of(Shape64{3, -50})},
                 {"axes", Ints{2, 3}},
                 {"strides", Ints{-2, -3}}});
    expect_same(op_info::Pad(), {x}, {{"pads", shape_of(Shape64{0, 1, 2, 0, 3, 0, 0, 5})}, {"value", 2.0}});
    expect_same(op_info::Multiply(), {random_tensor(DType::F32, odd), random_tensor(DType::F32, {61, 1})});
    expect_same(
        op_info::DequantizeLinear(),
        {random_tensor(DType::I8, {120, 700}), random_tensor(DType::F32, {700}), random_tensor(DType::I8, {700})},
        {{"axis", std::int64_t{1}}});
}

TEST_CASE("elements found by data, and sums over other axes") {
    const lang::TensorRef x = random_tensor(DType::F32, {300, 40});
    expect_same(op_info::Take(), {x, random_tensor(DType::I64, {2000})}, {{"axis", std::int64_t{0}}});
    expect_same(op_info::ReduceSum(), {random_tensor(DType::F32, odd)}, {{"dims", Ints{0}}, {"keepdims", false}});
    expect_same(op_info::Matmul(), {x, random_tensor(DType::F32, {40, 30})});
}

TEST_CASE("a failure on one of the threads is that of the whole") {
    const lang::TensorRef table = random_tensor(DType::F32, {5, 700});
    Shape64 shape = {400};
    const lang::TensorRef places = tensor(DType::I64, shape, std::vector<double>(400, 3));
    REQUIRE_NOTHROW(graph::evaluate(OpCall(op_info::Take(), {spec_of(*table), spec_of(*places)}, {}), {table, places}));
    const lang::TensorRef beyond = tensor(DType::I64, shape, std::vector<double>(400, 5));
    REQUIRE_THROWS_AS(
        graph::evaluate(OpCall(op_info::Take(), {spec_of(*table), spec_of(*beyond)}, {}), {table, beyond}), OpError);
}

TEST_CASE("the same elements under another shape are not copied") {
    const lang::TensorRef x = random_tensor(DType::F32, {6, 4});
    const Tensors made =
        graph::evaluate(OpCall(op_info::Reshape(), {spec_of(*x)}, {{"shape", shape_of(Shape64{8, 3})}}), {x});
    REQUIRE(made[0]->storage == x->storage);
    REQUIRE(made[0]->shape == Shape64{8, 3});
}

} // namespace
