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
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/transform/exits.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/lifter.h"
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
    void visit(const LaunchStmt&) override { acts = true; }
    void visit(const AssertStmt&) override { acts = true; }
    void visit(const Call&) override { acts = true; }
    void visit(const Intrinsic& expr) override {
        acts = acts || ir::acts(expr.id);
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

// Shared tensors of callees. There is one of each in a kernel, however often and on whatever ways its function is called, as in
// CUDA; so the caller declares it once, at its start. `origins` leads from such a declaration to the one in the script.
class SharedOfCallees {
public:
    using Origins = std::map<const Var*, const Var*>; // only for looking up

    explicit SharedOfCallees(Origins& origins) : m_origins(origins) {}

    StmtVec declarations;

    VarRef caller_variable(const DeclareStmt& declare) {
        auto known = m_origins.find(declare.var.get());
        const Var* written = known == m_origins.end() ? declare.var.get() : known->second;
        VarRef& var = m_variables[written];
        if (!var) {
            var = make_var(declare.var->name, declare.var->type);
            set_origin(var, declare.var->origin);
            m_origins[var.get()] = written;
            StmtRef copy = make_declare(var, nullptr, declare.scope, declare.is_static);
            set_origin(copy, declare.origin);
            declarations.push_back(std::move(copy));
        }
        return var;
    }

private:
    Origins& m_origins;
    std::map<const Var*, VarRef> m_variables;
};

// Copies a callee's body; returns become `result = value; break`, for run_once() to resolve.
class BodyCopier : public Rewriter {
public:
    BodyCopier(PassId pass, VarRef result, SharedOfCallees& shared)
        : Rewriter(pass, Definitions::Copy), m_result(std::move(result)), m_shared(shared) {}

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
    StmtRef visit(const DeclareStmt& stmt) override {
        if (stmt.scope != Scope::Shared)
            return rebuild(stmt);
        replace(stmt.var, m_shared.caller_variable(stmt));
        return nullptr;
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
    SharedOfCallees& m_shared;
};

// ---- the caller -----------------------------------------------------------------------------------------------------

class Inliner : public Lifter {
public:
    Inliner(PassId pass, const Module& module, const Callees& callees, const Uses& uses, std::uint64_t& growth,
            SharedOfCallees::Origins& shared)
        : Lifter(pass, module, uses), m_callees(callees), m_growth(growth), m_shared(shared) {}

    StmtRef run(const StmtRef& body) {
        StmtRef result = rewrite(body);
        StmtVec stmts = std::move(m_shared.declarations);
        if (stmts.empty())
            return result;
        stmts.push_back(std::move(result));
        return make_seq(std::move(stmts));
    }

protected:
    using Lifter::visit;

    StmtRef visit(const EvaluateStmt& stmt) override {
        StmtRef rebuilt = Lifter::visit(stmt);
        const auto* evaluate = as<EvaluateStmt>(rebuilt);
        return evaluate && evaluate->value != stmt.value && is_own(evaluate->value) ? nullptr : rebuilt;
    }
    ExprRef visit(const Let& expr) override {
        return kinds_in(*expr.body).has(Kind::Call) ? lifted(expr) : rebuild(expr);
    }
    ExprRef visit(const Call& expr) override {
        ExprVec args = in_order(expr.args, find_function(m_module, expr.callee));
        auto callee = m_callees.find(expr.callee);
        if (callee == m_callees.end() || m_growth + callee->second.function->body->size > max_growth)
            return args == expr.args ? self(expr) : make_call(expr.callee, std::move(args), expr.type);
        m_growth += callee->second.function->body->size;
        StmtVec stmts;
        ExprRef result = inlined(callee->second, args, stmts);
        for (StmtRef& stmt : stmts) {
            set_origin(stmt, {expr.origin.span, pass()});
            lift(std::move(stmt));
        }
        return result;
    }
    bool call_acts(const Call& call) const override {
        auto callee = m_callees.find(call.callee);
        return callee == m_callees.end() || callee->second.acts;
    }

private:
    // The callee's statements into `stmts`; its value, or a void constant.
    ExprRef inlined(const Callee& callee, const ExprVec& args, StmtVec& stmts) {
        const Function& function = *callee.function;
        bool has_value = function.ret->kind != Kind::VoidType;
        VarRef result = has_value ? make_var(function.name, function.ret) : nullptr;
        if (result)
            add_own(*result);
        BodyCopier copier(pass(), result, m_shared);
        for (std::size_t i = 0; i < function.params.size(); ++i)
            if (runs_on_gpu(function.func_kind) && is_tensor_map(args.at(i)->type) && args.at(i)->kind == Kind::Var)
                copier.replace(function.params[i], args.at(i)); // copies go by the map itself, not by one of its own
            else
                bind(function.params[i], args.at(i), callee.uses, copier, stmts);
        StmtRef body = run_once(copier.rewrite(function.body));
        append(std::move(body), result, stmts);
        return has_value ? ExprRef(result) : nothing();
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

    const Callees& m_callees;
    std::uint64_t& m_growth;
    SharedOfCallees m_shared;
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
    SharedOfCallees::Origins shared;
    for (const FunctionRef& function : order.functions) {
        FunctionRef current = function;
        if (!callees.empty() && kinds_in(*function->body).has(Kind::Call)) {
            Uses uses = uses_in(*function, module.get());
            Inliner inliner(context.pass, *module, callees, uses, growth, shared);
            current = with_body(function, inliner.run(function->body));
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
