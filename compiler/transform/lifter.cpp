// SPDX-License-Identifier: Apache-2.0
#include "compiler/transform/lifter.h"

#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::compiler {

using namespace ir;

ExprRef Lifter::nothing() {
    return make_constant(std::int64_t{0}, void_type());
}

bool Lifter::is_own(const ExprRef& expr) const {
    const auto* var = as<Var>(expr);
    return var && m_own.contains(var);
}

template <class F>
StmtRef Lifter::with_prelude(const Stmt& stmt, F&& f) {
    StmtVec outer;
    std::swap(outer, m_prelude);
    StmtRef result = f();
    std::swap(outer, m_prelude);
    if (outer.empty())
        return result;
    if (result && !result->origin.known())
        set_origin(result, {stmt.origin.span, pass()});
    outer.push_back(std::move(result));
    return make_seq(std::move(outer));
}

Lifter::Apart Lifter::apart(const ExprRef& expr) {
    StmtVec prelude;
    std::swap(prelude, m_prelude);
    ExprRef value = rewrite(expr);
    std::swap(prelude, m_prelude);
    // What has no effects and cannot fail needs no condition.
    auto is_harmless = [&](const StmtRef& stmt) {
        const auto* let = as<DeclareStmt>(stmt);
        return let && let->is_let && effect_of(let->init, m_uses) == Effect::None && !may_fail(let->init);
    };
    for (std::size_t i = 0; i < prelude.size(); ++i)
        if (!is_harmless(prelude[i]))
            return {std::move(prelude), std::move(value)};
    for (StmtRef& stmt : prelude)
        m_prelude.push_back(std::move(stmt));
    return {{}, std::move(value)};
}

// ---- statements -------------------------------------------------------------------------------------------------------

// Statements without statements inside: what was lifted goes before them.
#define HIDET_SIMPLE(name)                                                                                             \
    StmtRef Lifter::visit(const name& stmt) {                                                                          \
        return with_prelude(stmt, [&] { return StmtRef(rebuild(stmt)); });                                             \
    }
HIDET_SIMPLE(DeclareStmt)
HIDET_SIMPLE(AssignStmt)
HIDET_SIMPLE(ReturnStmt)
HIDET_SIMPLE(AssertStmt)
HIDET_SIMPLE(AsmStmt)
HIDET_SIMPLE(LaunchStmt)
#undef HIDET_SIMPLE

StmtRef Lifter::visit(const EvaluateStmt& stmt) {
    return with_prelude(stmt, [&]() -> StmtRef {
        ExprRef value = rewrite(stmt.value);
        bool is_nothing = value->kind == Kind::Constant && value->type->kind == Kind::VoidType;
        return is_nothing ? nullptr : value == stmt.value ? self(stmt) : make_evaluate(value);
    });
}

StmtRef Lifter::visit(const StoreStmt& stmt) { // the value first, then the place
    return with_prelude(stmt, [&]() -> StmtRef {
        ExprVec operands = {stmt.value, stmt.base};
        operands.insert(operands.end(), stmt.indices.begin(), stmt.indices.end());
        ExprVec rewritten = with_final_indices(stmt.base, in_order(operands), 2);
        if (rewritten == operands)
            return self(stmt);
        ExprVec indices(rewritten.begin() + 2, rewritten.end());
        return make_store(rewritten[1], std::move(indices), rewritten[0], stmt.is_protected);
    });
}

StmtRef Lifter::visit(const IfStmt& stmt) {
    return with_prelude(stmt, [&]() -> StmtRef {
        ExprRef condition = rewrite(stmt.condition);
        StmtRef then_body = rewrite(stmt.then_body);
        StmtRef else_body = rewrite(stmt.else_body);
        bool same = condition == stmt.condition && then_body == stmt.then_body && else_body == stmt.else_body;
        return same ? self(stmt) : make_if(condition, then_body, else_body);
    });
}

StmtRef Lifter::visit(const ForStmt& stmt) {
    return with_prelude(stmt, [&]() -> StmtRef {
        ExprRef extent = rewrite(stmt.extent);
        StmtRef body = rewrite(stmt.body);
        return extent == stmt.extent && body == stmt.body ? self(stmt) : make_for(stmt.var, extent, stmt.attr, body);
    });
}

StmtRef Lifter::visit(const ForMappingStmt& stmt) {
    return with_prelude(stmt, [&]() -> StmtRef {
        ExprRef worker = rewrite(stmt.worker);
        StmtRef body = rewrite(stmt.body);
        bool same = worker == stmt.worker && body == stmt.body;
        return same ? self(stmt) : make_for_mapping(stmt.vars, stmt.mapping, worker, body);
    });
}

// The condition is evaluated in every trip, and with it what was lifted.
StmtRef Lifter::visit(const WhileStmt& stmt) {
    StmtVec prelude;
    std::swap(prelude, m_prelude);
    ExprRef condition = rewrite(stmt.condition);
    std::swap(prelude, m_prelude);
    StmtRef body = rewrite(stmt.body);
    if (prelude.empty())
        return condition == stmt.condition && body == stmt.body ? self(stmt) : make_while(condition, body);
    prelude.push_back(make_if(logical_not(condition), make_break()));
    prelude.push_back(std::move(body));
    return make_while(bool_constant(true), make_seq(std::move(prelude)));
}

// ---- expressions ------------------------------------------------------------------------------------------------------

ExprRef Lifter::visit(const Binary& expr) {
    if (expr.op == BinOp::And || expr.op == BinOp::Or)
        return lazy_logic(expr);
    ExprVec operands = in_order({expr.a, expr.b});
    bool same = operands[0] == expr.a && operands[1] == expr.b;
    return same ? self(expr) : make_binary(expr.op, operands[0], operands[1]);
}

ExprRef Lifter::visit(const TensorElement& expr) {
    ExprVec operands = {expr.base};
    operands.insert(operands.end(), expr.indices.begin(), expr.indices.end());
    ExprVec rewritten = with_final_indices(expr.base, in_order(operands), 1);
    if (rewritten == operands)
        return self(expr);
    return make_element(rewritten[0], ExprVec(rewritten.begin() + 1, rewritten.end()), expr.is_protected);
}

ExprRef Lifter::visit(const Intrinsic& expr) {
    ExprVec args = in_order(expr.args);
    return args == expr.args ? self(expr) : make_intrinsic(expr.attr, std::move(args), expr.type);
}

ExprRef Lifter::visit(const Call& expr) {
    ExprVec args = in_order(expr.args, find_function(m_module, expr.callee));
    return args == expr.args ? self(expr) : make_call(expr.callee, std::move(args), expr.type);
}

ExprRef Lifter::lifted(const Let& expr) {
    StmtRef let = make_let_stmt(expr.var, rewrite(expr.value));
    set_origin(let, {expr.origin.span, pass()});
    lift(std::move(let));
    return rewrite(expr.body);
}

ExprRef Lifter::visit(const Select& expr) {
    ExprRef condition = rewrite(expr.condition);
    Apart a = apart(expr.a);
    Apart b = apart(expr.b);
    if (a.stmts.empty() && b.stmts.empty()) {
        bool same = condition == expr.condition && a.value == expr.a && b.value == expr.b;
        return same ? self(expr) : make_select(condition, a.value, b.value);
    }
    VarRef result = make_var("value", expr.type);
    add_own(*result);
    a.stmts.push_back(make_assign(result, a.value));
    b.stmts.push_back(make_assign(result, b.value));
    lift(make_declare(result));
    lift(make_if(condition, make_seq(std::move(a.stmts)), make_seq(std::move(b.stmts))));
    return result;
}

ExprRef Lifter::lazy_logic(const Binary& expr) {
    ExprRef a = rewrite(expr.a);
    Apart b = apart(expr.b);
    if (b.stmts.empty())
        return a == expr.a && b.value == expr.b ? self(expr) : make_binary(expr.op, a, b.value);
    VarRef result = make_var("value", expr.type);
    add_own(*result);
    b.stmts.push_back(make_assign(result, b.value));
    lift(make_declare(result, a));
    ExprRef goes_on = expr.op == BinOp::And ? ExprRef(result) : logical_not(result);
    lift(make_if(goes_on, make_seq(std::move(b.stmts))));
    return result;
}

// ---- order --------------------------------------------------------------------------------------------------------------

bool Lifter::acts(const ExprRef& expr) const {
    return any_of_nodes(
        expr, [&](const Call& call) { return call_acts(call); },
        [](const Intrinsic& intrinsic) { return ir::acts(intrinsic.id); });
}

ExprVec Lifter::in_order(const ExprVec& operands, const Function* callee) {
    auto is_place = [&](std::size_t i) {
        return callee && i < callee->params.size() && callee->params[i]->type->kind == Kind::ReferenceType;
    };
    ExprVec result;
    std::size_t stored = 0;
    for (const ExprRef& operand : operands) {
        // Something of this operand may be lifted before what the earlier ones read.
        if (operand && !result.empty() && acts(operand))
            for (; stored < result.size(); ++stored)
                result[stored] = is_place(stored) ? place_of(result[stored], m_prelude) : store_away(result[stored]);
        result.push_back(rewrite(operand));
    }
    return result;
}

ExprVec Lifter::with_final_indices(const ExprRef& base, ExprVec operands, std::size_t first) {
    for (std::size_t i = first; i < operands.size(); ++i)
        operands[i] = final_index(base, operands[i]);
    return operands;
}

ExprRef Lifter::store_away(const ExprRef& value) {
    if (!value || effect_of(value, m_uses) == Effect::None || value->type->kind == Kind::VoidType || is_own(value))
        return value;
    if (const auto* slice = as<TensorSlice>(value)) { // a way to name elements: its parts are what is stored
        TensorSlice copy = *slice;
        copy.base = store_away(copy.base);
        for (ExprVec* parts : {&copy.indices, &copy.starts})
            for (ExprRef& part : *parts)
                part = store_away(part);
        return make<TensorSlice>(std::move(copy));
    }
    VarRef var = make_var("value", value->type);
    add_own(*var);
    lift(make_let_stmt(var, value));
    return var;
}

ExprRef Lifter::place_of(const ExprRef& place, StmtVec& stmts) const {
    const auto* element = as<TensorElement>(place);
    if (!element)
        return place;
    ExprVec indices;
    for (const ExprRef& index : element->indices)
        indices.push_back(evaluated_once(index, m_uses, "index", stmts));
    return make_element(element->base, std::move(indices));
}

} // namespace hidet::compiler
