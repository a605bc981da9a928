// SPDX-License-Identifier: Apache-2.0
// Functions of one variable that exporters spell out, in any spelling.
//
// The operators between a value x and the root that have no other operand than x and scalar constants make up a function
// f(x). Patterns of operators would have to know every order of operands and every way to write a constant; instead f is
// computed at some points and compared with the function that is looked for. All operators that are allowed in f are
// analytic, and so is what it is compared with, so functions that agree at that many points within rounding are the same
// formula: other constants, were they off by a hundredth of a percent, are told apart.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "compiler/graph/passes/rules/rules.h"

namespace hidet::graph {

namespace {

constexpr std::size_t most_operators = 16;
constexpr std::array points = {-6.1, -4.3, -3.1, -2.3, -1.6, -1.1, -0.7, -0.31, -0.05,
                               0.02, 0.23, 0.6,  0.97, 1.4,  2.1,  2.9,  3.7,   5.3};
using Values = std::array<double, points.size()>;

// Of a function of reals, in terms of its operands.
bool is_analytic(const Graph& graph, NodeId node) {
    return node.valid() &&
           graph.node(node).is_any_of({OpId::Add, OpId::Subtract, OpId::Multiply, OpId::Divide, OpId::Pow, OpId::Square,
                                       OpId::Cube, OpId::Negative, OpId::Reciprocal, OpId::Exp, OpId::Erf, OpId::Tanh,
                                       OpId::Sigmoid});
}

double applied(OpId op, double a, double b) {
    switch (op) {
    case OpId::Add: return a + b;
    case OpId::Subtract: return a - b;
    case OpId::Multiply: return a * b;
    case OpId::Divide: return a / b;
    case OpId::Pow: return std::pow(a, b);
    case OpId::Square: return a * a;
    case OpId::Cube: return a * a * a;
    case OpId::Negative: return -a;
    case OpId::Reciprocal: return 1 / a;
    case OpId::Exp: return std::exp(a);
    case OpId::Erf: return std::erf(a);
    case OpId::Tanh: return std::tanh(a);
    case OpId::Sigmoid: return 1 / (1 + std::exp(-a));
    default: return std::nan("");
    }
}

// The operators around the root that could be part of f.
class Region {
public:
    Region(const Rewriting& rewriting, NodeId root) : m_rewriting(rewriting), m_root(root) { collect(root); }

    bool has(OpId op) const {
        return std::ranges::any_of(m_nodes, [&](NodeId node) { return m_rewriting.is(node, op); });
    }
    // Values that f could be a function of: operands in the region that are no scalar constant, those nearest to the
    // inputs of the graph last.
    std::vector<ValueId> variables() const {
        std::vector<ValueId> result;
        for (NodeId node : m_nodes)
            for (ValueId input : m_rewriting.graph.node(node).inputs)
                if (!m_rewriting.scalar(input) && std::ranges::find(result, input) == result.end())
                    result.push_back(input);
        return result;
    }
    // f at all points; nothing when the root depends on something else, or others read what is between.
    std::optional<Values> values(ValueId variable) const {
        std::vector<std::pair<ValueId, Values>> known;
        Values x;
        std::ranges::copy(points, x.begin());
        known.emplace_back(variable, x);
        return value_of(m_rewriting.output(m_root), known);
    }

private:
    void collect(NodeId node) {
        if (!is_analytic(m_rewriting.graph, node) || m_nodes.size() >= most_operators ||
            std::ranges::find(m_nodes, node) != m_nodes.end())
            return;
        m_nodes.push_back(node);
        for (ValueId input : m_rewriting.graph.node(node).inputs)
            collect(m_rewriting.graph.value(input).producer);
    }
    bool is_inside(NodeId node) const { return std::ranges::find(m_nodes, node) != m_nodes.end(); }
    bool is_read_inside_only(ValueId id) const {
        const Value& value = m_rewriting.graph.value(id);
        return value.producer == m_root ||
               (!m_rewriting.graph.is_output(id) &&
                std::ranges::all_of(value.uses, [&](const Use& use) { return is_inside(use.node); }));
    }
    std::optional<Values> value_of(ValueId id, std::vector<std::pair<ValueId, Values>>& known) const {
        for (const auto& [value, values] : known)
            if (value == id)
                return values;
        Values result;
        if (const auto scalar = m_rewriting.scalar(id)) {
            result.fill(*scalar);
            return result;
        }
        const NodeId node = m_rewriting.graph.value(id).producer;
        if (!node.valid() || !is_inside(node) || !is_read_inside_only(id))
            return std::nullopt;
        const std::vector<ValueId>& inputs = m_rewriting.graph.node(node).inputs;
        const auto a = value_of(inputs[0], known);
        const auto b = a && inputs.size() > 1 ? value_of(inputs[1], known) : a;
        if (!b)
            return std::nullopt;
        for (std::size_t i = 0; i < result.size(); ++i)
            result[i] = applied(m_rewriting.graph.node(node).op->id, (*a)[i], (*b)[i]);
        known.emplace_back(id, result);
        return result;
    }

    const Rewriting& m_rewriting;
    NodeId m_root;
    std::vector<NodeId> m_nodes;
};

bool is_close(const Values& values, double (*wanted)(double), ir::DType dtype) {
    const double tolerance = dtype == ir::DType::F64 ? 1e-9 : dtype == ir::DType::F32 ? 1e-6 : 2e-3;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double expected = wanted(points[i]);
        if (!(std::abs(values[i] - expected) <= tolerance * std::max(std::abs(expected), 0.05)))
            return false;
    }
    return true;
}

double gelu_by_erf(double x) {
    return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
}
double gelu_by_tanh(double x) {
    const double factor = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    return 0.5 * x * (1 + std::tanh(factor * (x + 0.044715 * x * x * x)));
}
double silu(double x) {
    return x / (1 + std::exp(-x));
}

bool replace_function(Rewriting& rewriting, NodeId root, const Region& region, double (*wanted)(double), OpId op,
                      const Attributes& attributes) {
    const TensorSpec& result = rewriting.spec(rewriting.output(root));
    for (ValueId x : region.variables()) {
        const TensorSpec& given = rewriting.spec(x);
        if (given.dtype != result.dtype || !ir::is_float(given.dtype) || !same_shape(given.shape, result.shape))
            continue;
        const auto values = region.values(x);
        if (!values || !is_close(*values, wanted, given.dtype))
            continue;
        return rewriting.becomes(root, rewriting.add(op, {x}, attributes));
    }
    return false;
}

} // namespace

bool recognise_gelu(Rewriting& rewriting, NodeId root) {
    const Region region(rewriting, root);
    if (region.has(OpId::Erf))
        return replace_function(rewriting, root, region, gelu_by_erf, OpId::Gelu, {{"approximate", false}});
    if (region.has(OpId::Tanh))
        return replace_function(rewriting, root, region, gelu_by_tanh, OpId::Gelu, {{"approximate", true}});
    return false;
}

bool recognise_silu(Rewriting& rewriting, NodeId root) {
    const Region region(rewriting, root);
    return (region.has(OpId::Sigmoid) || region.has(OpId::Exp)) &&
           replace_function(rewriting, root, region, silu, OpId::Silu, {});
}

} // namespace hidet::graph
