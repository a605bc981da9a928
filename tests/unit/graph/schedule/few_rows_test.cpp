// SPDX-License-Identifier: Apache-2.0
// Templates of products of few rows, in 16 and in few bits, as a language model has them for each token.
#include "tests/unit/graph/schedule/template_case.h"

using hidet::ir::DType;
using namespace hidet;
using namespace hidet::test;
using namespace hidet::graph;

TEST_CASE("products of few rows by the tensor cores of Hopper") {
    check({
        {"matmul_few_rows.matmul", "Matmul", DType::F16, {{1, 64}, {64, 136}}},
        {"matmul_few_rows.matmul", "Matmul", DType::F16, {{7, 1024}, {1024, 64}}},
        {"matmul_few_rows.matmul", "Matmul", DType::BF16, {{33, 200}, {72, 200}}, {{"transpose_b", true}}},
    });
}

namespace {

Row normalised_row(DType dtype, std::optional<DType> of_gain, const std::vector<Extents>& operands, bool is_transposed,
                   int multiprocessors = 0) {
    return {.schedule = "matmul_few_rows.rms_matmul",
            .op = "RmsMatmul",
            .dtype = dtype,
            .operands = operands,
            .attributes = {{"transpose_b", is_transposed}, {"epsilon", 0x1p-10}},
            .multiprocessors = multiprocessors,
            .gain = 2,
            .of_gain = of_gain};
}

} // namespace

TEST_CASE("products of few rows that they normalise themselves") {
    check({
        normalised_row(DType::F16, {}, {{1, 64}, {64, 136}, {64}}, false),
        normalised_row(DType::F16, DType::F32, {{1, 1, 2048}, {72, 2048}, {2048}}, true),
        normalised_row(DType::BF16, {}, {{3, 200}, {72, 200}, {200}}, true),
        normalised_row(DType::F16, {}, {{8, 1000}, {1000, 64}, {1000}}, false),
        normalised_row(DType::F16, {}, {{2, 832}, {328, 832}, {832}}, true, 4), // more tiles than multiprocessors
    });
}

TEST_CASE("products of few rows, two of which are a gate and what it lets through") {
    const auto with_gate = [](Row row, const char* gate) {
        row.operands.push_back(row.operands[1]);
        row.attributes.set("gate", std::string(gate));
        return row;
    };
    check({
        with_gate(normalised_row(DType::F16, {}, {{1, 64}, {64, 136}, {64}}, false), "silu"),
        with_gate(normalised_row(DType::F16, DType::F32, {{1, 1, 2048}, {72, 2048}, {2048}}, true), "gelu_tanh"),
        with_gate(normalised_row(DType::BF16, {}, {{5, 200}, {72, 200}, {200}}, true), "silu"),
        with_gate(normalised_row(DType::F16, {}, {{2, 832}, {328, 832}, {832}}, true, 4), "silu"),
    });
}

namespace {

Row packed_row(DType dtype, std::int64_t bits, std::int64_t group, const std::vector<Extents>& operands,
               DType packed = DType::U8, int multiprocessors = 0) {
    return {.schedule = "matmul_packed.matmul",
            .op = "PackedMatmul",
            .dtype = dtype,
            .operands = operands,
            .attributes = {{"bits", bits}, {"group_size", group}},
            .multiprocessors = multiprocessors,
            .packed = packed};
}

} // namespace

TEST_CASE("products with matrices of four bits") {
    check({
        packed_row(DType::F16, 4, 128, {{1, 256}, {40, 128}, {40, 2}}),
        packed_row(DType::F16, 4, 128, {{3, 1288}, {33, 656}, {33, 11}}),            // cut in every direction
        packed_row(DType::BF16, 4, 128, {{8, 1024}, {72, 512}, {72, 8}, {72, 8}}),   // zero points
        packed_row(DType::F16, 4, 32, {{2, 9, 640}, {64, 320}, {64, 20}, {64, 20}}), // groups within a step
        packed_row(DType::BF16, 4, 32, {{17, 320}, {48, 160}, {48, 10}}),
        packed_row(DType::F16, 4, 0, {{64, 512}, {136, 256}, {136, 1}}),           // one group
        packed_row(DType::F16, 4, 256, {{100, 512}, {40, 256}, {40, 2}, {40, 2}}), // two tiles of rows
        packed_row(DType::F16, 4, 0, {{5, 128}, {16, 64}, {16, 1}, {16, 1}}),
        packed_row(DType::BF16, 4, 32, {{3, 648}, {840, 336}, {840, 21}, {840, 21}}, DType::U8,
                   1), // several tiles a block
    });
}

TEST_CASE("products with matrices of eight bits") {
    check({
        packed_row(DType::F16, 8, 0, {{1, 512}, {40, 512}, {40, 1}}),
        packed_row(DType::BF16, 8, 0, {{9, 200}, {33, 208}, {33, 1}}),
        packed_row(DType::F16, 8, 64, {{33, 640}, {64, 640}, {64, 10}, {64, 10}}),
        packed_row(DType::BF16, 8, 16, {{4, 256}, {24, 256}, {24, 16}, {24, 16}}),
        packed_row(DType::F16, 8, 0, {{2, 512}, {40, 512}, {40, 1}}, DType::F8E4M3),
        packed_row(DType::BF16, 8, 128, {{70, 512}, {40, 512}, {40, 4}}, DType::F8E4M3),
        packed_row(DType::F16, 8, 32, {{3, 512}, {40, 512}, {40, 16}}, DType::F8E4M3),
        packed_row(DType::F16, 8, 0, {{2, 512}, {1000, 512}, {1000, 1}}, DType::U8, 1),
    });
}

namespace {

Row with_gain(Row row, std::optional<DType> of_gain = {}) {
    row.schedule = "matmul_packed.rms_matmul";
    row.op = "RmsPackedMatmul";
    row.operands.insert(row.operands.begin() + 3, {row.operands[0].back()});
    row.attributes.set("epsilon", 0x1p-10);
    row.gain = 3;
    row.of_gain = of_gain;
    return row;
}

} // namespace

TEST_CASE("products with matrices of few bits and rows that they normalise themselves") {
    check({
        with_gain(packed_row(DType::F16, 4, 128, {{1, 1, 2048}, {40, 1024}, {40, 16}})),
        with_gain(packed_row(DType::F16, 4, 128, {{3, 1288}, {33, 656}, {33, 11}}), DType::F32),
        with_gain(packed_row(DType::BF16, 4, 128, {{8, 1024}, {72, 512}, {72, 8}, {72, 8}})),
        with_gain(packed_row(DType::F16, 8, 0, {{1, 512}, {40, 512}, {40, 1}})),
        with_gain(packed_row(DType::BF16, 8, 0, {{5, 200}, {33, 208}, {33, 1}}), DType::F32),
        with_gain(packed_row(DType::F16, 4, 128, {{2, 640}, {1000, 320}, {1000, 5}}, DType::U8, 1)),
    });
}

TEST_CASE("products with two matrices of few bits, of which one is a gate") {
    const auto with_gate = [](Row row, const char* gate) {
        row = with_gain(std::move(row));
        const std::vector<Extents> first = row.operands;
        row.gate = first.size();
        for (std::size_t i = 1; i < first.size(); ++i)
            if (i != row.gain)
                row.operands.push_back(first[i]);
        row.attributes.set("gate", std::string(gate));
        return row;
    };
    check({
        with_gate(packed_row(DType::F16, 4, 128, {{1, 1, 2048}, {40, 1024}, {40, 16}}), "silu"),
        with_gate(packed_row(DType::F16, 4, 128, {{3, 1288}, {33, 656}, {33, 11}}), "gelu_tanh"),
        with_gate(packed_row(DType::BF16, 4, 128, {{8, 1024}, {72, 512}, {72, 8}, {72, 8}}), "silu"),
        with_gate(packed_row(DType::F16, 8, 0, {{1, 512}, {40, 512}, {40, 1}}), "silu"),
        with_gate(packed_row(DType::BF16, 4, 0, {{5, 128}, {16, 64}, {16, 1}, {16, 1}}), "silu"),
        with_gate(packed_row(DType::F16, 4, 128, {{2, 640}, {1000, 320}, {1000, 5}}, DType::U8, 1), "silu"),
    });
}

namespace {

// Of a query for each of `group` heads that share keys, over a cache whose row `at` is new.
Row update_row(DType dtype, const Extents& batch, std::int64_t group, std::int64_t keys, std::int64_t length,
               std::int64_t at) {
    const auto with = [&](std::int64_t heads, std::int64_t rows) {
        Extents shape = batch;
        shape.insert(shape.end(), {heads, rows, length});
        return shape;
    };
    return {.schedule = "attention_decode.attention_with_mask",
            .op = "AttnMaskAdd",
            .dtype = dtype,
            .operands = {with(group, 1), with(1, keys), with(1, keys), {keys}, with(1, 1), with(1, 1), {1}},
            .attributes = {{"transpose_k", true}, {"scale", 0.125}},
            .place = 6,
            .at = at};
}

} // namespace

TEST_CASE("attention of one query over a cache, beside the row that is new in it") {
    check({
        update_row(DType::F16, {2, 3}, 4, 304, 64, 57),
        update_row(DType::F16, {1, 2}, 4, 300, 64, -1), // the last tile is not full
        update_row(DType::BF16, {1, 2}, 1, 40, 128, 0),
        update_row(DType::F16, {2}, 9, 1100, 16, 1024),
    });
}
