// SPDX-License-Identifier: Apache-2.0
// Products and convolutions in packed tiles against their definition: sizes that fit no tile, several blocks of terms, rows
// and columns of several axes, groups, windows that reach into padding, what is fused with them.
#include <doctest/doctest.h>

#include "compiler/graph/core/data.h"
#include "compiler/schedule/product_form.h"
#include "compiler/schedule/stages.h"
#include "tests/unit/graph/interpret.h"
#include "tests/unit/graph/run_group.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;
using ir::DType;

namespace {

struct Made {
    Graph graph;
    Values inputs;
    ValueId result;

    ValueId input(std::vector<std::int64_t> shape) {
        const ValueId id = graph.add_input("x", {DType::F32, shape_of(shape)});
        inputs[id] = random_tensor(DType::F32, std::move(shape), inputs.size() + 1);
        return id;
    }
    ValueId constant(std::vector<std::int64_t> shape) {
        const lang::TensorRef data = random_tensor(DType::F32, std::move(shape), inputs.size() + 1);
        const ValueId id = graph.add_constant(data, "w");
        inputs[id] = data;
        return id;
    }
};

enum class Right : std::uint8_t { Given, Constant }; // the right operand: to each run; when it is compiled

Made made(const char* op, std::vector<std::int64_t> x, std::vector<std::int64_t> w, const Attributes& attributes = {},
          Right right = Right::Given) {
    Made made;
    const ValueId a = made.input(std::move(x));
    const ValueId b = right == Right::Given ? made.input(std::move(w)) : made.constant(std::move(w));
    made.result = made.graph.add_one(*find_op(op), {a, b}, attributes);
    return made;
}

// `packed`: constants that programs for the CPU take in the order of their tiles.
void compare(Made& made, std::size_t packed = 0) {
    made.graph.set_outputs({made.result});
    Values expected = made.inputs;
    interpret(made.graph, expected);
    const Partition groups = partition(made.graph);
    for (Backend backend : {Backend::Machine, Backend::Native}) {
        GroupRunner runner(backend);
        if (!runner.is_there())
            continue;
        Values values = made.inputs;
        std::size_t taken = 0;
        for (const Group& group : groups.groups) {
            const GroupProgram program = lower_group(made.graph, group, runner.target());
            taken += program.packed.size();
            runner.run(made.graph, program, values);
        }
        REQUIRE(taken == packed);
        expect_close(values.at(made.result), values_of(expected.at(made.result)), 1e-4);
    }
}

void check(const char* op, const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& w,
           const Attributes& attributes = {}) {
    Made one = made(op, x, w, attributes);
    const Task& task = *one.graph.node(one.graph.value(one.result).producer).task;
    const std::vector<Stage> stages = without_inlined(task);
    REQUIRE(product_form(stages.back(), artifact::default_cpu(), {}).has_value());
    compare(one);
    Made other = made(op, x, w, attributes, Right::Constant);
    compare(other, 1);
}

void check_in_place(const char* op, const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& w,
                    const Attributes& attributes = {}) {
    Made one = made(op, x, w, attributes, Right::Constant);
    const Task& task = *one.graph.node(one.graph.value(one.result).producer).task;
    const auto form = product_form(without_inlined(task).back(), artifact::default_cpu(), {task.inputs[1]});
    REQUIRE((form && form->in_place));
    compare(one, 1);
}

// All numbers of the type.
lang::TensorRef spread_tensor(DType dtype, const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
        count *= extent;
    const ir::IntegerRange range = ir::integer_range(dtype);
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i)
        values.push_back(static_cast<double>(range.lowest + i * i * 37 % 256));
    return tensor_of(dtype, shape, values);
}

// Bytes, and what becomes of their sums.
void check_bytes(const char* op, const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& w,
                 const Attributes& attributes = {}) {
    Made one;
    const ValueId a = one.graph.add_input("x", {DType::U8, shape_of(x)});
    one.inputs[a] = spread_tensor(DType::U8, x);
    const lang::TensorRef data = spread_tensor(DType::I8, w);
    const ValueId b = one.graph.add_constant(data, "w");
    one.inputs[b] = data;
    one.result = one.graph.add_one(*find_op(op), {a, b}, attributes);
    const Task& task = *one.graph.node(one.graph.value(one.result).producer).task;
    const auto form = product_form(without_inlined(task).back(), artifact::default_cpu(), {task.inputs[1]});
    REQUIRE((form && form->is_of_bytes && form->in_place));
    one.result = one.graph.add_one(*find_op("Cast"), {one.result}, {{"dtype", DType::F32}});
    compare(one, 1);
}

} // namespace

TEST_CASE("bytes are multiplied four at once, whatever the sizes and what the padding is") {
    check_bytes("IntegerMatmul", {6, 32}, {32, 96});
    check_bytes("IntegerMatmul", {1, 1024}, {1024, 80});
    check_bytes("IntegerMatmul", {3, 9, 36}, {36, 19});
    check_bytes("IntegerMatmul", {37, 512}, {512, 72});
    check_bytes("IntegerConv2dChannelLast", {1, 9, 7, 16}, {24, 16, 3, 3},
                {{"padding", Ints{1, 1}}, {"stride", Ints{2, 1}}, {"padding_value", std::int64_t{131}}});
    check_bytes("IntegerConv2dChannelLast", {2, 5, 6, 8}, {70, 8, 1, 1});
}

TEST_CASE("products of matrices in packed tiles, whatever their sizes") {
    check("Matmul", {6, 32}, {32, 96});
    check("Matmul", {13, 37}, {37, 41});
    check("Matmul", {4, 700}, {700, 19}); // several blocks of terms
    check("Matmul", {50, 33}, {71, 33}, {{"transpose_b", true}});
    check("Matmul", {3, 17, 29}, {3, 29, 33});
    check("Matmul", {2, 9, 30}, {30, 40}); // rows of two axes
    check("Matmul", {200, 64}, {64, 600}); // several units
}

TEST_CASE("convolutions in packed tiles: windows, strides, groups, lines shorter and longer than a tile") {
    check("Conv2d", {1, 5, 9, 11}, {8, 5, 3, 3}, {{"padding", Ints{1, 1}}});
    check("Conv2d", {2, 6, 14, 50}, {12, 3, 3, 5}, {{"padding", Ints{0, 2}}, {"stride", Ints{2, 1}}, {"groups", 2}});
    check("Conv2d", {1, 96, 7, 7}, {20, 96, 3, 3}, {{"padding", Ints{1, 1}}});
    check("Conv2d", {1, 40, 13, 5}, {24, 40, 1, 1}, {{"stride", Ints{2, 2}}});
    check("Conv3d", {1, 3, 6, 9, 8}, {7, 3, 3, 3, 3}, {{"padding", Ints{1, 1, 1}}, {"stride", Ints{1, 2, 2}}});
    check("Conv1d", {2, 8, 70}, {16, 8, 5}, {{"dilations", Ints{2}}});
}

TEST_CASE("what is fused with a product is computed as it is packed and written") {
    Made conv = made("Conv2d", {1, 24, 10, 10}, {18, 24, 3, 3}, {{"padding", Ints{1, 1}}}, Right::Constant);
    const ValueId bias = conv.input({18, 1, 1});
    const ValueId other = conv.input({1, 18, 10, 10});
    conv.result = conv.graph.add_one(*find_op("Add"), {conv.result, bias});
    conv.result = conv.graph.add_one(*find_op("Add"), {conv.result, other});
    conv.result = conv.graph.add_one(*find_op("Relu"), {conv.result});
    compare(conv, 1);
}

TEST_CASE("channels for themselves are convolved line by line: windows, ends of lines, lines shorter and longer than a "
          "tile") {
    const Ints once = {1, 1}, twice = {2, 2};
    const auto check_of_channels = [](std::int64_t channels, std::vector<std::int64_t> window, Attributes attributes,
                                      std::vector<std::int64_t> x) {
        x.push_back(channels);
        std::vector<std::int64_t> w = {channels, 1};
        w.insert(w.end(), window.begin(), window.end());
        attributes.set("groups", channels);
        check_in_place("Conv2dChannelLast", x, w, attributes);
    };
    check_of_channels(24, {3, 3}, {{"padding", once}}, {2, 9, 11});
    check_of_channels(80, {5, 7}, {{"stride", twice}}, {1, 15, 8});
    check_of_channels(16, {3, 3}, {{"padding", once}, {"stride", twice}}, {3, 14, 15});
    check_of_channels(16, {5, 5}, {{"padding", Ints{2, 2}}}, {40, 3, 3});  // no element has all taps
    check_of_channels(16, {3, 3}, {{"padding", Ints{4, 4}}}, {20, 2, 12}); // some have none
    check_of_channels(40, {3, 3}, {{"padding", Ints{0, 2, 1, 0}}, {"dilations", twice}}, {1, 9, 20});
    check_of_channels(16, {1, 5}, {{"padding", Ints{0, 2}}}, {1, 3, 300}); // parts of a line
    check_of_channels(16, {5, 1}, {{"padding", Ints{2, 0}}}, {3, 9, 9});
    check_of_channels(16, {7, 7}, {}, {64, 7, 7}); // a single element
}

TEST_CASE("rows whose terms are neighbours are read where they lie, and packed where they are not") {
    const Ints once = {1, 1}, twice = {2, 2};
    check_in_place("Conv2dChannelLast", {2, 9, 11, 16}, {24, 16, 3, 3}, {{"padding", once}});
    check_in_place("Conv2dChannelLast", {1, 13, 6, 40}, {72, 40, 3, 5}, {{"padding", twice}, {"stride", twice}});
    check_in_place("Conv2dChannelLast", {1, 12, 9, 8}, {33, 8, 3, 3}, {{"padding", twice}, {"dilations", twice}});
    check_in_place("Conv2dChannelLast", {1, 7, 7, 200}, {300, 200, 1, 1});
    check_in_place("Conv2dChannelLast", {1, 15, 15, 3}, {20, 3, 7, 7}, {{"stride", twice}}); // runs of pixels
    check_in_place("Conv2dChannelLast", {2, 9, 8, 48}, {48, 16, 3, 3}, {{"padding", once}, {"groups", 3}});
    check_in_place("Matmul", {2, 9, 30}, {30, 40});
    check_in_place("Matmul", {1, 300}, {300, 100}); // columns are packed for a single row, too
    check_in_place("Matmul", {3, 70}, {70, 90});
    check_in_place("Matmul", {200, 64}, {64, 600}); // several units

    const auto form_of = [](const char* op, std::vector<std::int64_t> x, std::vector<std::int64_t> w,
                            const Attributes& attributes = {}) {
        Made one = made(op, std::move(x), std::move(w), attributes, Right::Constant);
        const Task& task = *one.graph.node(one.graph.value(one.result).producer).task;
        return product_form(without_inlined(task).back(), artifact::default_cpu(), {task.inputs[1]});
    };
    CHECK_FALSE(form_of("Conv2d", {1, 16, 9, 9}, {24, 16, 3, 3})->in_place); // rows are channels
    CHECK_FALSE(form_of("Conv2dChannelLast", {1, 9, 9, 3}, {24, 3, 3, 3}, {{"padding", once}})->in_place); // runs of 3
    CHECK_FALSE(
        form_of("Conv2dChannelLast", {1, 9, 9, 21}, {21, 1, 3, 3}, {{"groups", 21}}));       // the last tile is ragged
    CHECK(form_of("Conv2dChannelLast", {1, 9, 9, 16}, {24, 16, 3, 3})->in_place->run == 48); // a row of taps
    CHECK(form_of("Conv2dChannelLast", {1, 9, 9, 16}, {24, 16, 3, 3}, {{"padding", once}})->in_place->run == 16);
}

TEST_CASE("what follows rows that are read in place is computed as they are written, and what is before them in a "
          "kernel of its own") {
    Made conv = made("Conv2dChannelLast", {1, 10, 10, 24}, {18, 24, 3, 3}, {{"padding", Ints{1, 1}}}, Right::Constant);
    const ValueId bias = conv.input({18});
    const ValueId other = conv.input({1, 10, 10, 18});
    conv.result = conv.graph.add_one(*find_op("Add"), {conv.result, bias});
    conv.result = conv.graph.add_one(*find_op("Add"), {conv.result, other});
    conv.result = conv.graph.add_one(*find_op("Relu"), {conv.result});
    compare(conv, 1);

    Made product;
    const ValueId x = product.graph.add_one(*find_op("Relu"), {product.input({20, 48})});
    product.result = product.graph.add_one(*find_op("Matmul"), {x, product.constant({48, 32})});
    compare(product, 1);
}
