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
#include <set>

#include "compiler/graph/passes/rules/rules.h"

namespace hidet::graph {

namespace {

constexpr std::size_t most_operators = 16;
constexpr std::array points = {-6.1, -4.3, -3.1, -2.3, -1.6, -1.1, -0.7, -0.31, -0.05,
                               0.02, 0.23, 0.6,  0.97, 1.4,  2.1,  2.9,  3.7,   5.3};
using Values = std::array<double, points.size()>;

enum class Kind : std::uint8_t {
    None,
    Add,
    Subtract,
    Multiply,
    Divide,
    Pow,
    Square,
    Cube,
    Negative,
    Reciprocal,
    Exp,
    Erf,
    Tanh,
    Sigmoid
};
constexpr const char* kind_names[] = {"",     "Add",      "Subtract",   "Multiply", "Divide", "Pow",  "Square",
                                      "Cube", "Negative", "Reciprocal", "Exp",      "Erf",    "Tanh", "Sigmoid"};

Kind kind_of(const Graph& graph, NodeId node) {
    if (!node.valid())
        return Kind::None;
    const auto found = std::ranges::find(kind_names, std::string_view(graph.node(node).op->name));
    return found == std::end(kind_names) ? Kind::None : static_cast<Kind>(found - kind_names);
}

double applied(Kind kind, double a, double b) {
    switch (kind) {
    case Kind::Add: return a + b;
    case Kind::Subtract: return a - b;
    case Kind::Multiply: return a * b;
    case Kind::Divide: return a / b;
    case Kind::Pow: return std::pow(a, b);
    case Kind::Square: return a * a;
    case Kind::Cube: return a * a * a;
    case Kind::Negative: return -a;
    case Kind::Reciprocal: return 1 / a;
    case Kind::Exp: return std::exp(a);
    case Kind::Erf: return std::erf(a);
    case Kind::Tanh: return std::tanh(a);
    case Kind::Sigmoid: return 1 / (1 + std::exp(-a));
    case Kind::None: break;
    }
    return std::nan("");
}

// The operators around the root that could be part of f.
class Region {
public:
    Region(const Rewriting& rewriting, NodeId root) : m_rewriting(rewriting), m_root(root) { collect(root); }

    bool has(Kind kind) const {
        return std::ranges::any_of(m_nodes, [&](NodeId node) { return kind_of(m_rewriting.graph, node) == kind; });
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
        if (kind_of(m_rewriting.graph, node) == Kind::None || m_nodes.size() >= most_operators ||
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
            result[i] = applied(kind_of(m_rewriting.graph, node), (*a)[i], (*b)[i]);
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

bool replace_function(Rewriting& rewriting, NodeId root, const Region& region, double (*wanted)(double),
                      std::string_view op, const Attributes& attributes) {
    const TensorSpec& result = rewriting.spec(rewriting.output(root));
    for (ValueId x : region.variables()) {
        const TensorSpec& given = rewriting.spec(x);
        if (given.dtype != result.dtype || !ir::is_float(given.dtype) || !same_shape(given.shape, result.shape))
            continue;
        const auto values = region.values(x);
        if (!values || !is_close(*values, wanted, given.dtype))
            continue;
        rewriting.replace(rewriting.output(root), rewriting.add(op, {x}, attributes));
        return true;
    }
    return false;
}

} // namespace

bool recognise_gelu(Rewriting& rewriting, NodeId root) {
    const Region region(rewriting, root);
    if (region.has(Kind::Erf))
        return replace_function(rewriting, root, region, gelu_by_erf, "Gelu", {{"approximate", false}});
    if (region.has(Kind::Tanh))
        return replace_function(rewriting, root, region, gelu_by_tanh, "Gelu", {{"approximate", true}});
    return false;
}

bool recognise_silu(Rewriting& rewriting, NodeId root) {
    const Region region(rewriting, root);
    return (region.has(Kind::Sigmoid) || region.has(Kind::Exp)) &&
           replace_function(rewriting, root, region, silu, "Silu", {});
}

} // namespace hidet::graph
