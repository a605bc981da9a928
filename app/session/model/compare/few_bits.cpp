// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/compare/few_bits.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/core/data.h"

namespace hidet::session {

using namespace graph;
using lang::Doubles;

namespace {

constexpr std::int64_t most_rows = 16; // that are multiplied, of those that a run has

// By value: it depends on constants alone.
std::vector<bool> constant_values(const Graph& graph) {
    std::vector<bool> out(graph.value_slots());
    const auto is_constant = [&](ValueId id) { return !id.valid() || out[id.index] || graph.value(id).is_constant(); };
    for (const NodeId id : graph.topological()) {
        const Node& node = graph.node(id);
        if (std::ranges::all_of(node.inputs, is_constant))
            for (const ValueId output : node.outputs)
                out[output.index] = true;
    }
    return out;
}

// What has the same elements in the same order: a run computes no others for it.
ValueId before_views(const Graph& graph, ValueId value) {
    while (graph.value(value).producer.valid() && graph.node(graph.value(value).producer).op->shares_memory)
        value = graph.node(graph.value(value).producer).inputs[0];
    return value;
}

class Values {
public:
    Values(const Graph& graph, const ReferenceValues& reference, const Tensors& inputs)
        : m_graph(graph), m_reference(reference), m_inputs(inputs) {}

    // Empty: not known.
    Doubles of(ValueId id) const {
        if (const auto found = m_reference.find(id.index); found != m_reference.end())
            return found->second;
        if (const lang::TensorRef& data = m_graph.value(id).data; data && data->has_data())
            return lang::read_doubles(*data);
        const auto input = std::ranges::find(m_graph.inputs, id);
        return input == m_graph.inputs.end()
                   ? Doubles()
                   : lang::read_doubles(*m_inputs[static_cast<std::size_t>(input - m_graph.inputs.begin())]);
    }

private:
    const Graph& m_graph;
    const ReferenceValues& m_reference;
    const Tensors& m_inputs;
};

// Of a matrix [n, k].
struct Rounded {
    Doubles matrix, change;
    std::int64_t n, k;
};

Rounded rounded(const lang::Tensor& matrix, bool is_transposed, const QuantizedWeight& weight) {
    Rounded out{{}, {}, matrix.shape[is_transposed ? 0 : 1], matrix.shape[is_transposed ? 1 : 0]};
    const Doubles given = lang::read_doubles(matrix);
    const lang::TensorRef few = unpacked(weight, out.k);
    const auto* numbers = reinterpret_cast<const float*>(few->read());
    for (std::int64_t row = 0; row < out.n; ++row)
        for (std::int64_t at = 0; at < out.k; ++at) {
            const double number = given[static_cast<std::size_t>(is_transposed ? row * out.k + at : at * out.n + row)];
            out.matrix.push_back(number);
            out.change.push_back(numbers[row * out.k + at] - number);
        }
    return out;
}

// The root of the mean square of what the change makes of the result, over that of the result.
double result_error(const Doubles& rows, const Rounded& weight) {
    const auto count = static_cast<std::int64_t>(rows.size()) / weight.k;
    const std::int64_t taken = std::min(count, most_rows);
    double change = 0, square = 0;
    for (std::int64_t i = 0; i < taken; ++i)
        for (std::int64_t column = 0; column < weight.n; ++column) {
            const double* row = rows.data() + i * count / taken * weight.k;
            double made = 0, lost = 0;
            for (std::int64_t at = 0; at < weight.k; ++at) {
                const auto place = static_cast<std::size_t>(column * weight.k + at);
                made += row[at] * weight.matrix[place];
                lost += row[at] * weight.change[place];
            }
            square += made * made;
            change += lost * lost;
        }
    return square > 0 ? std::sqrt(change / square) : 0;
}

} // namespace

std::vector<FewBitsProduct> few_bits_products(const Graph& imported) {
    const std::vector<bool> are_constant = constant_values(imported);
    std::vector<FewBitsProduct> out;
    for (const NodeId id : imported.topological()) {
        const Node& node = imported.node(id);
        if (!node.is(OpId::Matmul))
            continue;
        const Value& matrix = imported.value(node.inputs[1]);
        const bool is_known = matrix.is_constant() || are_constant[node.inputs[1].index];
        if (is_known && ir::is_float(matrix.spec.dtype) && constant_shape(matrix.spec.shape) &&
            matrix.spec.shape.size() == 2)
            out.push_back({id, before_views(imported, node.inputs[0]), before_views(imported, node.inputs[1])});
    }
    return out;
}

std::vector<ModelFewBits> few_bits_errors(const Graph& imported, const std::vector<FewBitsProduct>& products,
                                          const ReferenceValues& reference, const Tensors& inputs,
                                          const QuantizeKind& kind) {
    const Values values(imported, reference, inputs);
    std::vector<ModelFewBits> out;
    for (const FewBitsProduct& each : products) {
        const Doubles rows = values.of(each.rows), numbers = values.of(each.matrix);
        if (rows.empty() || numbers.empty())
            continue;
        const Shape& shape = imported.value(imported.node(each.node).inputs[1]).spec.shape;
        const lang::TensorRef matrix = tensor_of(ir::DType::F32, *constant_shape(shape), numbers);
        const bool is_transposed = imported.node(each.node).get<bool>("transpose_b");
        const QuantizedWeight weight = quantized(*matrix, is_transposed, kind);
        if (!weight.numbers)
            continue;
        out.push_back({name_of(imported, each.node), each.node.index, text_of(shape), weight.error,
                       result_error(rows, rounded(*matrix, is_transposed, weight))});
    }
    std::ranges::stable_sort(out, std::greater(), &ModelFewBits::result_error);
    return out;
}

} // namespace hidet::session
