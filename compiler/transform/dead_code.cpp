// SPDX-License-Identifier: Apache-2.0
// Drops variables that nobody reads, with the assignments to them, and internal functions that no kernel and no public
// function reaches. What evaluating an initial value does besides being a value stays, and so do loads, which the emulator
// checks: an index out of bounds is a mistake whether or not the value is used.
//
// Needs: nothing.
// Guarantees: one pass over each function, so a variable that only a dropped one read may be left.
// Why here: at the end, for what inlining and simplifying left behind.
#include <set>

#include "compiler/analysis/calls.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

class Sweeper : public Rewriter {
public:
    Sweeper(PassId pass, const Uses& uses) : Rewriter(pass), m_uses(uses) {}

protected:
    using Rewriter::visit;

    StmtRef visit(const DeclareStmt& stmt) override {
        if (!is_dead(*stmt.var) || stmt.is_static)
            return self(stmt);
        return effects_of(stmt.init);
    }
    StmtRef visit(const AssignStmt& stmt) override { return is_dead(*stmt.var) ? effects_of(stmt.value) : self(stmt); }
    StmtRef visit(const EvaluateStmt& stmt) override { return self(stmt); }
    StmtRef visit(const StoreStmt& stmt) override { return self(stmt); }
    StmtRef visit(const IfStmt& stmt) override { // without walking the condition
        StmtRef then_body = rewrite(stmt.then_body);
        StmtRef else_body = rewrite(stmt.else_body);
        if (then_body == stmt.then_body && else_body == stmt.else_body)
            return self(stmt);
        if (!then_body && !else_body)
            return effects_of(stmt.condition);
        return make_if(stmt.condition, std::move(then_body), std::move(else_body));
    }

private:
    bool is_dead(const Var& var) const {
        const VarFacts& facts = m_uses.of(var);
        return facts.reads == 0 && !facts.addressed && facts.writes == facts.assignments;
    }
    static StmtRef effects_of(const ExprRef& value) {
        return !value || can_forget(value) ? nullptr : make_evaluate(value);
    }

    const Uses& m_uses;
};

std::vector<FunctionRef> reachable(const Module& module) {
    CallGraph graph = call_graph(module);
    std::set<std::string> seen;
    std::vector<std::string> open;
    auto reach = [&](const std::string& name) {
        if (seen.insert(name).second)
            open.push_back(name);
    };
    for (const FunctionRef& function : module.functions)
        if (function->func_kind != FuncKind::CudaInternal && function->func_kind != FuncKind::CpuInternal)
            reach(function->name);
    if (open.empty()) // a library of internal functions
        return module.functions;
    while (!open.empty()) {
        std::string name = open.back();
        open.pop_back();
        for (const std::string& callee : graph[name])
            reach(callee);
    }
    std::vector<FunctionRef> functions;
    for (const FunctionRef& function : module.functions)
        if (seen.contains(function->name))
            functions.push_back(function);
    return functions;
}

} // namespace

ModuleRef dead_code(const ModuleRef& module, PassContext& context) {
    std::vector<FunctionRef> functions = reachable(*module);
    ModuleRef current =
        functions.size() == module->functions.size() ? module : with_functions(module, std::move(functions));
    return map_functions(current, [&](const FunctionRef& function) {
        Uses uses = uses_in(*function, current.get());
        Sweeper sweeper(context.pass, uses);
        return with_body(function, sweeper.rewrite(function->body));
    });
}

} // namespace hidet::compiler
