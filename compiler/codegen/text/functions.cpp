// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/text/functions.h"

#include <unordered_set>

#include "compiler/analysis/calls.h"
#include "compiler/artifact/scalars.h"
#include "compiler/ir/each_node.h"

namespace hidet::compiler::text {

using namespace ir;

Selection select_functions(const Module& module, const std::vector<std::string>& roots) {
    CallGraph graph = call_graph(module);
    std::set<std::string> wanted(roots.begin(), roots.end());
    std::vector<std::string> pending = roots;
    while (!pending.empty()) {
        std::string name = std::move(pending.back());
        pending.pop_back();
        for (const std::string& callee : graph[name])
            if (wanted.insert(callee).second)
                pending.push_back(callee);
    }
    CallOrder order = callees_first(module);
    Selection result;
    std::unordered_set<const Var*> used;
    for (const FunctionRef& function : order.functions) {
        if (!wanted.contains(function->name))
            continue;
        result.functions.push_back(function);
        each_node(function->body, [&](const Var& var) { used.insert(&var); });
    }
    for (const std::string& name : order.recursive)
        if (wanted.contains(name))
            result.recursive.push_back(name);
    for (const VarRef& global : module.globals)
        if (used.contains(global.get()))
            result.globals.push_back(global);
    return result;
}

Selection select_functions(const Module& module, FuncKind kind) {
    std::vector<std::string> roots;
    for (const FunctionRef& function : module.functions)
        if (function->func_kind == kind)
            roots.push_back(function->name);
    return select_functions(module, roots);
}

std::optional<artifact::EntryPoint> entry_point(const Function& function, const std::string& symbol) {
    artifact::EntryPoint entry;
    entry.name = function.name;
    entry.symbol = symbol;
    for (const VarRef& param : function.params) {
        auto dtype = scalar_of(param->type);
        auto scalar = dtype ? artifact::find_scalar(info(*dtype).short_name) : artifact::Scalar::U64;
        if (!scalar)
            return std::nullopt;
        const bool is_map = is_tensor_map(param->type);
        entry.params.push_back(
            {.name = param->name, .type = *scalar, .is_pointer = !dtype && !is_map, .is_tensor_map = is_map});
    }
    entry.returns_value = function.ret && function.ret->kind != Kind::VoidType;
    if (entry.returns_value) {
        auto dtype = scalar_of(function.ret);
        auto scalar = dtype ? artifact::find_scalar(info(*dtype).short_name) : artifact::Scalar::U64;
        if (!scalar)
            return std::nullopt;
        entry.return_type = *scalar;
    }
    return entry;
}

} // namespace hidet::compiler::text
