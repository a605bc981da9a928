// SPDX-License-Identifier: Apache-2.0
// One walk evaluates definitions symbolically. A value is a case tree: Selects outside, arithmetic without any inside, so
// that arithmetic on constants in branches folds, and branches that are equal join. An index of the result is a symbol of its
// own, known to be below its extent; with that most comparisons are decided. What is found of a branch that is never taken may
// be about elements that do not exist, and does no harm: nobody reads it.
#include "compiler/graph/core/closed_form.h"

#include <map>

#include "compiler/graph/core/dim_form.h"
#include "compiler/graph/core/task.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "lang/base/text.h"
#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

using ir::BinOp;
using ir::ExprRef;

class NotClosed {};

constexpr int most_steps = 20'000;
constexpr std::int64_t most_elements = 1 << 22; // of a constant
constexpr std::int64_t most_counted = 1 << 30;
constexpr int most_depth = 200; // of calls of evaluate(): a hundred operators in a row

bool is_number(const ExprRef& expr) {
    return expr->kind == ir::Kind::Constant;
}

bool is_bool(const ExprRef& expr) {
    return ir::scalar_of(expr->type) == ir::DType::Bool;
}

bool is_integer(const ExprRef& expr) {
    return ir::scalar_of(expr->type) == ir::DType::I64;
}

// The element of a vector whose elements are as far from each other as the first two, as of an Arange; null: it is none.
ExprRef counted_number(const lang::Tensor& data, const Shape& indices) {
    const auto axis = std::ranges::find(data.shape, data.count());
    if (!ir::is_integer(data.dtype) || data.dtype == ir::DType::Bool || axis == data.shape.end())
        return nullptr;
    const std::vector<std::int64_t> elements = lang::read_integers(data);
    const auto is_far = [](std::int64_t element) { return element > most_counted || element < -most_counted; };
    if (std::ranges::any_of(elements, is_far))
        return nullptr;
    const std::int64_t first = elements[0], step = elements[1] - first;
    for (std::size_t i = 2; i < elements.size(); ++i)
        if (elements[i] - elements[i - 1] != step)
            return nullptr;
    const Dim& index = indices[static_cast<std::size_t>(axis - data.shape.begin())];
    return in_one_form(ir::add(dim(first), ir::mul(dim(step), index)));
}

ExprRef number(const lang::Tensor& data, std::size_t at) {
    if (data.dtype == ir::DType::Bool)
        return ir::bool_constant(lang::read_doubles(data)[at] != 0);
    if (ir::is_integer(data.dtype))
        return dim(lang::read_integers(data)[at]);
    if (!ir::is_float(data.dtype))
        throw NotClosed();
    return ir::float_constant(lang::read_doubles(data)[at], data.dtype);
}

ExprRef negated(const ExprRef& condition) {
    if (const auto* cases = ir::as<ir::Select>(condition))
        return ir::select(cases->condition, negated(cases->a), negated(cases->b));
    if (const auto* twice = ir::as<ir::Unary>(condition))
        return twice->a;
    if (const auto* least = ir::as<ir::Binary>(condition); least && least->op == BinOp::Le)
        return ir::less_equal(dim(0), in_one_form(ir::sub(dim(-1), least->b)));
    return ir::logical_not(condition);
}

class Evaluator {
public:
    explicit Evaluator(const Graph& graph) : m_graph(graph) {}

    ClosedForm form_of(ValueId value) {
        ClosedForm form;
        for (const Dim& extent : m_graph.value(value).spec.shape)
            form.indices.push_back(fresh(extent));
        form.element = element(value, form.indices);
        return form;
    }

private:
    struct Scope { // of a stage
        const Node& node;
        std::map<const ir::Var*, ExprRef> values;
    };

    // An index below the extent.
    ExprRef fresh(const Dim& extent) {
        const std::string name = cat("index.", m_limits.size());
        m_limits[name] = extent;
        return symbol_dim(name);
    }

    ExprRef element(ValueId id, const Shape& indices) {
        const Value& value = m_graph.value(id);
        if (value.is_constant())
            return constant(*value.data, indices);
        const Node* node = value.producer.valid() ? &m_graph.node(value.producer) : nullptr;
        if (!node || !node->task || node->task->is_opaque)
            throw NotClosed();
        const auto place = std::ranges::find(node->outputs, id) - node->outputs.begin();
        return stage(*node, *node->task->stage_of(*node->task->outputs[static_cast<std::size_t>(place)]), indices);
    }

    // Of equal elements, of numbers in a row, or of two kinds: one up to the diagonal of the last two axes, the other above
    // it.
    ExprRef constant(const lang::Tensor& data, const Shape& indices) const {
        const std::int64_t count = data.count();
        if (!data.has_data() || count < 1 || count > most_elements)
            throw NotClosed();
        const std::vector<double> elements = lang::read_doubles(data);
        const auto is_first = [&](double element) { return element == elements.front(); };
        if (std::ranges::all_of(elements, is_first))
            return number(data, 0);
        if (const auto counted = counted_number(data, indices))
            return counted;
        const std::int64_t columns = data.shape.back();
        const bool is_matrix = data.shape.size() >= 2 && columns > 1 && count == columns * data.shape.end()[-2];
        if (!is_matrix)
            throw NotClosed();
        for (std::int64_t at = 0; at < count; ++at)
            if (elements[static_cast<std::size_t>(at)] != elements[at % columns <= at / columns ? 0 : 1])
                throw NotClosed();
        const ExprRef is_below = compared(BinOp::Le, indices.back(), indices.end()[-2]);
        return joined(is_below, number(data, 0), number(data, 1));
    }

    ExprRef stage(const Node& node, const Stage& stage, const Shape& indices) {
        Scope scope{node, {}};
        for (std::size_t i = 0; i < stage.axes.size(); ++i)
            scope.values[stage.axes[i].get()] =
                ir::is_constant(shape_of(stage.tensor)[i], 1) ? dim(0) : in_one_form(indices[i]);
        if (!stage.reduction)
            return cast(evaluate(stage.value, scope), dtype_of(stage.tensor));
        for (std::size_t i = 0; i < stage.reduction->axes.size(); ++i)
            scope.values[stage.reduction->axes[i].get()] = fresh(extent(stage.reduction->extents[i], scope));
        const ExprRef term = evaluate(stage.value, scope);
        const bool is_sum_of_nothing = stage.reduction->op == ReduceOp::Sum && ir::is_constant(term, 0);
        if (!is_sum_of_nothing)
            throw NotClosed();
        return cast(term, dtype_of(stage.tensor));
    }

    // Another symbol, where it is not closed.
    Dim extent(const ExprRef& expr, const Scope& scope) {
        const int depth = m_depth;
        try {
            return evaluate(expr, scope);
        } catch (const NotClosed&) {
            m_depth = depth;
            return symbol_dim(cat("extent.", m_limits.size()));
        }
    }

    ExprRef read(const ir::TensorElement& read, const Scope& scope) {
        const auto* tensor = ir::as<ir::Var>(read.base);
        if (!tensor || read.is_protected)
            throw NotClosed();
        Shape indices = transformed(read.indices, [&](const ExprRef& index) { return evaluate(index, scope); });
        for (const ExprRef& index : indices) // one that is one of several is none of a symbol's kind
            if (!is_integer(index) || index->kind == ir::Kind::Select)
                throw NotClosed();
        const Task& task = *scope.node.task;
        for (std::size_t i = 0; i < task.inputs.size(); ++i)
            if (task.inputs[i].get() == tensor)
                return element(scope.node.inputs[i], indices);
        return stage(scope.node, *task.stage_of(*tensor), indices);
    }

    ExprRef evaluate(const ExprRef& expr, const Scope& scope) {
        if (++m_steps > most_steps || m_depth > most_depth)
            throw NotClosed();
        ++m_depth;
        ExprRef result = evaluated(expr, scope);
        --m_depth;
        return result;
    }

    ExprRef evaluated(const ExprRef& expr, const Scope& scope) {
        if (const auto* constant = ir::as<ir::Constant>(expr))
            return std::holds_alternative<std::int64_t>(constant->value) && !is_bool(expr)
                       ? dim(std::get<std::int64_t>(constant->value))
                       : expr;
        if (expr->kind == ir::Kind::SymbolVar)
            return expr;
        if (const auto* var = ir::as<ir::Var>(expr)) {
            const auto found = scope.values.find(var);
            if (found == scope.values.end())
                throw NotClosed();
            return found->second;
        }
        if (const auto* given = ir::as<ir::TensorElement>(expr))
            return read(*given, scope);
        if (const auto* given = ir::as<ir::Cast>(expr)) {
            const auto dtype = ir::scalar_of(given->type);
            if (!dtype)
                throw NotClosed();
            return cast(evaluate(given->a, scope), *dtype);
        }
        if (const auto* given = ir::as<ir::Let>(expr)) {
            Scope inner = scope;
            inner.values[given->var.get()] = evaluate(given->value, scope);
            return evaluate(given->body, inner);
        }
        if (const auto* given = ir::as<ir::Select>(expr))
            return chosen(
                evaluate(given->condition, scope), [&] { return evaluate(given->a, scope); },
                [&] { return evaluate(given->b, scope); });
        if (const auto* given = ir::as<ir::Unary>(expr)) {
            const ExprRef a = evaluate(given->a, scope);
            if (given->op == ir::UnOp::Not)
                return negated(a);
            if (given->op == ir::UnOp::Neg)
                return binary(BinOp::Sub, is_integer(a) ? dim(0) : cast(dim(0), *ir::scalar_of(a->type)), a);
        }
        if (const auto* given = ir::as<ir::Binary>(expr)) {
            const ExprRef a = evaluate(given->a, scope);
            if (given->op == BinOp::And && ir::is_constant(a, 0)) // what is behind it may be anything
                return a;
            return binary(given->op, a, evaluate(given->b, scope));
        }
        if (const auto* given = ir::as<ir::Intrinsic>(expr); given && given->args.size() == 2)
            if (given->id == ir::IntrinsicId::Min || given->id == ir::IntrinsicId::Max)
                return extreme(given->id == ir::IntrinsicId::Min, evaluate(given->args[0], scope),
                               evaluate(given->args[1], scope));
        throw NotClosed();
    }

    bool at_most(const ExprRef& a, const ExprRef& b) const { return surely_at_most(a, b, m_limits); }

    ExprRef extreme(bool is_least, const ExprRef& a, const ExprRef& b) const {
        if (is_integer(a) && is_integer(b) && at_most(a, b))
            return is_least ? a : b;
        if (is_integer(a) && is_integer(b) && at_most(b, a))
            return is_least ? b : a;
        throw NotClosed();
    }

    ExprRef cast(const ExprRef& value, ir::DType to) {
        if (const auto* cases = ir::as<ir::Select>(value))
            return joined(cases->condition, cast(cases->a, to), cast(cases->b, to));
        const bool is_condition = is_bool(value) && !is_number(value);
        if (to == ir::DType::Bool)
            return is_bool(value) ? value
                                  : negated(binary(BinOp::Eq, value, cast(dim(0), *ir::scalar_of(value->type))));
        if (is_condition)
            return joined(value, cast(dim(1), to), cast(dim(0), to));
        const bool is_index = to == ir::DType::I64 || to == ir::DType::I32;
        if (is_integer(value) && is_index)
            return value;
        if (!is_number(value))
            throw NotClosed();
        const ExprRef folded = ir::cast_to(value, to);
        const auto number = ir::constant_int(folded);
        return number && to != ir::DType::Bool ? dim(*number) : folded;
    }

    // Both are of one kind.
    ExprRef binary(BinOp op, const ExprRef& a, const ExprRef& b) {
        if (++m_steps > most_steps)
            throw NotClosed();
        if (const auto* cases = ir::as<ir::Select>(a))
            return joined(cases->condition, binary(op, cases->a, b), binary(op, cases->b, b));
        if (const auto* cases = ir::as<ir::Select>(b))
            return joined(cases->condition, binary(op, a, cases->a), binary(op, a, cases->b));
        if (is_bool(a) && is_bool(b))
            return logical(op, a, b);
        if (is_integer(a) && is_integer(b))
            return ir::is_comparison(op) ? compared(op, a, b) : computed(op, a, b);
        if (!is_number(a) || !is_number(b) || !ir::same_type(a->type, b->type))
            throw NotClosed();
        const ExprRef folded = ir::binary(op, a, b);
        if (!is_number(folded))
            throw NotClosed();
        return folded;
    }

    ExprRef logical(BinOp op, const ExprRef& a, const ExprRef& b) {
        switch (op) {
        case BinOp::And:
        case BinOp::BitAnd: return structural_equal(a, b) ? a : ir::logical_and(a, b);
        case BinOp::Or:
        case BinOp::BitOr: return negated(ir::logical_and(negated(a), negated(b)));
        case BinOp::Eq:
        case BinOp::Ne:
            if (is_number(b))
                return ir::is_constant(b, 1) == (op == BinOp::Eq) ? a : negated(a);
            if (is_number(a))
                return logical(op, b, a);
            [[fallthrough]];
        default: throw NotClosed();
        }
    }

    ExprRef compared(BinOp op, const ExprRef& a, const ExprRef& b) const {
        switch (op) {
        case BinOp::Le:
            if (at_most(a, b))
                return ir::bool_constant(true);
            if (at_most(ir::add(b, dim(1)), a))
                return ir::bool_constant(false);
            return ir::less_equal(dim(0), in_one_form(ir::sub(b, a)));
        case BinOp::Lt: return compared(BinOp::Le, ir::add(a, dim(1)), b);
        case BinOp::Ne: return negated(compared(BinOp::Eq, a, b));
        case BinOp::Eq: return ir::logical_and(compared(BinOp::Le, a, b), compared(BinOp::Le, b, a));
        default: throw NotClosed();
        }
    }

    ExprRef computed(BinOp op, const ExprRef& a, const ExprRef& b) const {
        const bool is_inside = ir::is_division(op) && at_most(dim(0), a) && at_most(ir::add(a, dim(1)), b);
        if (is_inside)
            return op == BinOp::Div || op == BinOp::FloorDiv ? dim(0) : a;
        if (op == BinOp::Add || op == BinOp::Sub || op == BinOp::Mul || (ir::is_division(op) && at_most(dim(1), b)))
            return in_one_form(ir::binary(op, a, b));
        throw NotClosed();
    }

    // What is not taken is not looked at.
    template <class A, class B>
    ExprRef chosen(const ExprRef& condition, A&& a, B&& b) {
        if (is_number(condition))
            return ir::is_constant(condition, 0) ? b() : a();
        return joined(condition, a(), b());
    }

    ExprRef joined(const ExprRef& condition, const ExprRef& a, const ExprRef& b) const {
        if (is_number(condition))
            return ir::is_constant(condition, 0) ? b : a;
        if (const auto* cases = ir::as<ir::Select>(condition))
            return joined(cases->condition, joined(cases->a, a, b), joined(cases->b, a, b));
        if (structural_equal(a, b) || is_first_of(condition, a, b))
            return b;
        if (ir::is_constant(a, 1) && ir::is_constant(b, 0) && is_bool(a))
            return condition;
        return ir::is_constant(a, 0) && ir::is_constant(b, 1) && is_bool(a) ? negated(condition)
                                                                            : ir::make_select(condition, a, b);
    }

    // The condition is that something is 0 which is never negative, and there b is a.
    bool is_first_of(const ExprRef& condition, const ExprRef& a, const ExprRef& b) const {
        const auto* least = ir::as<ir::Binary>(condition);
        if (!least || least->op != BinOp::Le || !is_integer(a) || !is_integer(b))
            return false;
        const Dim other = in_one_form(ir::sub(dim(0), least->b));
        return at_most(dim(0), other) && same_dim(a, in_one_form(ir::sub(b, other)));
    }

    const Graph& m_graph;
    std::map<std::string, Dim> m_limits; // of the symbols that stand for indices
    int m_steps = 0;
    int m_depth = 0;
};

} // namespace

std::optional<ClosedForm> closed_form(const Graph& graph, ValueId value) {
    try {
        return Evaluator(graph).form_of(value);
    } catch (const NotClosed&) {
        return std::nullopt;
    } catch (const ir::TypeError&) {
        return std::nullopt;
    }
}

} // namespace hidet::graph
