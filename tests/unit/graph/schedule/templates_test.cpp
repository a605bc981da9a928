// SPDX-License-Identifier: Apache-2.0
// Each template on odd shapes and in every dtype; few_rows_test.cpp has those of a language model's tokens.
#include "tests/unit/graph/schedule/template_case.h"

using hidet::ir::DType;
using namespace hidet;
using namespace hidet::test;
using namespace hidet::graph;

TEST_CASE("products of matrices by the tensor cores of Hopper") {
    check({
        {"matmul_wgmma", "Matmul", DType::F16, {{1, 130, 96}, {96, 200}}},
        {"matmul_wgmma", "Matmul", DType::BF16, {{70, 200}, {200, 72}}},
        {"matmul_wgmma", "Matmul", DType::F16, {{65, 1040}, {64, 1040}}, {{"transpose_b", true}}},
        {"matmul_wgmma", "Matmul", DType::F16, {{200, 136}, {136, 328}}},
        {"matmul_wgmma", "Matmul", DType::F16, {{2, 3, 66, 72}, {2, 3, 72, 40}}},
        {"matmul_wgmma", "Matmul", DType::F16, {{330, 136}, {136, 376}}, {}, 16}, // in tiles of 96 columns
        {"matmul_wgmma", "Matmul", DType::BF16, {{330, 72}, {384, 72}}, {{"transpose_b", true}}, 16},
    });
}

TEST_CASE("products of large matrices by the tensor cores of Hopper") {
    check({
        {"matmul_large.matmul", "Matmul", DType::F16, {{400, 328}, {328, 520}}, {}, 4},
        {"matmul_large.matmul", "Matmul", DType::BF16, {{2, 150, 72}, {2, 264, 72}}, {{"transpose_b", true}}, 4},
        {"matmul_large.matmul", "Matmul", DType::F16, {{380, 328}, {328, 384}}, {}, 4}, // in tiles of 192 rows
        {"matmul_large.matmul", "Matmul", DType::BF16, {{2, 190, 72}, {2, 376, 72}}, {{"transpose_b", true}}, 4},
        {"matmul_large.matmul",
         "Matmul",
         DType::F16,
         {{380, 328}, {328, 184}},
         {},
         4}, // three tiles for four multiprocessors
    });
}

TEST_CASE("products of matrices without tensor cores, of any extents") {
    check({
        {"product_simt.matmul", "Matmul", DType::F32, {{33, 70}, {70, 45}}},
        {"product_simt.matmul", "Matmul", DType::F32, {{2, 9, 31}, {2, 31, 7}}},
        {"product_simt.matmul", "Matmul", DType::F32, {{130, 520}, {260, 520}}, {{"transpose_b", true}}},
        {"product_simt.matmul", "Matmul", DType::F16, {{17, 33}, {33, 9}}},
        {"product_simt.matmul", "Matmul", DType::F32, {{120, 300}, {300, 500}}, {}, 8}, // weights copied asynchronously
    });
}

namespace {

Attributes in_tf32(Attributes more = {}) {
    more.set("precision", std::string("tf32"));
    return more;
}

} // namespace

TEST_CASE("products of factors that are rounded to tf32") {
    const Attributes transposed = in_tf32({{"transpose_b", true}});
    check({
        {"product_tf32.matmul", "Matmul", DType::F32, {{130, 96}, {96, 72}}, in_tf32()},
        {"product_tf32.matmul", "Matmul", DType::F32, {{33, 70}, {70, 45}}, in_tf32()},
        {"product_tf32.matmul", "Matmul", DType::F32, {{2, 3, 40, 31}, {2, 3, 31, 17}}, in_tf32()},
        {"product_tf32.matmul", "Matmul", DType::F32, {{65, 521}, {64, 521}}, transposed},
        {"product_tf32.matmul", "Matmul", DType::F32, {{2, 150, 100}, {264, 100}}, transposed, 2}, // large tiles
        {"product_tf32.matmul", "Matmul", DType::F32, {{300, 40}, {40, 258}}, in_tf32(), 2},
        {"product_tf32.matmul", "Matmul", DType::F32, {{20, 1024}, {1024, 40}}, in_tf32()}, // a split sum
        {"product_simt.matmul", "Matmul", DType::F32, {{3, 64}, {64, 40}}, in_tf32()},      // few rows
        {"product_simt.matmul", "Matmul", DType::F32, {{130, 96}, {96, 72}}},               // nobody permits it
    });
}

TEST_CASE("factors are rounded to the nearest number of tf32, ties to even") {
    FloatList numbers, ones(32 * 32);
    for (int i = 0; i < 64 * 32; ++i) // steps of a quarter of the last digit
        numbers.push_back(std::ldexp(i % 2 ? -1.0f : 1.0f, i % 31 - 15) * (1 + std::ldexp(static_cast<float>(i), -12)));
    for (std::size_t i = 0; i < 32; ++i)
        ones[i * 33] = 1;
    for (const bool transpose_b : {false, true})
        for (Backend backend : {Backend::Emulated, Backend::Gpu}) {
            GroupRunner runner(backend);
            if (!runner.is_there())
                continue;
            Graph graph;
            Values values;
            const ValueId a = graph.add_input("a", f32(shape_of(Extents{64, 32})));
            const ValueId b = graph.add_input("b", f32(shape_of(Extents{32, 32})));
            values[a] = float_tensor({64, 32}, numbers);
            values[b] = float_tensor({32, 32}, ones);
            const ValueId y = graph.add_one(op_info::Matmul(), {a, b}, in_tf32({{"transpose_b", transpose_b}}));
            graph.set_outputs({y});
            SourceMap sources;
            DiagnosticSink sink;
            const ScriptTemplates templates(sources, sink, our_templates());
            const Partition groups = partition(graph);
            const auto schedule = templates.schedule({graph, groups.groups[0].anchor, runner.target()}, "");
            REQUIRE(schedule);
            REQUIRE(schedule->name == "product_tf32.matmul");
            runner.run(graph, lower_group(graph, groups.groups[0], runner.target(), &*schedule), values);
            const FloatList got = floats_of(values.at(y));
            for (std::size_t i = 0; i < numbers.size(); ++i)
                REQUIRE(got[i] == static_cast<float>(round_to_tf32(numbers[i])));
        }
}

TEST_CASE("convolutions of factors that are rounded to tf32") {
    const Ints one = {1, 1}, two = {2, 2};
    check({
        {"product_tf32.convolution",
         "Conv2dChannelLast",
         DType::F32,
         {{1, 9, 7, 16}, {24, 16, 3, 3}},
         in_tf32({{"padding", one}})},
        {"product_tf32.convolution",
         "Conv2dChannelLast",
         DType::F32,
         {{2, 9, 9, 12}, {41, 12, 3, 3}},
         in_tf32({{"padding", one}, {"stride", two}})},
        {"product_tf32.convolution", "Conv2dChannelLast", DType::F32, {{1, 8, 8, 64}, {33, 64, 1, 1}}, in_tf32()},
        {"product_tf32.convolution",
         "Conv2dChannelLast",
         DType::F32,
         {{1, 10, 8, 9}, {16, 9, 3, 3}},
         in_tf32({{"dilations", two}})},
        {"product_tf32.convolution",
         "Conv2dChannelLast",
         DType::F32,
         {{1, 7, 7, 128}, {64, 128, 3, 3}},
         in_tf32({{"padding", Ints{1, 0, 1, 2}}})},
        {"conv_direct", "Conv2dChannelLast", DType::F32, {{2, 9, 8, 5}, {10, 5, 3, 3}}, in_tf32()}, // few channels
    });
}

TEST_CASE("convolutions by the tensor cores of Hopper") {
    const Ints one = {1, 1}, two = {2, 2};
    check({
        {"conv_wgmma", "Conv2dChannelLast", DType::F16, {{1, 9, 7, 72}, {96, 72, 3, 3}}, {{"padding", one}}},
        {"conv_wgmma",
         "Conv2dChannelLast",
         DType::F16,
         {{2, 9, 9, 8}, {40, 8, 3, 3}},
         {{"padding", one}, {"stride", two}}},
        {"conv_wgmma", "Conv2dChannelLast", DType::BF16, {{1, 6, 6, 64}, {128, 64, 1, 1}}},
        {"conv_wgmma", "Conv2dChannelLast", DType::F16, {{1, 8, 8, 512}, {64, 512, 1, 1}}, {{"stride", two}}},
        {"matmul_large.convolution", "Conv2dChannelLast", DType::F16, {{3, 13, 11, 72}, {136, 72, 1, 1}}, {}, 4},
        {"matmul_large.convolution", "Conv2dChannelLast", DType::BF16, {{1, 30, 21, 64}, {264, 64, 1, 1}}, {}, 4},
    });
}

TEST_CASE("convolutions without tensor cores") {
    const Ints one = {1, 1}, two = {2, 2};
    const auto row = [](std::vector<Extents> operands, Attributes attributes) {
        return Row{"product_simt.convolution", "Conv2dChannelLast", DType::F32, std::move(operands),
                   std::move(attributes)};
    };
    check({
        row({{1, 9, 7, 32}, {24, 32, 3, 3}}, {{"padding", one}}),
        row({{2, 9, 9, 36}, {41, 36, 3, 3}}, {{"padding", one}, {"stride", two}}),
        row({{1, 8, 8, 64}, {33, 64, 1, 1}}, {{"stride", two}}),
        row({{1, 10, 8, 20}, {16, 20, 3, 3}}, {{"dilations", two}}),
        row({{1, 7, 7, 128}, {64, 128, 3, 3}}, {{"padding", Ints{1, 0, 1, 2}}}),
        row({{3, 14, 14, 64}, {64, 64, 3, 3}}, {{"padding", one}}),
        {"product_simt.convolution",
         "Conv2dChannelLast",
         DType::F16,
         {{1, 9, 7, 132}, {24, 132, 5, 5}},
         {{"padding", Ints{2, 2}}}},
        {"product_simt.convolution",
         "Conv2dChannelLast",
         DType::BF16,
         {{1, 5, 7, 140}, {24, 140, 5, 5}},
         {{"padding", Ints{2, 2}}}},
    });
}

TEST_CASE("convolutions of few channels") {
    check({
        {"conv_direct",
         "Conv2dChannelLast",
         DType::F16,
         {{1, 20, 22, 3}, {32, 3, 7, 7}},
         {{"padding", Ints{3, 3}}, {"stride", Ints{2, 2}}}},
        {"conv_direct", "Conv2dChannelLast", DType::F32, {{2, 9, 8, 5}, {10, 5, 3, 3}}},
    });
}

TEST_CASE("convolutions of each channel for itself") {
    const auto row = [](DType dtype, std::vector<Extents> operands, Attributes attributes) {
        attributes.set("groups", operands[1][0]);
        return Row{"conv_depthwise", "Conv2dChannelLast", dtype, std::move(operands), std::move(attributes)};
    };
    check({
        row(DType::F16, {{1, 10, 9, 24}, {24, 1, 3, 3}}, {{"padding", Ints{1, 1}}}),
        row(DType::F32, {{2, 7, 8, 5}, {5, 1, 5, 5}}, {{"stride", Ints{2, 2}}}),
        row(DType::F16, {{2, 17, 15, 16}, {16, 1, 7, 7}}, {{"padding", Ints{3, 3}}}),
        row(DType::BF16, {{1, 14, 12, 12}, {12, 1, 3, 5}}, {{"padding", Ints{2, 4}}, {"dilations", Ints{2, 2}}}),
        row(DType::F16, {{1, 26, 26, 32}, {32, 1, 25, 25}}, {}),
    });
}

TEST_CASE("convolutions of groups of channels") {
    const Ints one = {1, 1};
    check({
        {"conv_grouped",
         "Conv2dChannelLast",
         DType::F16,
         {{1, 9, 7, 64}, {64, 8, 3, 3}},
         {{"padding", one}, {"groups", 8}}},
        {"conv_grouped",
         "Conv2dChannelLast",
         DType::BF16,
         {{2, 8, 8, 64}, {128, 16, 3, 3}},
         {{"padding", one}, {"stride", Ints{2, 2}}, {"groups", 4}}},
        {"conv_grouped", "Conv2dChannelLast", DType::F16, {{1, 6, 5, 112}, {48, 56, 1, 1}}, {{"groups", 2}}},
    });
}

TEST_CASE("permutations of dimensions") {
    const auto axes = [](Ints order) { return Attributes{{"axes", std::move(order)}}; };
    check({
        {"transpose.permute_dims", "PermuteDims", DType::F16, {{96, 200}}, axes({1, 0}), 0, true},
        {"transpose.permute_dims", "PermuteDims", DType::BF16, {{20, 5, 2, 66}}, axes({3, 1, 2, 0}), 0, true},
        {"transpose.permute_dims", "PermuteDims", DType::F32, {{2, 9, 1, 33}}, axes({0, 3, 2, 1}), 0, true},
        {"transpose.permute_dims", "PermuteDims", DType::F16, {{2, 7, 5, 24}}, axes({0, 2, 1, 3}), 0, true},
        {"transpose.transpose2d", "TransposeOp2D", DType::F32, {{65, 40}}, {}, 0, true},
    });
}

TEST_CASE("rows of a table") {
    const auto along = [](std::int64_t axis) { return Attributes{{"axis", axis}}; };
    check({
        {"take", "Take", DType::F16, {{6, 40}, {2, 9}}, along(0), 0, true, DType::I64},
        {"take", "Take", DType::F32, {{3, 5, 6}, {7}}, along(1), 0, true, DType::I32},
    });
}

TEST_CASE("normalised rows, and groups of channels") {
    const Attributes last = {{"dims", Ints{1}}, {"epsilon", 1e-5}};
    const auto in = [](std::int64_t groups) { return Attributes{{"groups", groups}, {"epsilon", 1e-5}}; };
    const char *rows = "normalize.normalize", *groups = "normalize_groups", *grouped = "NormalizeChannelLast";
    check({
        {rows, "Normalize", DType::F16, {{5, 96}}, last},
        {rows, "Normalize", DType::BF16, {{3, 33}}, last},
        {rows, "Normalize", DType::F32, {{2, 3000}}, last},
        {rows, "Normalize", DType::F32, {{2, 3000}}, last, 0, false, {}, 300'000},
        {groups, grouped, DType::F16, {{2, 5, 3, 64}}, in(4)},
        {groups, grouped, DType::F16, {{1, 49, 60}}, in(6)}, // five pieces of two channels for each group
        {groups,
         grouped,
         DType::BF16,
         {{1, 700, 64}},
         in(32)}, // four groups to a piece, and blocks that share the pixels
        {groups, grouped, DType::F32, {{2, 7, 7, 12}}, in(12), 0, false, {}, 300'000},
        {groups, grouped, DType::F32, {{3, 5, 14}}, in(2)},
        {groups, grouped, DType::F16, {{1, 33'000, 8}}, in(2)}, // more than registers hold
    });
}

TEST_CASE("softmax of rows") {
    check({
        {"softmax.softmax", "Softmax", DType::F16, {{5, 96}}, {{"axis", std::int64_t(-1)}}},
        {"softmax.softmax", "Softmax", DType::F32, {{2, 3, 1111}}, {{"axis", std::int64_t(2)}}},
        {"softmax.softmax", "Softmax", DType::F16, {{130, 49}}, {{"axis", std::int64_t(-1)}}, 1}, // 8 lanes a row
        {"softmax.log_softmax", "LogSoftmax", DType::F32, {{4, 40}}, {{"axis", std::int64_t(-1)}}},
    });
}

TEST_CASE("reductions of rows and of columns") {
    check({
        {"reduce.reduce_mean", "ReduceMean", DType::F16, {{9, 7, 64}}, {{"dims", Ints{0, 1}}, {"keepdims", false}}},
        {"reduce.reduce_max", "ReduceMax", DType::F32, {{6, 500}}, {{"dims", Ints{1}}, {"keepdims", true}}},
    });
}

TEST_CASE("pools, channels last") {
    const Attributes window = {{"kernel", Ints{3, 3}}, {"stride", Ints{2, 2}}, {"padding", Ints{1, 1, 1, 1}}};
    check({{"pool.max_pool2d", "MaxPool2dChannelLast", DType::F16, {{1, 9, 8, 24}}, window}});
}

TEST_CASE("attention by tensor cores") {
    const Attributes plain = {{"is_causal", false}}, causal = {{"is_causal", true}};
    const Attributes rows = {{"is_causal", true}, {"transpose_k", true}, {"scale", 0.125}};
    check({
        {"attention_mma.attention", "Attn", DType::F16, {{2, 33, 32}, {2, 32, 40}, {2, 40, 32}}, plain},
        {"attention_mma.attention", "Attn", DType::BF16, {{1, 3, 50, 64}, {1, 3, 64, 50}, {1, 3, 50, 64}}, causal},
        {"attention_mma.attention_with_mask",
         "AttnMaskAdd",
         DType::F16,
         {{2, 17, 16}, {2, 16, 20}, {2, 20, 16}, {17, 20}}},
        {"attention_mma.attention", "Attn", DType::F16, {{2, 2, 19, 64}, {2, 1, 40, 64}, {2, 1, 40, 64}}, rows},
        {"attention_mma.attention_with_mask",
         "AttnMaskAdd",
         DType::BF16,
         {{2, 35, 24}, {2, 70, 24}, {2, 70, 16}, {2, 1, 70}},
         {{"transpose_k", true}, {"scale", 0.3}}},
        {"attention_short.attention", "Attn", DType::F16, {{2, 2, 70, 64}, {2, 1, 136, 64}, {2, 1, 136, 64}}, rows},
        {"attention_short.attention", "Attn", DType::BF16, {{2, 64, 64}, {2, 64, 64}, {2, 64, 64}}, rows, 2},
        {"attention_short.attention", "Attn", DType::F16, {{7, 50, 64}, {7, 70, 64}, {7, 70, 64}}, rows, 8},
        {"attention_wgmma.attention", "Attn", DType::F16, {{4, 100, 72}, {4, 100, 72}, {4, 100, 72}}, rows, 2},
        {"attention_short.attention", "Attn", DType::F16, {{2, 2, 70, 64}, {2, 1, 100, 64}, {2, 1, 100, 64}}, rows, 2},
        {"attention_short.attention", "Attn", DType::BF16, {{2, 40, 128}, {2, 128, 200}, {2, 200, 128}}, plain},
        {"attention_short.attention_with_mask",
         "AttnMaskAdd",
         DType::F16,
         {{2, 50, 64}, {2, 264, 64}, {2, 264, 64}, {50, 264}},
         {{"transpose_k", true}, {"scale", 0.125}}},
        {"attention_wgmma.attention", "Attn", DType::F16, {{3, 200, 64}, {3, 520, 64}, {3, 520, 64}}, rows, 2},
        {"attention_wgmma.attention", "Attn", DType::BF16, {{2, 150, 128}, {2, 128, 528}, {2, 528, 128}}, plain, 2},
        {"attention_wgmma.attention", "Attn", DType::F16, {{3, 150, 80}, {3, 520, 80}, {3, 520, 80}}, rows, 2},
        {"attention_wgmma.attention", "Attn", DType::BF16, {{2, 70, 104}, {2, 104, 520}, {2, 520, 104}}, plain, 2},
        {"attention_wgmma.attention", "Attn", DType::F16, {{2, 150, 256}, {2, 200, 256}, {2, 200, 256}}, rows, 2},
        {"attention_wgmma.attention", "Attn", DType::F16, {{40, 192}, {192, 72}, {72, 192}}, plain, 2},
        {"attention_wgmma.attention", "Attn", DType::F16, {{8, 40, 64}, {8, 300, 64}, {8, 300, 64}}, rows, 2},
        {"attention_wgmma.attention_with_mask",
         "AttnMaskAdd",
         DType::F16,
         {{2, 70, 64}, {2, 64, 520}, {2, 520, 64}, {70, 520}},
         {},
         2},
        {"attention_cached",
         "Attn",
         DType::F16,
         {{2, 1, 3, 128}, {2, 1, 1100, 128}, {2, 1, 1100, 128}},
         {{"transpose_k", true}, {"scale", 0.125}},
         8},
        {"attention_cached",
         "Attn",
         DType::BF16,
         {{2, 8, 1, 256}, {2, 1, 70, 256}, {2, 1, 70, 256}},
         {{"transpose_k", true}, {"scale", 0.0625}},
         2},
        {"attention_decode.attention",
         "Attn",
         DType::F16,
         {{3, 2, 7, 1, 128}, {3, 2, 1, 100, 128}, {3, 2, 1, 100, 128}},
         {{"transpose_k", true}, {"scale", 0.125}},
         2},
        {"attention_decode.attention",
         "Attn",
         DType::F16,
         {{2, 3, 4, 1, 64}, {2, 3, 1, 300, 64}, {2, 3, 1, 300, 64}},
         {{"transpose_k", true}, {"scale", 0.125}}},
        {"attention_decode.attention_with_mask",
         "AttnMaskAdd",
         DType::BF16,
         {{2, 6, 3, 16}, {2, 1, 16, 400}, {2, 1, 400, 40}, {6, 3, 400}}},
    });
}
