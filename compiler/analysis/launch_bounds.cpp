// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/launch_bounds.h"

#include <algorithm>

#include "compiler/analysis/calls.h"

namespace hidet::compiler {

using namespace ir;

namespace {

using Dims = std::optional<Range>[3];

void read_dims(const ExprVec& exprs, Dims& dims) {
    for (std::size_t i = 0; i < exprs.size() && i < 3; ++i)
        if (auto value = constant_int(exprs[i]); value && *value > 0)
            dims[i] = Range{*value, *value};
}

void join_dims(Dims& into, const Dims& other) {
    for (int i = 0; i < 3; ++i) {
        if (!into[i] || !other[i])
            into[i] = std::nullopt;
        else
            into[i] = Range{std::min(into[i]->lo, other[i]->lo), std::max(into[i]->hi, other[i]->hi)};
    }
}

bool is_kernel(const Function& function) {
    return function.func_kind == FuncKind::CudaKernel;
}

} // namespace

std::map<std::string, LaunchBounds> launch_bounds(const Module& module) {
    std::map<std::string, LaunchBounds> result;
    CallOrder order = callees_first(module);
    CallGraph graph = call_graph(module);
    for (const FunctionRef& function : module.functions)
        if (is_kernel(*function)) {
            read_dims(function->grid_dim, result[function->name].grid);
            read_dims(function->block_dim, result[function->name].block);
        }
    // From callers to callees: what a function knows, the functions it calls know too.
    for (auto caller = order.functions.rbegin(); caller != order.functions.rend(); ++caller) {
        auto known = result.find((*caller)->name);
        if (known == result.end())
            continue;
        LaunchBounds bounds = known->second;
        for (const std::string& name : graph[(*caller)->name]) {
            const Function* callee = find_function(module, name);
            if (!callee || callee->func_kind != FuncKind::CudaInternal)
                continue;
            auto [entry, is_new] = result.emplace(name, bounds);
            if (is_new)
                continue;
            join_dims(entry->second.block, bounds.block);
            join_dims(entry->second.grid, bounds.grid);
        }
    }
    if (!order.recursive.empty()) // no order in which callers come first: only the kernels know
        for (const FunctionRef& function : module.functions)
            if (!is_kernel(*function))
                result.erase(function->name);
    return result;
}

const LaunchBounds* find_bounds(const BoundsByName& bounds, const Function& function) {
    const auto found = bounds.find(function.name);
    return found == bounds.end() ? nullptr : &found->second;
}

void bind(Ranges& ranges, const LaunchBounds& bounds) {
    for (int i = 0; i < 3; ++i) {
        if (bounds.block[i]) {
            ranges.bind(thread_builtins[i], {0, bounds.block[i]->hi - 1});
            ranges.bind(block_dim_builtins[i], *bounds.block[i]);
        }
        if (bounds.grid[i]) {
            ranges.bind(block_builtins[i], {0, bounds.grid[i]->hi - 1});
            ranges.bind(grid_dim_builtins[i], *bounds.grid[i]);
        }
    }
}

} // namespace hidet::compiler
