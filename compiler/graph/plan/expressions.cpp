// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/expressions.h"

#include <bit>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/scalar.h"
#include "lang/base/transformed.h"

namespace hidet::graph {

namespace {

using artifact::ExprOp;

struct NoValue {};

bool is_of_reals(const Dim& expr) {
    const auto dtype = ir::scalar_of(expr->type);
    return dtype && ir::is_float(*dtype);
}

class PostfixWriter {
public:
    explicit PostfixWriter(Expressions& table) : m_table(table) {}

    artifact::Expression take(const Dim& dim, bool may_be_real) {
        may_be_real ? any(dim) : whole(dim);
        return std::move(m_out);
    }

private:
    void put(ExprOp op, std::int64_t operand = 0) { m_out.push_back({op, operand}); }

    void whole(const Dim& dim) {
        if (is_of_reals(dim))
            throw NoValue();
        if (put_bound(dim))
            return;
        if (const auto* symbol = ir::as<ir::SymbolVar>(dim))
            return put(ExprOp::Symbol, m_table.symbol(symbol->name));
        if (const auto* cast = ir::as<ir::Cast>(dim))
            return whole_cast(*cast);
        if (put_operation(dim))
            return;
        const auto constant = constant_of(dim);
        if (!constant)
            throw NoValue();
        put(ExprOp::Constant, *constant);
    }
    bool put_bound(const Dim& expr) { // false: it is no variable
        const auto* var = ir::as<ir::Var>(expr);
        if (!var)
            return false;
        const auto word = m_table.bound(*var);
        if (!word)
            throw NoValue();
        m_out.push_back(*word);
        return true;
    }
    void whole_cast(const ir::Cast& cast) {
        const bool to_bool = ir::scalar_of(cast.type) == ir::DType::Bool;
        any(cast.a);
        if (to_bool)
            put(ExprOp::Constant, 0); // the bits of 0.0 too
        if (is_of_reals(cast.a))
            put(to_bool ? ExprOp::RealNe : ExprOp::Whole);
        else if (to_bool)
            put(ExprOp::Ne);
    }
    // What scales make of extents, before it is rounded. A plan computes with no other floats than f32 and f64; parameters of 16
    // bits are handed on.
    void real(const Dim& expr) {
        const auto dtype = ir::scalar_of(expr->type);
        if ((dtype == ir::DType::F16 || dtype == ir::DType::BF16) && put_bound(expr))
            return;
        if (dtype != ir::DType::F32 && dtype != ir::DType::F64)
            throw NoValue();
        if (put_bound(expr)) {
            return; // rounded
        } else if (const auto* cast = ir::as<ir::Cast>(expr)) {
            any(cast->a);
            if (!is_of_reals(cast->a))
                put(ExprOp::Real);
        } else if (!put_operation(expr)) {
            const auto constant = ir::constant_number(expr);
            if (!constant)
                throw NoValue();
            put(ExprOp::Constant, std::bit_cast<std::int64_t>(*constant));
        }
        if (dtype == ir::DType::F32)
            put(ExprOp::RealF32);
    }
    void any(const Dim& expr) { is_of_reals(expr) ? real(expr) : whole(expr); }

    bool put_operation(const Dim& expr) { // false: it is none
        if (const auto* select = ir::as<ir::Select>(expr)) {
            put_choice(*select);
            return true;
        }
        if (const auto* unary = ir::as<ir::Unary>(expr))
            put_operator(ir::scalar_op(unary->op), {unary->a});
        else if (const auto* binary = ir::as<ir::Binary>(expr))
            put_binary(*binary);
        else if (const auto* call = ir::as<ir::Intrinsic>(expr))
            put_call(*call);
        else
            return false;
        return true;
    }
    void put_choice(const ir::Select& select) {
        whole(select.condition);
        any(select.a);
        any(select.b);
        put(ExprOp::Select);
    }
    void put_binary(const ir::Binary& binary) {
        if (binary.op != ir::BinOp::And && binary.op != ir::BinOp::Or)
            return put_operator(ir::scalar_op(binary.op), {binary.a, binary.b});
        whole(binary.a);
        whole(binary.b);
        put(binary.op == ir::BinOp::And ? ExprOp::And : ExprOp::Or);
    }
    void put_call(const ir::Intrinsic& call) {
        if (call.id == ir::IntrinsicId::GetSymbolValue) // of host code
            return put(ExprOp::Symbol,
                       m_table.symbol(std::get<std::string>(ir::as<ir::Constant>(call.args[0])->value)));
        const auto op = ir::scalar_op(call.id);
        if (!op)
            throw NoValue();
        put_operator(*op, call.args);
    }
    void put_operator(ScalarOp op, const ir::ExprVec& operands) {
        const auto word = is_of_reals(operands.front()) ? artifact::real_op(op) : artifact::whole_op(op);
        if (!word)
            throw NoValue();
        for (const Dim& operand : operands)
            any(operand);
        put(*word);
    }

    Expressions& m_table;
    artifact::Expression m_out;
};

} // namespace

Expressions::Expressions(artifact::PlanBody& body) : m_body(body) {
    for (artifact::Row row = 0; row < body.expressions.size(); ++row)
        m_rows.emplace(body.expressions[row], row);
    for (artifact::Row row = 0; row < body.symbols.size(); ++row)
        m_symbols.emplace(body.symbols[row].name, row);
}

artifact::Row Expressions::add(artifact::Expression expression) {
    const auto [found, is_new] = m_rows.emplace(std::move(expression), m_body.expressions.size());
    if (is_new)
        m_body.expressions.push_back(found->first);
    return found->second;
}

artifact::Row Expressions::symbol(const std::string& name) {
    const auto [found, is_new] = m_symbols.emplace(name, m_body.symbols.size());
    if (is_new)
        m_body.symbols.push_back({.name = name});
    return found->second;
}

std::optional<artifact::ExprWord> Expressions::bound(const ir::Var& var) const {
    const auto found = m_bound.find(&var);
    if (found == m_bound.end())
        return std::nullopt;
    const artifact::Expression& expression = m_body.expressions[found->second];
    return expression.size() == 1 ? expression.front() : artifact::ExprWord{ExprOp::Earlier, found->second};
}

std::optional<artifact::Row> Expressions::find(const Dim& dim) {
    return find(dim, false);
}

std::optional<artifact::Row> Expressions::find_any(const Dim& dim) {
    return find(dim, true);
}

std::optional<artifact::Row> Expressions::find(const Dim& dim, bool may_be_real) {
    try {
        artifact::Expression expression = PostfixWriter(*this).take(dim, may_be_real);
        if (expression.size() == 1 && expression[0].op == ExprOp::Earlier)
            return static_cast<artifact::Row>(expression[0].operand);
        return add(std::move(expression));
    } catch (const NoValue&) {
        return std::nullopt;
    }
}

artifact::Row Expressions::of(const Dim& dim) {
    const auto found = find(dim);
    return found ? *found : add({{ExprOp::Constant, 1}, {ExprOp::Constant, 0}, {ExprOp::Div, 0}});
}

std::vector<artifact::Row> Expressions::of(const Shape& shape) {
    return transformed(shape, [&](const Dim& each) { return of(each); });
}

artifact::Row Expressions::combined(ExprOp op, artifact::Row a, artifact::Row b) {
    const auto x = artifact::constant_of(m_body.expressions[a]);
    const auto y = artifact::constant_of(m_body.expressions[b]);
    const artifact::Expression whole = {{ExprOp::Earlier, a}, {ExprOp::Earlier, b}, {op, 0}};
    if (!x || !y)
        return add(whole);
    const auto value = artifact::evaluate({{{ExprOp::Constant, *x}, {ExprOp::Constant, *y}, {op, 0}}}, {}).front();
    return value ? constant(*value) : add(whole);
}

artifact::Row Expressions::chosen(artifact::Row condition, artifact::Row a, artifact::Row b) {
    if (const auto known = artifact::constant_of(m_body.expressions[condition]))
        return *known ? a : b;
    return add({{ExprOp::Earlier, condition}, {ExprOp::Earlier, a}, {ExprOp::Earlier, b}, {ExprOp::Select, 0}});
}

} // namespace hidet::graph
