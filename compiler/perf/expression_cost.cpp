// SPDX-License-Identifier: Apache-2.0
#include "compiler/perf/expression_cost.h"

#include <algorithm>

#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/rewrite.h"

namespace hidet::perf {

using namespace ir;

namespace {

constexpr int division_cost = 4;
constexpr int usual_function_cost = 16; // exp, tanh, ...
constexpr int cheap = 4;
constexpr int memory_cost = 16; // of writing an element and reading it back

bool is_simple_function(IntrinsicId id) {
    switch (id) {
    case IntrinsicId::Abs:
    case IntrinsicId::Min:
    case IntrinsicId::Max:
    case IntrinsicId::Fma:
    case IntrinsicId::Floor:
    case IntrinsicId::Ceil:
    case IntrinsicId::Trunc:
    case IntrinsicId::IsNan:
    case IntrinsicId::IsInf:
    case IntrinsicId::IsFinite:
    case IntrinsicId::Bitcast: return true;
    default: return false;
    }
}

bool is_real(const TypeRef& type) {
    const auto dtype = scalar_of(type);
    return dtype && (is_float(*dtype) || is_complex(*dtype));
}

// Sums up a tree; tells for each part of it whether it depends on elements.
class CostWalker : public Walker {
public:
    int cost = 0;

protected:
    using Walker::visit;
    void visit(const Binary& expr) override {
        const bool has_values = walk_parts(expr);
        if (is_division(expr.op))
            cost += constant_int(expr.b) && is_power_of_two(*constant_int(expr.b)) ? 1 : division_cost;
        else
            cost += has_values;
    }
    void visit(const Select& expr) override { cost += walk_parts(expr); }
    void visit(const Cast& expr) override { cost += walk_parts(expr); }
    void visit(const Intrinsic& expr) override {
        const bool has_values = walk_parts(expr);
        cost += !is_simple_function(expr.id) ? usual_function_cost : has_values;
    }
    void visit(const TensorElement& expr) override {
        walk_children(expr);
        m_has_values = true;
    }
    void visit(const Let& expr) override {
        const bool has_values = walk_parts(expr);
        m_has_values = m_has_values || has_values;
    }

private:
    template <class T>
    bool walk_parts(const T& expr) {
        const bool outer = m_has_values;
        m_has_values = false;
        walk_children(expr);
        const bool has_values = m_has_values;
        m_has_values = outer || has_values;
        return has_values;
    }
    static bool is_power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

    bool m_has_values = false;
};

double estimate_binary(const Binary& expr) {
    const double a = estimate(expr.a);
    const double b = estimate(expr.b);
    switch (expr.op) {
    case BinOp::Add: return a + b;
    case BinOp::Sub: return std::max(a - b, 0.0);
    case BinOp::Mul: return a * b;
    case BinOp::Div:
    case BinOp::FloorDiv: return b == 0 ? a : a / b;
    case BinOp::Mod:
    case BinOp::FloorMod: return std::min(a, b);
    default: return 1;
    }
}

} // namespace

std::int64_t operations_in(const ExprRef& expr) {
    std::int64_t count = 0;
    each_node(
        expr, [&](const Binary& node) { count += is_real(node.a->type); },
        [&](const Unary& node) { count += is_real(node.type); },
        [&](const Intrinsic& node) { count += !node.args.empty() && is_real(node.args[0]->type); },
        [](const TensorElement&) { return false; }); // indices are integers
    return count;
}

int cost_of(const ExprRef& value) {
    CostWalker walker;
    walker.walk(NodeRef(value));
    return walker.cost;
}

double estimate(const ExprRef& extent) {
    if (const auto constant = constant_int(extent))
        return static_cast<double>(*constant);
    if (const auto* binary = as<Binary>(extent))
        return estimate_binary(*binary);
    if (const auto* cast = as<Cast>(extent))
        return estimate(cast->a);
    return 64;
}

double estimate(const ExprVec& extents) {
    double count = 1;
    for (const ExprRef& extent : extents)
        count *= estimate(extent);
    return count;
}

bool is_cheaper_again(int cost, double evaluations, double elements) {
    return cost <= cheap || evaluations * cost <= elements * (cost + memory_cost);
}

} // namespace hidet::perf
