// SPDX-License-Identifier: Apache-2.0
// The compute definition with expressions in place of elements. Integers are taken as whole numbers, without the width of
// their type: extents do not wrap.
#include "compiler/graph/interpreter/symbolic.h"

#include <cmath>
#include <map>

#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::DType;
using ir::ExprRef;

constexpr std::int64_t most_elements = 256;
constexpr std::int64_t most_terms = 1024;
constexpr int most_depth = 100;

struct Unknown {};

ExprRef in_i64(const ExprRef& expr) { // an integer as i64
    return ir::is_integer(*ir::scalar_of(expr->type)) ? ir::cast_to(expr, DType::I64) : expr;
}

// A float that is an extent times a factor, perhaps rounded: what exporters make of scales.
struct Scaled {
    ExprRef extent;
    double factor = 1;
};

bool is_whole(double value) {
    return value == std::floor(value) && std::fabs(value) < 1e9 && value != 0;
}

std::optional<Scaled> scaled(const ExprRef& expr);

std::optional<Scaled> rounded(const ir::Intrinsic& call) {
    const std::optional<Scaled> x = scaled(call.args[0]);
    if (!x || is_whole(x->factor))
        return x;
    if (!is_whole(1 / x->factor) || x->factor < 0)
        return std::nullopt;
    const ExprRef divisor = dim(static_cast<std::int64_t>(1 / x->factor));
    if (call.id == ir::IntrinsicId::Floor || call.id == ir::IntrinsicId::Trunc)
        return Scaled{ir::floor_div(x->extent, divisor), 1};
    if (call.id == ir::IntrinsicId::Ceil)
        return Scaled{ir::floor_div(ir::sub(ir::add(x->extent, divisor), dim(1)), divisor), 1};
    return std::nullopt;
}

std::optional<Scaled> scaled(const ExprRef& expr) {
    if (const auto* cast = ir::as<ir::Cast>(expr)) {
        if (ir::is_float(*ir::scalar_of(cast->a->type)))
            return scaled(cast->a);
        return Scaled{in_i64(cast->a), 1};
    }
    if (const auto* call = ir::as<ir::Intrinsic>(expr))
        return call->args.size() == 1 ? rounded(*call) : std::nullopt;
    const auto* binary = ir::as<ir::Binary>(expr);
    if (!binary || (binary->op != ir::BinOp::Mul && binary->op != ir::BinOp::Div))
        return std::nullopt;
    const auto right = ir::constant_number(binary->b);
    const auto left = ir::constant_number(binary->a);
    std::optional<Scaled> x;
    if (right && *right != 0 && (x = scaled(binary->a)))
        x->factor = binary->op == ir::BinOp::Mul ? x->factor * *right : x->factor / *right;
    else if (left && binary->op == ir::BinOp::Mul && (x = scaled(binary->b)))
        x->factor *= *left;
    return x;
}

ExprRef to_whole(const ExprRef& expr) {
    const auto x = scaled(expr);
    if (x && is_whole(x->factor))
        return ir::mul(x->extent, dim(static_cast<std::int64_t>(x->factor)));
    if (x && x->factor > 0 && is_whole(1 / x->factor))
        return ir::floor_div(x->extent, dim(static_cast<std::int64_t>(1 / x->factor)));
    return ir::cast_to(expr, DType::I64);
}

class Evaluation {
public:
    Evaluation(const Task& task, const std::vector<const Contents*>& inputs) : m_task(task) {
        for (std::size_t i = 0; i < inputs.size(); ++i)
            m_tensors[task.inputs[i].get()] = *inputs[i];
    }

    std::vector<Contents> run() {
        for (const Stage& stage : m_task.stages)
            run(stage);
        return transformed(m_task.outputs, [&](const ir::VarRef& output) { return m_tensors.at(output.get()); });
    }

private:
    static std::vector<std::int64_t> extents(const ir::ExprVec& shape, std::int64_t most) {
        std::vector<std::int64_t> result;
        std::int64_t count = 1;
        for (const ExprRef& each : shape) {
            const auto extent = constant_of(each);
            if (!extent || *extent < 0 || __builtin_mul_overflow(count, *extent, &count) || count > most)
                throw Unknown();
            result.push_back(*extent);
        }
        return result;
    }

    // Calls `each` for every index; with `variables` bound to it.
    template <class Each>
    void walk(const ir::VarVec& variables, const std::vector<std::int64_t>& shape, Each&& each) {
        std::int64_t count = 1;
        for (std::int64_t extent : shape)
            count *= extent;
        for (std::int64_t i = 0; i < count; ++i) {
            std::int64_t rest = i;
            for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
                m_variables[variables[d].get()] = dim(rest % shape[d]);
            each();
        }
    }

    void run(const Stage& stage) {
        Contents contents;
        contents.shape = extents(shape_of(stage.tensor), most_elements);
        walk(stage.axes, contents.shape, [&] {
            const ExprRef element = stage.reduction ? reduced(stage) : value(stage.value);
            contents.elements.push_back(ir::is_integer(*ir::scalar_of(element->type)) ? simplified(element) : element);
        });
        m_tensors[stage.tensor.get()] = std::move(contents);
    }

    ExprRef reduced(const Stage& stage) {
        const Reduction& reduction = *stage.reduction;
        ir::ExprVec ends = transformed(reduction.extents, [&](const ExprRef& each) { return value(each); });
        ExprRef sum;
        walk(reduction.axes, extents(ends, most_terms), [&] {
            const ExprRef term = value(stage.value);
            sum = sum ? combined(reduction.op, sum, term) : term;
        });
        if (sum)
            return sum;
        if (reduction.op == ReduceOp::Sum || reduction.op == ReduceOp::Prod)
            return dim(reduction.op == ReduceOp::Prod);
        throw Unknown();
    }

    static ExprRef combined(ReduceOp op, const ExprRef& a, const ExprRef& b) {
        switch (op) {
        case ReduceOp::Sum: return ir::add(a, b);
        case ReduceOp::Prod: return ir::mul(a, b);
        case ReduceOp::Max: return ir::math(ir::IntrinsicId::Max, {a, b});
        case ReduceOp::Min: return ir::math(ir::IntrinsicId::Min, {a, b});
        case ReduceOp::And: return ir::logical_and(a, b);
        case ReduceOp::Or: return ir::logical_or(a, b);
        case ReduceOp::ArgMax:
        case ReduceOp::ArgMin: throw Unknown();
        }
        throw Unknown();
    }

    // Expressions share what they are made of, so that a few operators can make one that is too long to walk.
    ExprRef value(const ExprRef& expr) {
        const ExprRef result = computed(expr);
        if (result->size > most_terms || result->depth > most_depth)
            throw Unknown();
        return result;
    }

    ExprRef computed(const ExprRef& expr) {
        switch (ir::kind_of(*expr)) {
        case ir::ExprKind::Constant:
        case ir::ExprKind::SymbolVar: return *ir::scalar_of(expr->type) == DType::Bool ? expr : in_i64(expr);
        case ir::ExprKind::Var: {
            const auto found = m_variables.find(ir::as<ir::Var>(expr));
            if (found == m_variables.end())
                throw Unknown();
            return found->second;
        }
        case ir::ExprKind::Unary: {
            const auto* unary = ir::as<ir::Unary>(expr);
            const ExprRef a = value(unary->a);
            return unary->op == ir::UnOp::Neg   ? ir::negate(a)
                   : unary->op == ir::UnOp::Not ? ir::logical_not(a)
                                                : ir::bit_not(a);
        }
        case ir::ExprKind::Binary: return binary(*ir::as<ir::Binary>(expr));
        case ir::ExprKind::Cast: return cast(*ir::as<ir::Cast>(expr));
        case ir::ExprKind::Select: {
            const auto* select = ir::as<ir::Select>(expr);
            const ExprRef condition = simplified(value(select->condition));
            if (const auto known = ir::constant_int(condition))
                return value(*known ? select->a : select->b);
            return ir::select(condition, value(select->a), value(select->b));
        }
        case ir::ExprKind::TensorElement: return element(*ir::as<ir::TensorElement>(expr));
        case ir::ExprKind::Intrinsic: {
            const auto* call = ir::as<ir::Intrinsic>(expr);
            ir::ExprVec args = transformed(call->args, [&](const ExprRef& each) { return value(each); });
            return ir::math(call->id, args);
        }
        case ir::ExprKind::Let: {
            const auto* let = ir::as<ir::Let>(expr);
            m_variables[let->var.get()] = value(let->value);
            return value(let->body);
        }
        case ir::ExprKind::BuiltinVar:
        case ir::ExprKind::TensorSlice:
        case ir::ExprKind::Call:
        case ir::ExprKind::Deref:
        case ir::ExprKind::Address: throw Unknown();
        }
        ir::no_such_kind(*expr);
    }

    ExprRef binary(const ir::Binary& expr) {
        const ExprRef a = value(expr.a);
        const bool is_and = expr.op == ir::BinOp::And;
        if (is_and || expr.op == ir::BinOp::Or)
            if (const auto known = ir::constant_int(simplified(a)))
                return (*known != 0) == is_and ? value(expr.b) : ir::bool_constant(!is_and);
        return ir::binary(expr.op, a, value(expr.b));
    }

    ExprRef cast(const ir::Cast& expr) {
        const ExprRef a = value(expr.a);
        const DType from = *ir::scalar_of(a->type);
        const DType to = *ir::scalar_of(expr.type);
        if (to == DType::Bool)
            return ir::as_condition(a);
        if (ir::is_float(to))
            return ir::cast_to(a, to);
        return ir::is_float(from) ? to_whole(a) : in_i64(a);
    }

    ExprRef element(const ir::TensorElement& expr) {
        const auto found = m_tensors.find(ir::as<ir::Var>(expr.base));
        if (found == m_tensors.end())
            throw Unknown();
        const Contents& tensor = found->second;
        std::int64_t linear = 0;
        for (std::size_t d = 0; d < expr.indices.size(); ++d) {
            const auto index = constant_of(simplified(value(expr.indices[d])));
            if (!index || *index < 0 || *index >= tensor.shape[d])
                throw Unknown();
            linear = linear * tensor.shape[d] + *index;
        }
        return tensor.elements[static_cast<std::size_t>(linear)];
    }

    const Task& m_task;
    std::map<const ir::Var*, Contents> m_tensors;
    std::map<const ir::Var*, ExprRef> m_variables;
};

} // namespace

std::optional<std::vector<Contents>> fold_symbolic(const OpCall& call, const std::vector<const Contents*>& inputs) {
    if (!call.op->define || call.op->is_random)
        return std::nullopt;
    try {
        const Task task = call.op->define(call);
        return Evaluation(task, inputs).run();
    } catch (const Unknown&) {
        return std::nullopt;
    } catch (const ir::TypeError&) {
        return std::nullopt;
    }
}

} // namespace hidet::graph
