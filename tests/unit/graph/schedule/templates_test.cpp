// SPDX-License-Identifier: Apache-2.0
// Each template against the definition of its operator, on the emulator with all checks and on a GPU: odd shapes, every
// dtype, fused with a bias, an activation and a residual. A row says which template takes the operator.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/graph/script/template_provider.h"
#include "lang/base/numeric.h"
#include "tests/unit/graph/floats.h"
#include "tests/unit/graph/interpret.h"
#include "tests/unit/graph/run_group.h"

using hidet::ir::DType;
using namespace hidet;
using namespace hidet::test;
using namespace hidet::graph;

namespace {

using Extents = std::vector<std::int64_t>;

struct Row {
    const char* schedule; // the template
    const char* op;
    DType dtype;
    std::vector<Extents> operands; // the first is an input, the others are constants
    Attributes attributes = {};
    int multiprocessors = 0;           // that the template shall count on; 0: those of the machine
    bool is_moving = false;            // elements: of a group, only the last operator that does is asked for a template
    std::optional<DType> others = {};  // of the constants; nothing: as the input
    float mean = 0;                    // of the input, where it is of f32
    std::optional<DType> packed = {};  // of the weight, the first constant, where it is of few bits
    std::size_t gain = 0;              // which operand is one; 0: none
    std::optional<DType> of_gain = {}; // nothing: as the input
};

enum class Weights : std::uint8_t { Known, Given }; // when it is compiled; to each run

class Case {
public:
    explicit Case(const Row& row, Weights weights = Weights::Known) : m_row(row), m_weights(weights) {
        std::vector<ValueId> operands = {input(row.operands[0])};
        if (row.mean != 0) {
            auto* elements = reinterpret_cast<float*>(m_values[operands[0]]->data());
            std::for_each_n(elements, m_values[operands[0]]->count(), [&](float& each) { each += row.mean; });
        }
        if (row.is_moving)
            operands[0] = m_graph.add_one(op_info::Relu(), operands);
        for (std::size_t i = 1; i < row.operands.size(); ++i)
            operands.push_back(operand(row, i));
        const ValueId made = m_graph.add_one(*find_op(row.op), operands, row.attributes);
        if (row.is_moving) {
            m_graph.set_outputs({made});
            return;
        }
        const Extents shape = *constant_shape(m_graph.value(made).spec.shape);
        const ValueId biased = m_graph.add_one(op_info::Add(), {made, constant({shape.back()}, row.dtype)});
        const ValueId active = m_graph.add_one(op_info::Relu(), {biased});
        m_graph.set_outputs({m_graph.add_one(op_info::Add(), {active, input(shape)})});
    }

    void check(Backend backend) {
        GroupRunner runner(backend);
        if (!runner.is_there())
            return;
        SourceMap sources;
        DiagnosticSink sink;
        const ScriptTemplates templates(sources, sink, our_templates());
        const Partition groups = partition(m_graph);
        artifact::TargetSpec target = runner.target();
        if (m_row.multiprocessors > 0)
            target.multiprocessors = m_row.multiprocessors;
        REQUIRE(groups.groups.size() == 1u);
        const auto schedule = templates.schedule({m_graph, groups.groups[0].anchor, target}, "");
        REQUIRE_MESSAGE(sink.all().empty(), render(sink.all(), sources));
        REQUIRE(schedule);
        REQUIRE(schedule->name == std::string(m_row.schedule));
        const GroupProgram program = lower_group(m_graph, groups.groups[0], target, &*schedule);
        REQUIRE(program.kernels.size() ==
                (m_weights == Weights::Given ? 2u : 1u)); // one brings them into another order
        Values values = m_values, expected = m_values;
        runner.run(m_graph, program, values);
        interpret(m_graph, expected);
        const ValueId result = m_graph.outputs()[0];
        expect_close(values.at(result), values_of(expected.at(result)), tolerance());
    }

private:
    ValueId input(const Extents& shape) {
        const ValueId id = m_graph.add_input("x", {m_row.dtype, shape_of(shape)});
        m_values[id] = random_tensor(m_row.dtype, shape, m_values.size() + 1);
        return id;
    }
    ValueId constant(const Extents& shape, DType dtype) {
        const lang::TensorRef data = random_tensor(dtype, shape, m_values.size() + 1);
        const ValueId id = m_graph.add_constant(data, "w");
        m_values[id] = data;
        return id;
    }
    ValueId operand(const Row& row, std::size_t i) {
        if (row.gain > 0 && i == row.gain)
            return constant(row.operands[i], row.of_gain.value_or(row.dtype));
        if (i == 1 && row.packed)
            return packed(row.operands[i], *row.packed);
        if (i >= 2 && row.packed)
            return of_groups(row.operands[i], i == 2);
        return m_weights == Weights::Given ? input(row.operands[i])
                                           : constant(row.operands[i], row.others.value_or(row.dtype));
    }
    ValueId packed(const Extents& shape, DType dtype) {
        const ValueId id = constant(shape, dtype);
        std::byte* bytes = m_values[id]->data();
        std::uint32_t state = 1;
        for (std::int64_t i = 0; dtype == DType::U8 && i < m_values[id]->count(); ++i)
            bytes[i] = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
        return id;
    }
    // Powers of two and whole numbers: no weight needs more digits than its type has.
    ValueId of_groups(const Extents& shape, bool is_scale) {
        std::vector<double> values(static_cast<std::size_t>(shape[0] * shape[1]));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = is_scale ? std::ldexp(1.0, -static_cast<int>(i * 5 % 7)) : static_cast<double>(i * 7 % 16);
        const ValueId id = m_graph.add_constant(tensor(m_row.dtype, shape, values), "w");
        m_values[id] = m_graph.value(id).data;
        return id;
    }
    // Roundings of the sum, of what follows it, and of the result; sums are rounded from f32 in another order.
    double tolerance() const {
        if (m_row.attributes.find("precision"))
            return 0x1p-10 * std::sqrt(terms()); // both factors of a product are half a digit of 10 bits off at most
        return m_row.dtype == DType::BF16 ? 3e-2 : m_row.dtype == DType::F16 ? 4e-3 : 1e-4;
    }

    double terms() const { // of a sum of products: along a row of a, or all of a filter
        const Extents& w = m_row.operands[1];
        const bool is_product = m_row.op == std::string("Matmul");
        std::int64_t count = is_product ? m_row.operands[0].back() : 1;
        for (std::size_t i = 1; i < w.size() && !is_product; ++i)
            count *= w[i];
        return static_cast<double>(count);
    }

    const Row& m_row;
    const Weights m_weights;
    Graph m_graph;
    Values m_values;
};

void check(const std::vector<Row>& rows) {
    for (const Row& row : rows)
        for (Backend backend : {Backend::Emulated, Backend::Gpu}) {
            CAPTURE(row.schedule);
            CAPTURE(text_of(shape_of(row.operands[0])));
            Case(row).check(backend);
            // The features of a filter of one tap are rows as they are.
            if (row.op == std::string("Conv2dChannelLast") && row.schedule != std::string("matmul_large.convolution"))
                Case(row, Weights::Given).check(backend);
        }
}

} // namespace

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

TEST_CASE("products with matrices of few bits and rows that they normalise themselves") {
    const auto normalised = [](Row row, const Extents& gain, std::optional<DType> of_gain = {}) {
        row.schedule = "matmul_packed.rms_matmul";
        row.op = "RmsPackedMatmul";
        row.operands.insert(row.operands.begin() + 3, gain);
        row.attributes.set("epsilon", 0x1p-10);
        row.gain = 3;
        row.of_gain = of_gain;
        return row;
    };
    check({
        normalised(packed_row(DType::F16, 4, 128, {{1, 1, 2048}, {40, 1024}, {40, 16}}), {2048}),
        normalised(packed_row(DType::F16, 4, 128, {{3, 1288}, {33, 656}, {33, 11}}), {1288}, DType::F32),
        normalised(packed_row(DType::BF16, 4, 128, {{8, 1024}, {72, 512}, {72, 8}, {72, 8}}), {1024}),
        normalised(packed_row(DType::F16, 8, 0, {{1, 512}, {40, 512}, {40, 1}}), {512}),
        normalised(packed_row(DType::BF16, 8, 0, {{5, 200}, {33, 208}, {33, 1}}), {200}, DType::F32),
        normalised(packed_row(DType::F16, 4, 128, {{2, 640}, {1000, 320}, {1000, 5}}, DType::U8, 1), {640}),
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
