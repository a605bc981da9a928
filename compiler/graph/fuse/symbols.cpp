// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/symbols.h"

#include <map>
#include <set>

#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"

namespace hidet::graph {

using namespace ir;

namespace {

class SymbolFinder : public Walker {
public:
    std::set<std::string> found;

protected:
    using Walker::visit;
    void visit(const SymbolVar& symbol) override { found.insert(symbol.name); }
};

std::set<std::string> shown_by(const Function& launch) {
    std::set<std::string> shown;
    for (const VarRef& param : launch.params)
        if (const TensorType* tensor = tensor_of(param->type))
            for (const ExprRef& extent : tensor->shape)
                if (const auto* symbol = as<SymbolVar>(extent))
                    shown.insert(symbol->name);
    return shown;
}

// Every function gets every asked symbol: what a function does not use is dropped from generated code.
class SymbolsToParameters : public Rewriter {
public:
    SymbolsToParameters(const std::set<std::string>& asked, const std::set<std::string>& functions)
        : m_functions(functions) {
        for (const std::string& name : asked)
            m_vars.emplace(name, make_var(name, data_type(DType::I64)));
    }
    FunctionRef run(const FunctionRef& function) {
        Function grown = *function;
        for (const auto& [name, var] : m_vars)
            grown.params.push_back(var);
        return rewrite(make<Function>(std::move(grown)));
    }

protected:
    using Rewriter::visit;
    ExprRef visit(const SymbolVar& symbol) override {
        const auto var = m_vars.find(symbol.name);
        return var == m_vars.end() ? self(symbol) : cast_to(var->second, symbol.type);
    }
    ExprRef visit(const Call& expr) override {
        if (!m_functions.contains(expr.callee))
            return rebuild(expr);
        return make_call(expr.callee, with_symbols(rewrite(expr.args)), expr.type);
    }
    StmtRef visit(const LaunchStmt& stmt) override {
        LaunchStmt copy = *as<LaunchStmt>(rebuild(stmt));
        copy.args = with_symbols(std::move(copy.args));
        return make<LaunchStmt>(std::move(copy));
    }

private:
    ExprVec with_symbols(ExprVec args) const {
        for (const auto& [name, var] : m_vars)
            args.push_back(var);
        return args;
    }

    const std::set<std::string>& m_functions;
    std::map<std::string, VarRef> m_vars;
};

} // namespace

std::vector<FunctionRef> with_symbol_parameters(const std::vector<FunctionRef>& functions, const Function& launch,
                                                std::vector<std::string>& asked) {
    SymbolFinder finder;
    std::set<std::string> names;
    for (const FunctionRef& function : functions) {
        finder.walk(NodeRef(function));
        names.insert(function->name);
    }
    const std::set<std::string> shown = shown_by(launch);
    std::set<std::string> missing;
    for (const std::string& name : finder.found)
        if (!shown.contains(name))
            missing.insert(name);
    if (missing.empty())
        return functions;
    asked.assign(missing.begin(), missing.end());
    std::vector<FunctionRef> result;
    for (const FunctionRef& function : functions)
        result.push_back(SymbolsToParameters(missing, names).run(function));
    return result;
}

} // namespace hidet::graph
