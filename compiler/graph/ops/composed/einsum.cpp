// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/composed/einsum.h"

#include <algorithm>
#include <map>

#include "compiler/graph/ops/contraction/equation.h"

namespace hidet::graph {

namespace {

bool has(const std::string& term, char letter) {
    return term.find(letter) != std::string::npos;
}

struct Operand {
    ValueId value;
    std::string term;
};

class Product {
public:
    Product(Graph& graph, const NodeOrigin& origin) : m_graph(graph), m_origin(origin) {}

    // Extents of the letters; false when they differ, or a term has dots or a letter twice.
    bool learn(const Operand& operand) {
        const Shape& shape = m_graph.value(operand.value).spec.shape;
        if (shape.size() != operand.term.size() || has(operand.term, dots))
            return false;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            if (std::ranges::count(operand.term, operand.term[d]) > 1)
                return false;
            const auto [known, is_new] = m_extents.try_emplace(operand.term[d], shape[d]);
            if (!is_new && !same_dim(known->second, shape[d]))
                return false;
        }
        return true;
    }

    Operand pair(Operand a, Operand b, const std::string& wanted) {
        a = without_lonely(a, b.term, wanted);
        b = without_lonely(b, a.term, wanted);
        std::string batch;
        std::string rows;
        std::string inner;
        std::string columns;
        for (char c : a.term)
            (!has(b.term, c) ? rows : has(wanted, c) ? batch : inner) += c;
        for (char c : b.term)
            if (!has(a.term, c))
                columns += c;
        const ValueId left = matrices(a, batch, rows, inner);
        const ValueId right = matrices(b, batch, inner, columns);
        const ValueId product = m_graph.add_one(op_info::Matmul(), {left, right}, {}, m_origin);
        const Operand result{reshaped(product, extents(batch + rows + columns)), batch + rows + columns};
        return result;
    }

    // The dimensions in another order.
    ValueId arranged(const Operand& operand, const std::string& order) {
        if (operand.term == order)
            return operand.value;
        Ints axes = transformed(order, [&](char c) { return static_cast<std::int64_t>(operand.term.find(c)); });
        return m_graph.add_one(op_info::PermuteDims(), {operand.value}, {{"axes", axes}}, m_origin);
    }

private:
    // Summed over the indices that nothing else has.
    Operand without_lonely(const Operand& operand, const std::string& other, const std::string& wanted) {
        Ints dims;
        std::string kept;
        for (std::size_t d = 0; d < operand.term.size(); ++d)
            if (has(other, operand.term[d]) || has(wanted, operand.term[d]))
                kept += operand.term[d];
            else
                dims.push_back(static_cast<std::int64_t>(d));
        if (dims.empty())
            return operand;
        return {m_graph.add_one(op_info::ReduceSum(), {operand.value}, {{"dims", dims}}, m_origin), kept};
    }
    Shape extents(const std::string& letters) const {
        return transformed(letters, [&](char c) { return m_extents.at(c); });
    }
    ValueId reshaped(ValueId value, const Shape& shape) {
        if (same_shape(m_graph.value(value).spec.shape, shape))
            return value;
        return m_graph.add_one(op_info::Reshape(), {value}, {{"shape", shape}}, m_origin);
    }
    // [batch..., rows, columns], with one dimension for all rows and one for all columns.
    ValueId matrices(const Operand& operand, const std::string& batch, const std::string& rows,
                     const std::string& columns) {
        Shape shape = extents(batch);
        shape.push_back(element_count(extents(rows)));
        shape.push_back(element_count(extents(columns)));
        return reshaped(arranged(operand, batch + rows + columns), shape);
    }

    Graph& m_graph;
    const NodeOrigin& m_origin;
    std::map<char, Dim> m_extents;
};

} // namespace

ValueId einsum(Graph& graph, const std::string& text, const std::vector<ValueId>& operands, const NodeOrigin& origin) {
    const Equation equation = parse_equation(text);
    Product product(graph, origin);
    bool is_product = operands.size() >= 2 && equation.terms.size() == operands.size() && !has(equation.result, dots);
    for (std::size_t i = 0; is_product && i < operands.size(); ++i)
        is_product = product.learn({operands[i], equation.terms[i]});
    if (!is_product)
        return graph.add_one(op_info::Einsum(), operands, {{"equation", text}}, origin);
    Operand result{operands[0], equation.terms[0]};
    for (std::size_t i = 1; i < operands.size(); ++i) {
        std::string wanted = equation.result;
        for (std::size_t later = i + 1; later < operands.size(); ++later)
            wanted += equation.terms[later];
        result = product.pair(result, {operands[i], equation.terms[i]}, wanted);
    }
    return product.arranged(result, equation.result);
}

} // namespace hidet::graph
