// SPDX-License-Identifier: Apache-2.0
// Operators that move elements, against loops.
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>

#include "compiler/ir/ops.h"
#include "tests/unit/graph/ops/loops.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;
using ir::DType;

namespace {

constexpr std::int64_t beyond = std::numeric_limits<std::int64_t>::max();

lang::TensorRef one(const OpInfo& op, const std::vector<lang::TensorRef>& inputs, const Attributes& attributes = {}) {
    return apply(op, inputs, attributes).at(0);
}
void expect_same_order(const lang::TensorRef& result, const lang::TensorRef& x, const Index& shape) {
    REQUIRE(result->shape == shape);
    REQUIRE(values_of(result) == values_of(x));
}

// Python's slice of one dimension.
std::vector<std::int64_t> sliced(std::int64_t n, std::int64_t start, std::int64_t end, std::int64_t step) {
    const auto bound = [&](std::int64_t b) {
        const std::int64_t low = step > 0 ? 0 : -1;
        const std::int64_t high = step > 0 ? n : n - 1;
        if (b < 0)
            b += n;
        return std::min(std::max(b, low), high);
    };
    std::vector<std::int64_t> found;
    for (std::int64_t i = bound(start); step > 0 ? i < bound(end) : i > bound(end); i += step)
        found.push_back(i);
    return found;
}

void check_slice(const Index& shape, const Ints& starts, const Ints& ends, const Ints& axes, const Ints& steps) {
    const auto x = counted(DType::F32, shape);
    std::vector<std::vector<std::int64_t>> places;
    for (std::int64_t extent : shape)
        places.push_back(sliced(extent, 0, extent, 1));
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::int64_t axis = axes.empty() ? static_cast<std::int64_t>(i) : axes[i];
        const auto a = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(shape.size()) : axis);
        places[a] = sliced(shape[a], starts[i], ends[i], steps.empty() ? 1 : steps[i]);
    }
    Index extents;
    for (const auto& each : places)
        extents.push_back(static_cast<std::int64_t>(each.size()));
    const auto source = [&](const Index& index) {
        Index from;
        for (std::size_t i = 0; i < index.size(); ++i)
            from.push_back(places[i][static_cast<std::size_t>(index[i])]);
        return from;
    };
    const Attributes attributes = {{"starts", starts}, {"ends", ends}, {"axes", axes}, {"strides", steps}};
    expect_elements(one(op_info::StridedSlice(), {x}, attributes), extents,
                    [&](const Index& index) { return at(x, source(index)); });
    // What was cut out is put back as something else, and nothing around it.
    std::vector<double> expected = values_of(x);
    for_each(extents, [&](const Index& index) { expected[slot(shape, source(index))] = -1; });
    Attributes setting = attributes;
    setting.set("setvalue", std::int64_t{-1});
    expect_close(one(op_info::SetStridedSlice(), {x}, setting), expected, 0);
    const auto value = random_tensor(DType::F32, extents, 9);
    for_each(extents, [&](const Index& index) { expected[slot(shape, source(index))] = at(value, index); });
    expect_close(one(op_info::SetStridedSlice(), {x, value}, attributes), expected, 0);
}

std::int64_t padded_source(const std::string& mode, std::int64_t i, std::int64_t n) {
    if (i >= 0 && i < n)
        return i;
    if (mode == "constant")
        return -1;
    if (mode == "edge")
        return i < 0 ? 0 : n - 1;
    if (mode == "wrap")
        return ((i % n) + n) % n;
    while (i < 0 || i >= n)
        i = n == 1 ? 0 : i < 0 ? -i : 2 * (n - 1) - i;
    return i;
}

void check_pad(const Index& shape, const Ints& pads, const std::string& mode) {
    const auto x = counted(DType::F32, shape);
    Index padded, cut, left, before;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::int64_t a = pads[i];
        const std::int64_t b = pads[shape.size() + i];
        cut.push_back(std::max<std::int64_t>(-a, 0));
        left.push_back(shape[i] - cut[i] - std::max<std::int64_t>(-b, 0));
        before.push_back(std::max<std::int64_t>(a, 0));
        padded.push_back(left[i] + before[i] + std::max<std::int64_t>(b, 0));
    }
    const auto expected = [&](const Index& index) {
        Index from;
        for (std::size_t i = 0; i < index.size(); ++i) {
            const std::int64_t place = padded_source(mode, index[i] - before[i], left[i]);
            if (place < 0)
                return 0.5;
            from.push_back(place + cut[i]);
        }
        return at(x, from);
    };
    const Attributes attributes = {{"pads", pads}, {"mode", mode}, {"value", 0.5}};
    expect_elements(one(op_info::Pad(), {x}, attributes), padded, expected);
    if (mode == "constant")
        expect_elements(one(op_info::Pad(), {x, tensor(DType::F32, {1}, {0.5})}, {{"pads", pads}}), padded, expected);
}

void check_permute(const Index& shape, const Ints& axes) {
    const auto x = counted(DType::I32, shape);
    Index extents;
    for (std::int64_t axis : axes)
        extents.push_back(shape[static_cast<std::size_t>(axis)]);
    expect_elements(one(op_info::PermuteDims(), {x}, {{"axes", axes}}), extents, [&](const Index& index) {
        Index from(shape.size());
        for (std::size_t i = 0; i < axes.size(); ++i)
            from[static_cast<std::size_t>(axes[i])] = index[i];
        return at(x, from);
    });
}

void check_concat(const std::vector<Index>& shapes, std::int64_t axis) {
    std::vector<lang::TensorRef> pieces;
    Index whole = shapes[0];
    const auto a = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(whole.size()) : axis);
    whole[a] = 0;
    for (const Index& shape : shapes) {
        pieces.push_back(random_tensor(DType::F32, shape, pieces.size() + 1));
        whole[a] += shape[a];
    }
    expect_elements(one(op_info::Concat(), pieces, {{"axis", axis}}), whole, [&](const Index& index) {
        Index from = index;
        std::size_t k = 0;
        for (; from[a] >= shapes[k][a]; ++k)
            from[a] -= shapes[k][a];
        return at(pieces[k], from);
    });
}

TEST_CASE("Reshape keeps the order of elements, and finds the extent of -1") {
    const auto x = counted(DType::F32, {2, 6});
    for (const Index& shape : {Index{3, 4}, Index{12}, Index{2, 2, 3}, Index{1, 12, 1}, Index{4, 3}, Index{6, 2}})
        expect_same_order(one(op_info::Reshape(), {x}, {{"shape", Ints(shape)}}), x, shape);
    expect_same_order(one(op_info::Reshape(), {x}, {{"shape", Ints{3, -1}}}), x, {3, 4});
    expect_same_order(one(op_info::Reshape(), {x}, {{"shape", Ints{-1}}}), x, {12});
    expect_same_order(one(op_info::Reshape(), {x}, {{"shape", Ints{0, 2, -1}}}), x, {2, 2, 3});
    const auto scalar = counted(DType::F32, {});
    expect_same_order(one(op_info::Reshape(), {scalar}, {{"shape", Ints{1, 1}}}), scalar, {1, 1});
    expect_same_order(one(op_info::Reshape(), {counted(DType::F32, {1, 1})}, {{"shape", Ints{}}}), scalar, {});
    const auto empty = counted(DType::F32, {0, 3});
    expect_same_order(one(op_info::Reshape(), {empty}, {{"shape", Ints{3, 0}}}), empty, {3, 0});
    const auto image = counted(DType::F32, {2, 3, 4, 5});
    for (const Index& shape : {Index{2, 12, 5}, Index{6, 4, 5}, Index{2, 3, 2, 2, 5}, Index{8, 15}, Index{4, 3, 10}})
        expect_same_order(one(op_info::Reshape(), {image}, {{"shape", Ints(shape)}}), image, shape);
}

TEST_CASE("Flatten, Squeeze, Unsqueeze and View keep the order of elements") {
    const auto x = counted(DType::F32, {2, 1, 3, 1});
    expect_same_order(one(op_info::Flatten(), {x}), x, {6});
    expect_same_order(one(op_info::Flatten(), {x}, {{"start_dim", std::int64_t{1}}, {"end_dim", std::int64_t{-2}}}), x,
                      {2, 3, 1});
    expect_same_order(one(op_info::Flatten(), {counted(DType::F32, {})}), counted(DType::F32, {1}), {1});
    expect_same_order(one(op_info::Squeeze(), {x}), x, {2, 3});
    expect_same_order(one(op_info::Squeeze(), {x}, {{"dims", Ints{-1}}}), x, {2, 1, 3});
    expect_same_order(one(op_info::Unsqueeze(), {x}, {{"dims", Ints{0, -1}}}), x, {1, 2, 1, 3, 1, 1});
    expect_same_order(one(op_info::View(), {x}, {{"dtype", DType::F32}, {"shape", Ints{3, 2}}}), x, {3, 2});
}

TEST_CASE("extents that are symbols cancel, and nothing is divided that need not be") {
    const OpCall call(op_info::Reshape(), {{DType::F32, {symbol_dim("b"), symbol_dim("s"), dim(768)}}},
                      {{"shape", Shape{symbol_dim("s"), dim(-1), symbol_dim("b"), dim(64)}}});
    REQUIRE(text_of(graph::shape_of(call.op->define(call).outputs[0])) == "[s, 12, b, 64]");
    const OpCall heads(*call.op, call.inputs, {{"shape", Shape{symbol_dim("b"), dim(-1), dim(12), dim(64)}}});
    REQUIRE(text_of(graph::shape_of(heads.op->define(heads).outputs[0])) == "[b, s, 12, 64]");
    const Task task = heads.op->define(heads);
    REQUIRE(task.requirements.empty());
    REQUIRE(text_of(task).find("x[i, j, k * ") != std::string::npos);
}

TEST_CASE("PermuteDims and Rearrange exchange and merge dimensions") {
    check_permute({2, 3, 4}, {0, 2, 1});
    check_permute({2, 3, 4}, {2, 0, 1});
    check_permute({2, 1, 0, 3}, {3, 2, 1, 0});
    check_permute({}, {});
    const auto x = counted(DType::F32, {2, 3, 4});
    expect_elements(one(op_info::PermuteDims(), {x}), {4, 3, 2}, [&](const Index& i) {
        return at(x, {i[2], i[1], i[0]});
    });
    expect_elements(one(op_info::Rearrange(), {x}, {{"axes", Ints{2, 0, 1}}, {"groups", Ints{1, 0, 2}}}), {4, 1, 6},
                    [&](const Index& i) {
                        return at(x, {i[2] / 3, i[2] % 3, i[0]});
                    });
    const auto matrix = counted(DType::F32, {2, 3});
    expect_elements(one(op_info::TransposeOp2D(), {matrix}), {3, 2}, [&](const Index& i) {
        return at(matrix, {i[1], i[0]});
    });
}

TEST_CASE("slices clip as Python's do, upwards and downwards") {
    for (const std::int64_t n : {0, 1, 5})
        for (const std::int64_t step : {1, 2, 3, 7, -1, -2, -7})
            for (const std::int64_t start : {-beyond, std::int64_t{-6}, std::int64_t{-2}, std::int64_t{0},
                                             std::int64_t{1}, std::int64_t{4}, std::int64_t{9}, beyond})
                for (const std::int64_t end :
                     {-beyond, std::int64_t{-3}, std::int64_t{0}, std::int64_t{3}, std::int64_t{5}, beyond})
                    check_slice({n}, {start}, {end}, {}, {step});
}

TEST_CASE("slices of several dimensions leave the others whole") {
    check_slice({4, 6}, {1, 0}, {3, 4}, {}, {});
    check_slice({4, 6}, {1}, {-1}, {1}, {2});
    check_slice({2, 3, 4}, {-1, 0}, {-beyond, 2}, {-1, 0}, {-1, 1});
    check_slice({4}, {0}, {4}, {0}, {beyond});
    check_slice({4}, {3}, {-beyond}, {0}, {-beyond - 1});
}

TEST_CASE("symbolic slices have simple extents, and require what was taken for granted") {
    const Dim n = symbol_dim("n");
    const auto extent = [&](const Shape& x, const Shape& starts, const Shape& ends, std::int64_t step = 1) {
        const OpCall call(op_info::StridedSlice(), {{DType::F32, x}},
                          {{"starts", starts}, {"ends", ends}, {"strides", Ints{step}}});
        const Task task = call.op->define(call);
        std::string text = text_of(graph::shape_of(task.outputs[0]));
        for (const Requirement& each : task.requirements)
            text += ", " + text_of(each.condition);
        return text;
    };
    REQUIRE(extent({n}, {dim(0)}, {dim(beyond)}) == "[n]");
    REQUIRE(extent({n}, {dim(1)}, {dim(beyond)}) == "[n - 1], 1 <= n");
    REQUIRE(extent({n}, {dim(0)}, {dim(-1)}) == "[n - 1], 0 <= n - 1");
    REQUIRE(extent({n}, {dim(0)}, {dim(7)}) == "[min(7, n)]");
    REQUIRE(extent({n}, {dim(-1)}, {dim(beyond)}) == "[1], 0 <= n - 1");
    REQUIRE(extent({dim(1024)}, {dim(0)}, {n}) == "[n], n <= 1024");
    REQUIRE(extent({n}, {ir::negate(n)}, {dim(beyond)}) == "[n]");
    REQUIRE(extent({n}, {dim(0)}, {dim(beyond)}, 2) == "[(n + 1) // 2]");
    REQUIRE(extent({n}, {dim(-1)}, {dim(-beyond)}, -1) == "[n]");
}

TEST_CASE("a value is broadcast to the slice that it is put into") {
    const auto x = counted(DType::F32, {3, 4});
    const auto row = tensor(DType::F32, {2}, {-1, -2});
    expect_elements(
        one(op_info::SetStridedSlice(), {x, row}, {{"starts", Ints{1, 0}}, {"ends", Ints{3, 2}}}), {3, 4},
        [&](const Index& i) { return i[0] >= 1 && i[1] < 2 ? -1.0 - static_cast<double>(i[1]) : at(x, i); });
    const auto column = tensor(DType::F32, {3}, {-1, -2, -3});
    expect_elements(one(op_info::SetStridedSlice(), {x, column},
                        {{"starts", Ints{0, 2}}, {"ends", Ints{3, 3}}, {"index_dims", Ints{1}}}),
                    {3, 4}, [&](const Index& i) { return i[1] == 2 ? -1.0 - static_cast<double>(i[0]) : at(x, i); });
}

TEST_CASE("Pad fills, reflects, repeats and wraps, also further than the tensor is long, and cuts") {
    for (const char* mode : {"constant", "reflect", "edge", "wrap"}) {
        check_pad({3, 4}, {1, 2, 0, 1}, mode);
        check_pad({3, 4}, {0, -1, 1, 2}, mode);
        check_pad({3, 4}, {-1, -1, -1, -2}, mode);
        check_pad({3}, {7, 8}, mode);
        check_pad({1}, {2, 3}, mode);
        check_pad({2, 0}, {1, 0, 1, 0}, mode);
        check_pad({}, {}, mode);
    }
    check_pad({0}, {1, 2}, "constant");
    const auto x = counted(DType::F32, {2, 3});
    expect_elements(one(op_info::Pad(), {x}, {{"pads", Ints{1, 2}}}), {2, 6}, [&](const Index& i) {
        return i[1] >= 1 && i[1] < 4 ? at(x, {i[0], i[1] - 1}) : 0;
    });
}

TEST_CASE("Concat joins any number of tensors along any axis, empty ones too") {
    check_concat({{2, 3}, {4, 3}}, 0);
    check_concat({{2, 3}, {2, 1}, {2, 0}, {2, 5}}, -1);
    check_concat({{3}}, 0);
    check_concat(std::vector<Index>(37, {1, 2}), 0);
    const auto mixed = one(op_info::Concat(), {counted(DType::F16, {1}), counted(DType::F32, {1})});
    REQUIRE(mixed->dtype == DType::F32);
}

TEST_CASE("Tile, Broadcast and RepeatInterleave repeat") {
    const auto x = counted(DType::F32, {2, 3});
    expect_elements(one(op_info::Tile(), {x}, {{"repeats", Ints{2, 3}}}), {4, 9}, [&](const Index& i) {
        return at(x, {i[0] % 2, i[1] % 3});
    });
    expect_elements(one(op_info::Tile(), {x}, {{"repeats", Ints{1, 0}}}), {2, 0}, [](const Index&) { return 0; });
    expect_elements(one(op_info::RepeatInterleave(), {x}, {{"repeats", std::int64_t{3}}, {"dim", std::int64_t{-1}}}),
                    {2, 9}, [&](const Index& i) {
                        return at(x, {i[0], i[1] / 3});
                    });
    expect_elements(one(op_info::RepeatInterleave(), {x}, {{"repeats", std::int64_t{2}}}), {12}, [&](const Index& i) {
        return at(x, {i[0] / 6, i[0] / 2 % 3});
    });
    const auto column = counted(DType::F32, {2, 1});
    for (const Ints& shape : {Ints{3, 2, 4}, Ints{3, 1, 4}, Ints{3, -1, 4}})
        expect_elements(one(op_info::Broadcast(), {column}, {{"shape", shape}}), {3, 2, 4}, [&](const Index& i) {
            return at(column, {i[1], 0});
        });
    expect_elements(one(op_info::Broadcast(), {column}, {{"shape", Ints{1}}}), {2, 1},
                    [&](const Index& i) { return at(column, i); });
    expect_elements(one(op_info::Broadcast(), {column}, {{"shape", Ints{2, 0}}}), {2, 0},
                    [](const Index&) { return 0; });
}

TEST_CASE("Roll and Flip move around and back") {
    const auto x = counted(DType::F32, {3, 4});
    expect_elements(one(op_info::Roll(), {x}, {{"shifts", Ints{1, -6}}, {"dims", Ints{0, 1}}}), {3, 4},
                    [&](const Index& i) {
                        return at(x, {(i[0] + 2) % 3, (i[1] + 6) % 4});
                    });
    expect_elements(one(op_info::Roll(), {x}, {{"shifts", Ints{1, 1}}, {"dims", Ints{0, 0}}}), {3, 4},
                    [&](const Index& i) {
                        return at(x, {(i[0] + 1) % 3, i[1]});
                    });
    expect_elements(one(op_info::Flip(), {x}, {{"dims", Ints{-1, 0}}}), {3, 4}, [&](const Index& i) {
        return at(x, {2 - i[0], 3 - i[1]});
    });
    REQUIRE(one(op_info::Flip(), {counted(DType::F32, {0})}, {{"dims", Ints{0}}})->shape == (Index{0}));
    REQUIRE(one(op_info::Roll(), {counted(DType::F32, {0})}, {{"shifts", Ints{2}}, {"dims", Ints{0}}})->shape ==
            (Index{0}));
}

TEST_CASE("Tril and Triu keep one side of any diagonal") {
    const auto x = counted(DType::F32, {2, 3, 4});
    for (std::int64_t k = -4; k <= 5; ++k) {
        const Attributes diagonal = {{"diagonal", k}};
        const auto given = tensor(DType::I64, {}, {static_cast<double>(k)});
        const auto low = [&](const Index& i) { return i[2] - i[1] <= k ? at(x, i) : 0; };
        const auto high = [&](const Index& i) { return i[2] - i[1] >= k ? at(x, i) : 0; };
        expect_elements(one(op_info::Tril(), {x}, diagonal), {2, 3, 4}, low);
        expect_elements(one(op_info::Tril(), {x, given}), {2, 3, 4}, low);
        expect_elements(one(op_info::Triu(), {x}, diagonal), {2, 3, 4}, high);
        expect_elements(one(op_info::Triu(), {x, given}), {2, 3, 4}, high);
    }
}

TEST_CASE("AsStrided reads at offset plus strides") {
    const auto x = counted(DType::F32, {2, 3});
    expect_elements(one(op_info::AsStrided(), {x},
                        {{"size", Ints{3, 2}}, {"stride", Ints{1, 2}}, {"storage_offset", std::int64_t{1}}}),
                    {3, 2}, [](const Index& i) { return static_cast<double>(2 + i[0] + 2 * i[1]); });
    expect_elements(
        one(op_info::AsStrided(), {x}, {{"size", Ints{4}}, {"stride", Ints{-1}}, {"storage_offset", std::int64_t{5}}}),
        {4}, [](const Index& i) { return static_cast<double>(6 - i[0]); });
    REQUIRE(one(op_info::AsStrided(), {x}, {{"size", Ints{0}}, {"stride", Ints{99}}})->shape == (Index{0}));
}

TEST_CASE("DepthToSpace and SpaceToDepth undo each other") {
    const auto x = counted(DType::F32, {2, 8, 3, 2});
    const Attributes by_two = {{"blocksize", std::int64_t{2}}};
    const auto wide = one(op_info::DepthToSpace(), {x}, by_two);
    expect_elements(wide, {2, 2, 6, 4}, [&](const Index& i) {
        return at(x, {i[0], (i[2] % 2 * 2 + i[3] % 2) * 2 + i[1], i[2] / 2, i[3] / 2});
    });
    expect_same_order(one(op_info::SpaceToDepth(), {wide}, by_two), x, x->shape);
    expect_elements(one(op_info::DepthToSpace(), {x}, {{"blocksize", std::int64_t{2}}, {"mode", std::string("CRD")}}),
                    {2, 2, 6, 4}, [&](const Index& i) {
                        return at(x, {i[0], i[1] * 4 + i[2] % 2 * 2 + i[3] % 2, i[2] / 2, i[3] / 2});
                    });
}

TEST_CASE("ReverseSequence reverses the beginning of each sequence") {
    const auto x = counted(DType::F32, {4, 3});
    const std::vector<std::int64_t> lengths = {2, 4, 0};
    const auto given = tensor(DType::I64, {3}, {2, 4, 0});
    expect_elements(one(op_info::ReverseSequence(), {x, given}), {4, 3}, [&](const Index& i) {
        const std::int64_t n = lengths[static_cast<std::size_t>(i[1])];
        return at(x, {i[0] < n ? n - 1 - i[0] : i[0], i[1]});
    });
    const auto rows = tensor(DType::I32, {4}, {1, 2, 3, 9});
    const Attributes along_rows = {{"batch_axis", std::int64_t{0}}, {"time_axis", std::int64_t{1}}};
    expect_elements(one(op_info::ReverseSequence(), {x, rows}, along_rows), {4, 3}, [&](const Index& i) {
        const std::int64_t n = std::min<std::int64_t>(i[0] == 3 ? 9 : i[0] + 1, 3);
        return at(x, {i[0], i[1] < n ? n - 1 - i[1] : i[1]});
    });
}

TEST_CASE("Take replaces a dimension by the indices, counted from either end") {
    const auto x = counted(DType::F32, {2, 4, 3});
    const auto indices = tensor(DType::I64, {2, 2}, {0, -1, 3, -4});
    const std::vector<std::int64_t> places = {0, 3, 3, 0};
    expect_elements(one(op_info::Take(), {x, indices}, {{"axis", std::int64_t{1}}}), {2, 2, 2, 3}, [&](const Index& i) {
        return at(x, {i[0], places[static_cast<std::size_t>(i[1] * 2 + i[2])], i[3]});
    });
    const auto number = tensor(DType::I32, {}, {-1});
    expect_elements(one(op_info::Take(), {x, number}, {{"axis", std::int64_t{-1}}}), {2, 4}, [&](const Index& i) {
        return at(x, {i[0], i[1], 2});
    });
    expect_elements(one(op_info::IdxSel(), {x, tensor(DType::I64, {3}, {1, 0, 1})}), {3, 4, 3}, [&](const Index& i) {
        return at(x, {i[0] == 1 ? 0 : 1, i[1], i[2]});
    });
    REQUIRE(one(op_info::Take(), {x, tensor(DType::I64, {0}, {})})->shape == (Index{0, 4, 3}));
}

TEST_CASE("an index outside finds NaN, or 0 of integers, and reads nothing") {
    const auto indices = tensor(DType::I64, {4}, {5, -6, 4, -5});
    expect_close(one(op_info::Take(), {counted(DType::F32, {5}), indices}), {not_a_number, not_a_number, 5, 1}, 0);
    expect_close(one(op_info::Take(), {counted(DType::I32, {5}), indices}), {0, 0, 5, 1}, 0);
    expect_close(one(op_info::Take(), {counted(DType::F32, {0}), indices}),
                 {not_a_number, not_a_number, not_a_number, not_a_number}, 0);
    expect_close(one(op_info::Gather(), {counted(DType::F32, {5}), indices}), {not_a_number, not_a_number, 5, 1}, 0);
    const auto pairs = tensor(DType::I64, {3, 2}, {0, 2, 2, 0, -1, -3});
    expect_close(one(op_info::GatherND(), {counted(DType::F32, {2, 3}), pairs}), {3, not_a_number, 4}, 0);
}

TEST_CASE("Gather has an index for each element") {
    const auto x = counted(DType::F32, {3, 2});
    const auto indices = tensor(DType::I32, {2, 2}, {2, -3, -1, 1});
    const std::vector<std::int64_t> places = {2, 0, 2, 1};
    expect_elements(one(op_info::Gather(), {x, indices}), {2, 2}, [&](const Index& i) {
        return at(x, {places[static_cast<std::size_t>(i[0] * 2 + i[1])], i[1]});
    });
    expect_elements(one(op_info::Gather(), {x, tensor(DType::I64, {3, 1}, {1, 0, -1})}, {{"axis", std::int64_t{1}}}),
                    {3, 1}, [&](const Index& i) {
                        return at(x, {i[0], i[0] == 1 ? 0 : 1});
                    });
}

TEST_CASE("GatherND takes tuples of indices, in batches too") {
    const auto x = counted(DType::F32, {2, 3, 4});
    const auto rows = tensor(DType::I64, {3, 2}, {0, 1, 1, -1, 1, 0});
    const std::vector<Index> places = {{0, 1}, {1, 2}, {1, 0}};
    expect_elements(one(op_info::GatherND(), {x, rows}), {3, 4}, [&](const Index& i) {
        const Index& p = places[static_cast<std::size_t>(i[0])];
        return at(x, {p[0], p[1], i[1]});
    });
    const auto batched = tensor(DType::I64, {2, 1}, {2, 0});
    expect_elements(one(op_info::GatherND(), {x, batched}, {{"batch_dims", std::int64_t{1}}}), {2, 4},
                    [&](const Index& i) {
                        return at(x, {i[0], i[0] == 0 ? 2 : 0, i[1]});
                    });
    const auto whole = tensor(DType::I64, {2, 0}, {});
    expect_elements(one(op_info::GatherND(), {x, whole}), {2, 2, 3, 4}, [&](const Index& i) {
        return at(x, {i[1], i[2], i[3]});
    });
}

TEST_CASE("OneHot is on at the index, from either end, and nowhere for one outside") {
    const auto indices = tensor(DType::I64, {4}, {0, -1, 3, 7});
    const std::vector<std::int64_t> places = {0, 3, 3, -1};
    const Attributes depth = {{"depth", std::int64_t{4}}};
    expect_elements(one(op_info::OneHot(), {indices}, depth), {4, 4},
                    [&](const Index& i) { return i[1] == places[static_cast<std::size_t>(i[0])]; });
    const auto values = tensor(DType::I32, {2}, {5, 9});
    const auto floats = tensor(DType::F32, {4}, {0, -1, 3, 7});
    const auto first =
        one(op_info::OneHot(), {floats, values}, {{"depth", std::int64_t{4}}, {"axis", std::int64_t{0}}});
    REQUIRE(first->dtype == DType::I32);
    expect_elements(first, {4, 4},
                    [&](const Index& i) { return i[0] == places[static_cast<std::size_t>(i[1])] ? 9 : 5; });
}

TEST_CASE("Full, Eye, Tri and LinSpace make what they say") {
    const auto full =
        one(op_info::Full(), {}, {{"shape", Ints{2, 2}}, {"value", std::int64_t{3}}, {"dtype", DType::I8}});
    REQUIRE(full->dtype == DType::I8);
    expect_close(full, {3, 3, 3, 3}, 0);
    expect_close(one(op_info::Full(), {}, {{"shape", Ints{}}, {"value", not_a_number}}), {not_a_number}, 0);
    expect_elements(one(op_info::Eye(), {}, {{"n", std::int64_t{3}}}), {3, 3},
                    [](const Index& i) { return i[0] == i[1]; });
    expect_elements(one(op_info::Eye(), {}, {{"n", std::int64_t{3}}, {"m", std::int64_t{4}}, {"k", std::int64_t{-1}}}),
                    {3, 4}, [](const Index& i) { return i[1] - i[0] == -1; });
    expect_elements(one(op_info::Tri(), {}, {{"n", std::int64_t{3}}, {"m", std::int64_t{4}}, {"k", std::int64_t{1}}}),
                    {3, 4}, [](const Index& i) { return i[1] - i[0] <= 1; });
    expect_close(one(op_info::LinSpace(), {}, {{"start", 0.0}, {"stop", 1.0}, {"num", std::int64_t{5}}}),
                 {0, 0.25, 0.5, 0.75, 1}, 0);
    expect_close(one(op_info::LinSpace(), {}, {{"start", 2.0}, {"stop", 9.0}, {"num", std::int64_t{1}}}), {2}, 0);
    REQUIRE(one(op_info::LinSpace(), {}, {{"start", 0.0}, {"stop", 1.0}, {"num", std::int64_t{0}}})->shape ==
            (Index{0}));
}

TEST_CASE("Arange counts up and down and stops before the end") {
    const auto arange = [](Attribute start, Attribute stop, Attribute step) {
        return one(op_info::Arange(), {}, {{"start", start}, {"stop", stop}, {"step", step}});
    };
    const auto i = [](std::int64_t value) { return value; };
    REQUIRE(arange(i(0), i(5), i(1))->dtype == DType::I64);
    expect_close(arange(i(0), i(5), i(2)), {0, 2, 4}, 0);
    expect_close(arange(i(5), i(0), i(-2)), {5, 3, 1}, 0);
    REQUIRE(arange(i(5), i(0), i(1))->shape == (Index{0}));
    REQUIRE(arange(0.0, 1.0, 0.25)->dtype == DType::F32);
    expect_close(arange(0.0, 1.0, 0.3), {0, 0.3, 0.6, 0.9}, 1e-6);
    expect_close(one(op_info::Arange(), {}, {{"start", i(3)}}), {0, 1, 2}, 0);
    const OpCall call(op_info::Arange(), {}, {{"stop", Shape{symbol_dim("n")}}});
    REQUIRE(text_of(graph::shape_of(call.op->define(call).outputs[0])) == "[n]");
}

TEST_CASE("Range makes what its three numbers say when it runs") {
    const auto range = [](DType dtype, double start, double limit, double delta) {
        return one(op_info::Range(),
                   {tensor(dtype, {}, {start}), tensor(dtype, {}, {limit}), tensor(dtype, {1}, {delta})});
    };
    expect_close(range(DType::I64, 3, 9, 3), {3, 6}, 0);
    expect_close(range(DType::I32, 10, 4, -2), {10, 8, 6}, 0);
    expect_close(range(DType::F32, 1, 2, 0.5), {1, 1.5}, 0);
    REQUIRE(range(DType::F64, 1, 0, 0.5)->shape == (Index{0}));
    bool is_refused = false;
    try {
        range(DType::I64, 0, 1, 0);
    } catch (const OpError&) {
        is_refused = true;
    }
    REQUIRE(is_refused);
}

} // namespace
