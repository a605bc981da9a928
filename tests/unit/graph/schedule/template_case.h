// SPDX-License-Identifier: Apache-2.0
// A template against the definition of its operator, on the emulator with all checks and on a GPU: fused with a bias, an
// activation and a residual. A row says which template takes the operator.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/graph/script/template_provider.h"
#include "lang/base/numeric.h"
#include "lang/tensor/elements.h"
#include "tests/unit/graph/floats.h"
#include "tests/unit/graph/interpret.h"
#include "tests/unit/graph/run_group.h"

namespace hidet::test {

using ir::DType;
using namespace graph;

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
    std::size_t gate = 0;              // which operand is the matrix that it lets through; 0: none
    std::size_t place = 0;             // which operand says what row of the second and third is replaced; 0: none
    std::int64_t at = 0;               // and what it says
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
    ValueId number(std::int64_t value) {
        const ValueId id = m_graph.add_constant(tensor(DType::I64, {1}, {static_cast<double>(value)}), "i");
        m_values[id] = m_graph.value(id).data;
        return id;
    }
    // The row that is replaced is no number, and must not be seen.
    ValueId without_row(const Extents& shape, std::int64_t at) {
        const ValueId id = constant(shape, m_row.dtype);
        lang::Tensor& rows = *m_values[id];
        std::vector<double> values = lang::read_doubles(rows);
        const std::int64_t count = shape[shape.size() - 2];
        for (std::size_t i = 0; i < values.size(); ++i)
            if (static_cast<std::int64_t>(i) / shape.back() % count == (at + count) % count)
                values[i] = std::nan("");
        lang::write_doubles(rows, values);
        return id;
    }
    ValueId operand(const Row& row, std::size_t i) {
        if (row.place > 0 && i == row.place)
            return number(row.at);
        if (row.place > 0 && (i == 1 || i == 2))
            return without_row(row.operands[i], row.at);
        if (row.gain > 0 && i == row.gain)
            return constant(row.operands[i], row.of_gain.value_or(row.dtype));
        const bool is_matrix = i == 1 || (row.gate > 0 && i == row.gate);
        if (is_matrix && row.packed)
            return packed(row.operands[i], *row.packed);
        if (i >= 2 && row.packed)
            return of_groups(row.operands[i], i == 2 || (row.gate > 0 && i == row.gate + 1));
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

inline void check(const std::vector<Row>& rows) {
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

} // namespace hidet::test
