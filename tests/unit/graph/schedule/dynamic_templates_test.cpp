// SPDX-License-Identifier: Apache-2.0
// Operators whose extents are known only when they run, scheduled by templates: one program, run for several sizes on the
// emulator with all checks and on a GPU, against the definition of the operator. Behind it stand an activation and a residual.
#include <doctest/doctest.h>

#include <optional>

#include "compiler/graph/script/dynamic_schedule.h"
#include "compiler/graph/script/template_provider.h"
#include "lang/base/text.h"
#include "tests/unit/graph/floats.h"
#include "tests/unit/graph/interpret.h"
#include "tests/unit/graph/run_group.h"

using hidet::ir::DType;
using namespace hidet;
using namespace hidet::test;
using namespace hidet::graph;

namespace {

struct DynamicRow {
    std::vector<const char*> schedules; // of small sizes to large ones; what comes last may leave the rest to the rules
    const char* op;
    DType dtype;
    std::vector<const char*> operands; // shapes: "n, 64"; those without a symbol are constants
    Attributes attributes = {};
    std::vector<SymbolValues> sizes = {};
    int multiprocessors = 4;
    DType others = DType::F16;        // of the constants
    std::optional<DType> packed = {}; // of the first of them, where it is of few bits
};

Shape shape_in(const std::string& text) {
    Shape shape;
    for (const std::string& extent : split(text, ','))
        shape.push_back(parse_dim(trimmed(extent)));
    return shape;
}

std::vector<std::int64_t> extents_with(const Shape& shape, const SymbolValues& symbols) {
    std::vector<std::int64_t> extents;
    for (const Dim& each : shape) {
        const auto constant = constant_of(each);
        extents.push_back(constant ? *constant : symbols.at(symbols_of({each}).front()));
    }
    return extents;
}

class DynamicCase {
public:
    explicit DynamicCase(const DynamicRow& row) : m_row(row) {
        std::vector<ValueId> operands;
        for (const char* text : row.operands) {
            const Shape shape = shape_in(text);
            operands.push_back(constant_shape(shape) ? constant(*constant_shape(shape), m_constants.empty())
                                                     : input(shape));
        }
        const ValueId made = m_graph.add_one(*find_op(row.op), operands, row.attributes);
        const ValueId active = m_graph.add_one(op_info::Relu(), {made});
        m_graph.set_outputs({m_graph.add_one(op_info::Add(), {active, input(m_graph.value(made).spec.shape)})});
    }

    void check(Backend backend) {
        GroupRunner runner(backend);
        if (!runner.is_there())
            return;
        const Partition groups = partition(m_graph);
        REQUIRE(groups.groups.size() == 1u);
        artifact::TargetSpec target = runner.target();
        target.multiprocessors = m_row.multiprocessors;
        SourceMap sources;
        DiagnosticSink sink;
        const ScriptTemplates templates(sources, sink, our_templates());
        const auto schedule = templates.schedule({m_graph, groups.groups[0].anchor, target}, "");
        REQUIRE_MESSAGE(sink.all().empty(), render(sink.all(), sources));
        REQUIRE(schedule);
        CHECK(join(names_in(*schedule), ", ") == join({m_row.schedules.begin(), m_row.schedules.end()}, ", "));
        const GroupProgram program = lower_group(m_graph, groups.groups[0], target, &*schedule);
        for (const SymbolValues& sizes : m_row.sizes) {
            CAPTURE(sizes.begin()->second);
            Values values = m_constants;
            for (const ValueId id : m_inputs)
                values[id] =
                    random_tensor(m_row.dtype, extents_with(m_graph.value(id).spec.shape, sizes), id.index + 1);
            Values expected = values;
            runner.run(m_graph, program, values, sizes);
            interpret(m_graph, expected, sizes);
            const ValueId result = m_graph.outputs()[0];
            expect_close(values.at(result), values_of(expected.at(result)), m_row.dtype == DType::BF16 ? 3e-2 : 4e-3);
        }
    }

private:
    static std::vector<std::string> names_in(const AnchorSchedule& schedule) {
        std::vector<std::string> names;
        for (const AnchorSchedule* each = &schedule; each; each = each->otherwise.get())
            if (names.empty() || names.back() != each->name)
                names.push_back(each->name);
        return names;
    }
    ValueId input(const Shape& shape) {
        m_inputs.push_back(m_graph.add_input("x", {m_row.dtype, shape}));
        return m_inputs.back();
    }
    ValueId constant(const std::vector<std::int64_t>& shape, bool is_first) {
        const DType dtype = is_first ? m_row.packed.value_or(m_row.others) : m_row.others;
        const lang::TensorRef data = random_tensor(dtype, shape, m_constants.size() + 1);
        const ValueId id = m_graph.add_constant(data, "w");
        m_constants[id] = data;
        return id;
    }

    const DynamicRow& m_row;
    Graph m_graph;
    std::vector<ValueId> m_inputs;
    Values m_constants;
};

void check_dynamic(const std::vector<DynamicRow>& rows) {
    for (const DynamicRow& row : rows)
        for (Backend backend : {Backend::Emulated, Backend::Gpu}) {
            CAPTURE(row.op);
            DynamicCase(row).check(backend);
        }
}

std::vector<SymbolValues> of_n(const std::vector<std::int64_t>& values) {
    std::vector<SymbolValues> all;
    for (const std::int64_t value : values)
        all.push_back({{"n", value}});
    return all;
}

} // namespace

TEST_CASE("products of any number of rows") {
    check_dynamic({
        {{"matmul_few_rows.matmul", "matmul_wgmma", "matmul_large.matmul"},
         "Matmul",
         DType::F16,
         {"n, 72", "72, 136"},
         {},
         of_n({1, 3, 64, 70, 300})},
        {{"matmul_few_rows.matmul", "matmul_wgmma", "matmul_large.matmul"},
         "Matmul",
         DType::F16,
         {"n, s, 64", "200, 64"},
         {{"transpose_b", true}},
         {{{"n", 1}, {"s", 1}}, {{"n", 3}, {"s", 17}}, {{"n", 2}, {"s", 130}}}},
        {{"matmul_few_rows.matmul", "matmul_wgmma", "matmul_large.matmul"},
         "Matmul",
         DType::F16,
         {"n, 2048", "2048, 72"},
         {},
         of_n({1, 65}),
         132}, // a split sum
        {{"matmul_wgmma", "matmul_large.matmul"}, "Matmul", DType::F16, {"n, 90, 64", "n, 64, 40"}, {}, of_n({1, 5})},
        {{"product_simt.matmul"}, "Matmul", DType::F32, {"n, 3, 70", "70, 45"}, {}, of_n({1, 40}), 4, DType::F32},
        {{"product_simt.matmul"}, "Matmul", DType::F32, {"n, 9, 31", "n, 31, 7"}, {}, of_n({1, 4})},
        {{"product_simt.matmul"}, "Matmul", DType::F32, {"n, 3, 4, 5", "2, 3, 5, 6"}, {}, of_n({2}), 4, DType::F32},
        {{"product_simt.matmul", "product_tf32.matmul"},
         "Matmul",
         DType::F32,
         {"n, 96", "96, 72"},
         {{"precision", std::string("tf32")}},
         of_n({1, 70}),
         4,
         DType::F32},
    });
}

TEST_CASE("products of any number of rows with matrices of few bits") {
    DynamicRow row = {{"matmul_packed.matmul"}, "PackedMatmul", DType::F16, {"n, 256", "40, 128", "40, 2"}};
    row.attributes = {{"group_size", std::int64_t{128}}};
    row.sizes = of_n({1, 3, 64, 70, 300});
    row.packed = DType::U8;
    check_dynamic({row});
}

TEST_CASE("convolutions and pools of any number of images") {
    const Attributes padded = {{"padding", Ints{1, 1, 1, 1}}};
    const Attributes window = {{"kernel", Ints{3, 3}}, {"stride", Ints{2, 2}}, {"padding", Ints{1, 1, 1, 1}}};
    check_dynamic({
        {{"conv_wgmma"}, "Conv2dChannelLast", DType::F16, {"n, 9, 7, 64", "72, 64, 3, 3"}, padded, of_n({1, 2, 5})},
        {{"conv_wgmma"}, "Conv2dChannelLast", DType::F16, {"n, 5, 5, 64", "40, 64, 1, 1"}, {}, of_n({1, 7}), 132},
        {{"conv_wgmma", "matmul_large.convolution"},
         "Conv2dChannelLast",
         DType::F16,
         {"n, 7, 9, 64", "136, 64, 1, 1"},
         {},
         of_n({1, 11})},
        {{"conv_direct"}, "Conv2dChannelLast", DType::F16, {"n, 17, 18, 3", "33, 3, 3, 3"}, padded, of_n({1, 4})},
        {{"conv_depthwise"},
         "Conv2dChannelLast",
         DType::F16,
         {"n, 9, 7, 24", "24, 1, 3, 3"},
         {{"padding", Ints{1, 1, 1, 1}}, {"groups", std::int64_t(24)}},
         of_n({1, 3})},
        {{"conv_grouped"},
         "Conv2dChannelLast",
         DType::F16,
         {"n, 8, 8, 64", "128, 16, 3, 3"},
         {{"padding", Ints{1, 1, 1, 1}}, {"groups", std::int64_t(4)}},
         of_n({1, 3})},
        {{"pool.max_pool2d"}, "MaxPool2dChannelLast", DType::F16, {"n, 9, 8, 24"}, window, of_n({1, 3, 40})},
        {{"reduce.adaptive_avg_pool2d_channel_last"},
         "AdaptiveAvgPool2dChannelLast",
         DType::F16,
         {"n, 7, 7, 40"},
         {{"output_size", Ints{1, 1}}},
         of_n({1, 3, 40})},
    });
}

TEST_CASE("any number of rows that are normalised, summed or looked up") {
    const Attributes last = {{"dims", Ints{1}}, {"epsilon", 1e-5}};
    check_dynamic({
        {{"normalize.normalize"}, "Normalize", DType::F16, {"n, 96"}, last, of_n({1, 5, 200})},
        {{"normalize_groups"},
         "NormalizeChannelLast",
         DType::F16,
         {"n, 5, 5, 64"},
         {{"groups", std::int64_t(8)}},
         of_n({1, 9})},
        {{"softmax.softmax"}, "Softmax", DType::F16, {"n, 3, 40"}, {{"axis", std::int64_t(-1)}}, of_n({1, 5, 200})},
        {{"reduce.reduce_max"},
         "ReduceMax",
         DType::F16,
         {"n, 500"},
         {{"dims", Ints{1}}, {"keepdims", true}},
         of_n({1, 6, 70})},
    });
}

TEST_CASE("attention over any number of keys") {
    const Attributes rows = {{"is_causal", true}, {"transpose_k", true}, {"scale", 0.125}};
    const Attributes columns = {{"is_causal", false}, {"scale", 0.3}};
    const std::vector<SymbolValues> sizes = {{{"n", 1}, {"s", 1}},
                                             {{"n", 3}, {"s", 17}},
                                             {{"n", 2}, {"s", 130}},
                                             {{"n", 1}, {"s", 200}},
                                             {{"n", 1}, {"s", 530}}};
    check_dynamic({
        {{"attention_mma.attention", "attention_short.attention", "attention_wgmma.attention"},
         "Attn",
         DType::F16,
         {"n, 2, s, 64", "n, 1, s, 64", "n, 1, s, 64"},
         rows,
         sizes},
        {{"attention_mma.attention"},
         "Attn",
         DType::F16,
         {"n, 2, s, 16", "n, 2, 16, s", "n, 2, s, 16"},
         columns,
         sizes},
        {{"attention_mma.attention_with_mask"},
         "AttnMaskAdd",
         DType::BF16,
         {"n, 2, s, 16", "n, 2, s, 16", "n, 2, s, 16", "n, 1, s, s"},
         {{"transpose_k", true}, {"scale", 0.3}},
         {{{"n", 1}, {"s", 1}}, {{"n", 2}, {"s", 33}}}},
    });
}

TEST_CASE("symbols where no template takes them, and vectors of short sums, are left to the rules") {
    SourceMap sources;
    DiagnosticSink sink;
    const ScriptTemplates templates(sources, sink, our_templates());
    Graph graph;
    const auto input = [&](const char* shape) { return graph.add_input("x", {DType::F16, shape_in(shape)}); };
    const auto has_template = [&](ValueId y) {
        return templates.schedule({graph, graph.value(y).producer, artifact::default_gpu()}, "").has_value();
    };
    const ValueId row = graph.add_one(op_info::Softmax(), {input("4, n")}, {{"axis", std::int64_t(-1)}});
    const ValueId few = graph.add_one(op_info::Matmul(), {input("b, 64, 9"), input("b, 9, 1")});
    const ValueId many = graph.add_one(op_info::Matmul(), {input("b, 64, 90"), input("b, 90, 1")});
    graph.set_outputs({row, few, many});
    CHECK(!has_template(row));
    CHECK(!has_template(few));
    CHECK(has_template(many));
    CHECK(sink.all().empty());
}
