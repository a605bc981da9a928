// SPDX-License-Identifier: Apache-2.0
// Calls of internal functions become the body of the function: device functions all, host functions where they are small.
//
// The body runs before the statement that has the call, with the arguments bound to its parameters; `return e` becomes an
// assignment and an exit, which branches express where they can (exits.h). Evaluation keeps its order: what is evaluated
// before a call that acts, and could see the difference, is stored away first; an operand that is evaluated only on a condition
// (`and`, `or`, if-else, the condition of `while`) turns into a branch.
//
// Needs: nothing.
// Guarantees: what stays a call is recursive, returns from inside of a loop, has static variables, or would make the module
// larger than the budget.
// Why here: before mappings are checked and expanded, so that the value ranges of arguments are known in the body.
#include <map>
#include <set>

#include "compiler/analysis/calls.h"
#include "compiler/analysis/kinds.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/transform/exits.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

constexpr std::uint32_t max_host_size = 400;  // nodes of a host function that is inlined
constexpr std::uint64_t max_growth = 400'000; // nodes that inlining may add to a module

struct Callee {
    FunctionRef function;
    Uses uses;
    bool acts = false; // does more than to compute its result
};
using Callees = std::map<std::string, Callee>;

// ---- which functions ------------------------------------------------------------------------------------------------

class BodyCheck : public Walker {
public:
    bool fits = true; // no return inside of a loop, no static variable
    bool acts = false;
    explicit BodyCheck(const Uses& uses) : m_uses(uses) {}

protected:
    using Walker::visit;
    void visit(const Var&) override {}
    void visit(const ReturnStmt& stmt) override {
        fits = fits && m_loops == 0;
        walk_children(stmt);
    }
    void visit(const DeclareStmt& stmt) override {
        fits = fits && !stmt.is_static;
        if (stmt.init)
            look_at(stmt.init);
    }
    void visit(const StoreStmt&) override { acts = true; } // the tensor may be the caller's
    void visit(const AssignStmt& stmt) override {
        bool is_local = stmt.var->type->kind != Kind::ReferenceType && !m_uses.of(*stmt.var).addressed;
        acts = acts || !is_local;
        look_at(stmt.value);
    }
    void visit(const EvaluateStmt& stmt) override { look_at(stmt.value); }
    void visit(const AsmStmt&) override { acts = true; }
    void visit(const BlackBoxStmt&) override { acts = true; }
    void visit(const LaunchStmt&) override { acts = true; }
    void visit(const AssertStmt&) override { acts = true; }
    void visit(const Call&) override { acts = true; }
    void visit(const Intrinsic& expr) override {
        acts = acts || info(expr.id).effect == IntrinsicEffect::Write || info(expr.id).effect == IntrinsicEffect::Sync;
        walk_children(expr);
    }
    void visit(const ForStmt& stmt) override { in_loop(stmt); }
    void visit(const ForMappingStmt& stmt) override { in_loop(stmt); }
    void visit(const WhileStmt& stmt) override { in_loop(stmt); }

private:
    void look_at(const ExprRef& expr) { walk(NodeRef(expr)); }
    void in_loop(const Stmt& stmt) {
        ++m_loops;
        walk_children(stmt);
        --m_loops;
    }
    const Uses& m_uses;
    int m_loops = 0;
};

bool is_candidate(const Function& function) {
    if (function.func_kind == FuncKind::CudaInternal)
        return true;
    return function.func_kind == FuncKind::CpuInternal && function.body->size <= max_host_size;
}

// ---- the copy of a body ---------------------------------------------------------------------------------------------

// Copies a callee's body; returns become `result = value; break`, for run_once() to resolve.
class BodyCopier : public Rewriter {
public:
    BodyCopier(PassId pass, VarRef result) : Rewriter(pass, Definitions::Copy), m_result(std::move(result)) {}

protected:
    using Rewriter::visit;
    StmtRef visit(const ReturnStmt& stmt) override {
        StmtVec stmts;
        if (stmt.value && m_result)
            stmts.push_back(make_assign(m_result, rewrite(stmt.value)));
        else if (stmt.value)
            stmts.push_back(make_evaluate(rewrite(stmt.value)));
        stmts.push_back(make_break());
        return make_seq(std::move(stmts));
    }
    // A reference parameter may stand for an element.
    StmtRef visit(const AssignStmt& stmt) override {
        ExprRef place = rewrite(ExprRef(stmt.var));
        ExprRef value = rewrite(stmt.value);
        if (const auto* element = as<TensorElement>(place))
            return make_store(element->base, element->indices, value);
        if (const auto* deref = as<Deref>(place))
            return make_store(deref->pointer, {int_constant(0)}, value);
        return make_assign(cast<Var>(place), value);
    }

private:
    VarRef m_result;
};

// ---- the caller -----------------------------------------------------------------------------------------------------

class Inliner : public Rewriter {
public:
    Inliner(PassId pass, const Callees& callees, const Uses& uses, std::uint64_t& growth)
        : Rewriter(pass), m_callees(callees), m_uses(uses), m_growth(growth) {}

protected:
    using Rewriter::visit;

    // Statements without statements inside: what their calls need goes before them.
#define HIDET_SIMPLE(name)                                                                                             \
    StmtRef visit(const name& stmt) override {                                                                         \
        return with_prelude(stmt, [&] { return StmtRef(rebuild(stmt)); });                                             \
    }
    HIDET_SIMPLE(DeclareStmt)
    HIDET_SIMPLE(AssignStmt)
    HIDET_SIMPLE(ReturnStmt)
    HIDET_SIMPLE(AssertStmt)
    HIDET_SIMPLE(AsmStmt)
    HIDET_SIMPLE(BlackBoxStmt)
    HIDET_SIMPLE(LaunchStmt)
#undef HIDET_SIMPLE

    StmtRef visit(const EvaluateStmt& stmt) override {
        return with_prelude(stmt, [&]() -> StmtRef {
            ExprRef value = rewrite(stmt.value);
            if (value != stmt.value && value->kind == Kind::Var) // the result of the call, which nobody wants
                return nullptr;
            return value && value->type->kind == Kind::VoidType && value->kind == Kind::Constant
                       ? nullptr
                       : evaluate(stmt, value);
        });
    }
    StmtRef visit(const StoreStmt& stmt) override { // the value first, then the place
        return with_prelude(stmt, [&]() -> StmtRef {
            ExprVec operands = {stmt.value, stmt.base};
            operands.insert(operands.end(), stmt.indices.begin(), stmt.indices.end());
            ExprVec rewritten = in_order(operands);
            if (rewritten == operands)
                return self(stmt);
            ExprVec indices(rewritten.begin() + 2, rewritten.end());
            return make_store(rewritten[1], std::move(indices), rewritten[0], stmt.is_protected);
        });
    }
    StmtRef visit(const IfStmt& stmt) override {
        return with_prelude(stmt, [&]() -> StmtRef {
            ExprRef condition = rewrite(stmt.condition);
            StmtRef then_body = rewrite(stmt.then_body);
            StmtRef else_body = rewrite(stmt.else_body);
            if (condition == stmt.condition && then_body == stmt.then_body && else_body == stmt.else_body)
                return self(stmt);
            return make_if(condition, then_body, else_body);
        });
    }
    StmtRef visit(const ForStmt& stmt) override {
        return with_prelude(stmt, [&]() -> StmtRef {
            ExprRef extent = rewrite(stmt.extent);
            StmtRef body = rewrite(stmt.body);
            return extent == stmt.extent && body == stmt.body ? self(stmt)
                                                              : make_for(stmt.var, extent, stmt.attr, body);
        });
    }
    StmtRef visit(const ForMappingStmt& stmt) override {
        return with_prelude(stmt, [&]() -> StmtRef {
            ExprRef worker = rewrite(stmt.worker);
            StmtRef body = rewrite(stmt.body);
            if (worker == stmt.worker && body == stmt.body)
                return self(stmt);
            return make_for_mapping(stmt.vars, stmt.mapping, worker, body);
        });
    }
    // The condition is evaluated in every trip, and with it what its calls need.
    StmtRef visit(const WhileStmt& stmt) override {
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

    ExprRef visit(const Binary& expr) override {
        if (expr.op == BinOp::And || expr.op == BinOp::Or)
            return lazy_logic(expr);
        ExprVec operands = in_order({expr.a, expr.b});
        return operands[0] == expr.a && operands[1] == expr.b ? self(expr)
                                                              : make_binary(expr.op, operands[0], operands[1]);
    }
    ExprRef visit(const TensorElement& expr) override {
        ExprVec operands = {expr.base};
        operands.insert(operands.end(), expr.indices.begin(), expr.indices.end());
        ExprVec rewritten = in_order(operands);
        if (rewritten == operands)
            return self(expr);
        return make_element(rewritten[0], ExprVec(rewritten.begin() + 1, rewritten.end()), expr.is_protected);
    }
    ExprRef visit(const Intrinsic& expr) override {
        ExprVec args = in_order(expr.args);
        return args == expr.args ? self(expr) : make_intrinsic(expr.id, std::move(args), expr.type, expr.attr);
    }
    ExprRef visit(const Let& expr) override {
        if (!kinds_in(*expr.body).has(Kind::Call))
            return rebuild(expr);
        m_prelude.push_back(make_let_stmt(expr.var, rewrite(expr.value)));
        return rewrite(expr.body);
    }
    ExprRef visit(const Select& expr) override {
        ExprRef condition = rewrite(expr.condition);
        auto [then_stmts, a] = apart(expr.a);
        auto [else_stmts, b] = apart(expr.b);
        if (then_stmts.empty() && else_stmts.empty())
            return condition == expr.condition && a == expr.a && b == expr.b ? self(expr)
                                                                             : make_select(condition, a, b);
        VarRef result = make_var("value", expr.type);
        then_stmts.push_back(make_assign(result, a));
        else_stmts.push_back(make_assign(result, b));
        m_prelude.push_back(make_declare(result));
        m_prelude.push_back(make_if(condition, make_seq(std::move(then_stmts)), make_seq(std::move(else_stmts))));
        return result;
    }
    ExprRef visit(const Call& expr) override {
        ExprVec args = in_order(expr.args);
        auto callee = m_callees.find(expr.callee);
        if (callee == m_callees.end() || m_growth + callee->second.function->body->size > max_growth)
            return args == expr.args ? self(expr) : make_call(expr.callee, std::move(args), expr.type);
        m_growth += callee->second.function->body->size;
        StmtVec stmts;
        ExprRef result = inlined(callee->second, args, stmts);
        for (StmtRef& stmt : stmts) {
            set_origin(stmt, {expr.origin.span, pass()});
            m_prelude.push_back(std::move(stmt));
        }
        return result;
    }

private:
    StmtRef evaluate(const EvaluateStmt& stmt, const ExprRef& value) const {
        return value == stmt.value ? self(stmt) : make_evaluate(value);
    }

    template <class F>
    StmtRef with_prelude(const Stmt& stmt, F&& f) {
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

    std::pair<StmtVec, ExprRef> apart(const ExprRef& expr) {
        StmtVec prelude;
        std::swap(prelude, m_prelude);
        ExprRef result = rewrite(expr);
        std::swap(prelude, m_prelude);
        return {std::move(prelude), std::move(result)};
    }

    ExprRef lazy_logic(const Binary& expr) {
        ExprRef a = rewrite(expr.a);
        auto [stmts, b] = apart(expr.b);
        if (stmts.empty())
            return a == expr.a && b == expr.b ? self(expr) : make_binary(expr.op, a, b);
        VarRef result = make_var("value", expr.type);
        stmts.push_back(make_assign(result, b));
        m_prelude.push_back(make_declare(result, a));
        ExprRef goes_on = expr.op == BinOp::And ? ExprRef(result) : logical_not(result);
        m_prelude.push_back(make_if(goes_on, make_seq(std::move(stmts))));
        return result;
    }

    bool has_acting_call(const ExprRef& expr) const {
        class Finder : public Walker {
        public:
            explicit Finder(const Callees& callees) : m_callees(callees) {}
            bool found = false;

        protected:
            using Walker::visit;
            void visit(const Call& call) override {
                auto callee = m_callees.find(call.callee);
                found = found || callee == m_callees.end() || callee->second.acts;
                walk_children(call);
            }

        private:
            const Callees& m_callees;
        };
        Finder finder(m_callees);
        finder.walk(NodeRef(expr));
        return finder.found;
    }

    // Rewrites operands that are evaluated one after the other. The body of a later call runs before the statement, so what an
    // earlier operand reads is read before that.
    ExprVec in_order(const ExprVec& operands) {
        ExprVec result;
        std::size_t stored = 0;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            if (operands[i] && has_acting_call(operands[i]))
                for (; stored < result.size(); ++stored)
                    result[stored] = store_away(result[stored]);
            result.push_back(rewrite(operands[i]));
        }
        return result;
    }
    ExprRef store_away(const ExprRef& value) {
        if (!value || effect_of(value, m_uses) == Effect::None || value->type->kind == Kind::VoidType)
            return value;
        if (const auto* var = as<Var>(value); var && m_own.contains(var))
            return value;
        VarRef var = make_var("value", value->type);
        m_own.insert(var.get());
        m_prelude.push_back(make_let_stmt(var, value));
        return var;
    }

    // The callee's statements into `stmts`; its value, or a void constant.
    ExprRef inlined(const Callee& callee, const ExprVec& args, StmtVec& stmts) {
        const Function& function = *callee.function;
        bool has_value = function.ret->kind != Kind::VoidType;
        VarRef result = has_value ? make_var(function.name, function.ret) : nullptr;
        if (result)
            m_own.insert(result.get());
        BodyCopier copier(pass(), result);
        for (std::size_t i = 0; i < function.params.size(); ++i)
            bind(function.params[i], args.at(i), callee.uses, copier, stmts);
        StmtRef body = run_once(copier.rewrite(function.body));
        append(std::move(body), result, stmts);
        if (!has_value)
            return make_constant(std::int64_t{0}, void_type());
        return result;
    }

    // A body whose only assignment of the result is its last statement needs no variable: the result is a let.
    static void append(StmtRef body, const VarRef& result, StmtVec& stmts) {
        StmtVec inner;
        if (const auto* seq = as<SeqStmt>(body))
            inner = seq->stmts;
        else if (body)
            inner.push_back(body);
        const auto* last = inner.empty() ? nullptr : as<AssignStmt>(inner.back());
        if (result && last && last->var.get() == result.get()) {
            StmtRef let = make_let_stmt(result, last->value);
            set_origin(let, last->origin);
            inner.back() = std::move(let);
        } else if (result) {
            stmts.push_back(make_declare(result));
        }
        stmts.insert(stmts.end(), inner.begin(), inner.end());
    }

    void bind(const VarRef& param, const ExprRef& arg, const Uses& inside, Rewriter& copier, StmtVec& stmts) {
        if (param->type->kind == Kind::ReferenceType) {
            copier.replace(param, place_of(arg, stmts));
            return;
        }
        bool same = same_type(arg->type, param->type);
        bool is_immutable = inside.is_immutable(*param);
        if (same && is_immutable && is_name(arg)) {
            copier.replace(param, arg);
            return;
        }
        VarRef copy = make_var(param->name, param->type);
        set_origin(copy, {param->origin.span, param->origin.pass});
        copier.replace(param, copy);
        ExprRef value = same ? arg : make_cast(arg, param->type);
        stmts.push_back(is_immutable ? make_let_stmt(copy, value) : make_declare(copy, value));
    }

    // An expression that may stand for the parameter everywhere: it costs nothing and does not change.
    bool is_name(const ExprRef& arg) const {
        if (const auto* cast = as<Cast>(arg)) // the address of a tensor
            return is_pointer(cast->type) && is_name(cast->a);
        bool is_leaf = arg->kind == Kind::Constant || arg->kind == Kind::BuiltinVar || arg->kind == Kind::SymbolVar ||
                       arg->kind == Kind::Var;
        return is_leaf && effect_of(arg, m_uses) == Effect::None;
    }

    // The place a reference stands for, with indices that stay what they are now.
    ExprRef place_of(const ExprRef& arg, StmtVec& stmts) {
        const auto* element = as<TensorElement>(arg);
        if (!element)
            return arg;
        ExprVec indices;
        for (const ExprRef& index : element->indices)
            indices.push_back(evaluated_once(index, m_uses, "index", stmts));
        return make_element(element->base, std::move(indices));
    }

    const Callees& m_callees;
    const Uses& m_uses;
    std::uint64_t& m_growth;
    StmtVec m_prelude;
    std::set<const Var*> m_own; // lets of this pass, which never change
};

Callee describe(const FunctionRef& function, const Module& module) {
    Callee callee{function, uses_in(*function, &module), false};
    return callee;
}

} // namespace

ModuleRef inline_function(const ModuleRef& module, PassContext& context) {
    CallOrder order = callees_first(*module);
    std::set<std::string> recursive(order.recursive.begin(), order.recursive.end());
    Callees callees;
    std::map<std::string, FunctionRef> done;
    std::uint64_t growth = 0;
    for (const FunctionRef& function : order.functions) {
        FunctionRef current = function;
        if (!callees.empty() && kinds_in(*function->body).has(Kind::Call)) {
            Uses uses = uses_in(*function, module.get());
            Inliner inliner(context.pass, callees, uses, growth);
            current = with_body(function, inliner.rewrite(function->body));
        }
        done[function->name] = current;
        if (!is_candidate(*current) || recursive.contains(current->name))
            continue;
        Callee callee = describe(current, *module);
        BodyCheck check(callee.uses);
        check.walk(NodeRef(current->body));
        callee.acts = check.acts;
        if (check.fits)
            callees.emplace(current->name, std::move(callee));
    }
    return map_functions(module, [&](const FunctionRef& function) { return done.at(function->name); });
}

} // namespace hidet::compiler
