// SPDX-License-Identifier: Apache-2.0
// A dynamic dimension of the script becomes an ordinary parameter of each internal function and kernel that needs it,
// itself or through what it calls: appended in the order of names. Public functions, which are called from outside, read the
// value that was bound to the name for this call.
//
// Needs: nothing.
// Guarantees: SymbolVar stands only in the types of a public function's parameters; elsewhere it is a variable.
// Why here: late, so that only the symbols that are still needed become parameters; and once more where the elements of a
// public function's tensors have become arithmetic with the dimensions of their types.
#include <map>

#include "compiler/analysis/calls.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

using Symbols = std::map<std::string, TypeRef>; // by name, for an order that does not depend on the walk

bool is_public(const Function& function) {
    return function.func_kind == FuncKind::Public;
}

class SymbolReplacer : public Rewriter {
public:
    // `handed_over`: what the callers of each function pass to it.
    SymbolReplacer(PassId pass, const std::map<std::string, Symbols>& handed_over)
        : Rewriter(pass), m_handed_over(handed_over) {}

    FunctionRef run(const FunctionRef& function, const Symbols& symbols) {
        for (const auto& [name, type] : symbols) {
            VarRef var = make_var(name, type);
            set_origin(var, {function->origin.span, pass()});
            m_vars.emplace(name, var);
        }
        return is_public(*function) ? with_reads(function) : with_params(function);
    }

protected:
    using Rewriter::visit;

    ExprRef visit(const SymbolVar& symbol) override {
        auto var = m_vars.find(symbol.name);
        return var == m_vars.end() ? self(symbol) : ExprRef(var->second);
    }
    ExprRef visit(const Call& expr) override {
        ExprVec args = rewrite(expr.args);
        bool grew = append_symbols(expr.callee, args);
        return !grew && args == expr.args ? self(expr) : make_call(expr.callee, std::move(args), expr.type);
    }
    StmtRef visit(const LaunchStmt& stmt) override {
        auto rebuilt = rebuild(stmt);
        LaunchStmt copy = *as<LaunchStmt>(rebuilt);
        return append_symbols(stmt.kernel, copy.args) ? make<LaunchStmt>(std::move(copy)) : rebuilt;
    }

private:
    bool append_symbols(const std::string& callee, ExprVec& args) const {
        auto symbols = m_handed_over.find(callee);
        if (symbols == m_handed_over.end() || symbols->second.empty())
            return false;
        for (const auto& [name, type] : symbols->second)
            args.push_back(m_vars.at(name));
        return true;
    }
    FunctionRef with_params(const FunctionRef& function) {
        Function copy = *function;
        for (const auto& [name, var] : m_vars)
            copy.params.push_back(var);
        FunctionRef grown = m_vars.empty() ? function : make<Function>(std::move(copy));
        return rewrite(grown);
    }
    FunctionRef with_reads(const FunctionRef& function) {
        StmtVec stmts;
        for (const auto& [name, var] : m_vars) {
            ExprRef read = make_intrinsic(IntrinsicId::GetSymbolValue, {string_constant(name)}, data_type(DType::I32));
            StmtRef let = make_let_stmt(var, cast_to(read, var->type));
            set_origin(let, {function->origin.span, pass()});
            stmts.push_back(std::move(let));
        }
        stmts.push_back(rewrite(function->body));
        return with_body(function, make_seq(std::move(stmts)));
    }

    const std::map<std::string, Symbols>& m_handed_over;
    std::map<std::string, VarRef> m_vars;
};

// What each function needs, callees included.
std::map<std::string, Symbols> needs_of(const Module& module) {
    std::map<std::string, Symbols> needs;
    CallGraph graph = call_graph(module);
    CallOrder order = callees_first(module);
    for (const FunctionRef& function : order.functions) {
        Symbols& found = needs[function->name];
        // The types of a public one are read by the caller.
        each_node(is_public(*function) ? NodeRef(function->body) : NodeRef(function),
                  [&](const SymbolVar& symbol) { found.emplace(symbol.name, symbol.type); });
    }
    bool grew = true;
    while (grew) { // one round, and more only where calls go in circles
        grew = false;
        for (const FunctionRef& function : order.functions)
            for (const std::string& callee : graph[function->name]) {
                const Function* target = find_function(module, callee);
                if (!target || is_public(*target))
                    continue;
                std::size_t before = needs[function->name].size();
                Symbols inherited = needs[callee];
                needs[function->name].merge(inherited);
                grew = grew || needs[function->name].size() != before;
            }
    }
    return needs;
}

} // namespace

ModuleRef instantiate_symbols(const ModuleRef& module, PassContext& context) {
    std::map<std::string, Symbols> needs = needs_of(*module);
    bool any = false;
    for (const auto& [name, symbols] : needs)
        any = any || !symbols.empty();
    if (!any)
        return module;
    std::map<std::string, Symbols> handed_over = needs;
    for (const FunctionRef& function : module->functions)
        if (is_public(*function))
            handed_over.erase(function->name);
    return map_functions(module, [&](const FunctionRef& function) -> FunctionRef {
        const Symbols& symbols = needs.at(function->name);
        return symbols.empty() ? function : SymbolReplacer(context.pass, handed_over).run(function, symbols);
    });
}

} // namespace hidet::compiler
