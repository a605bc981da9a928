// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "app/session/kernel_bench/attempt.h"
#include "app/session/kernel_bench/other_memory.h"
#include "compiler/ir/each_node.h"

namespace hidet::session {

namespace {

bool adds_to_itself(const ir::AssignStmt& assign) {
    const auto dtype = ir::scalar_of(assign.var->type);
    return dtype && ir::is_float(*dtype) && ir::any_of_nodes(assign.value, [&](const ir::Binary& sum) {
               return sum.op == ir::BinOp::Add &&
                      (ir::as<ir::Var>(sum.a) == assign.var.get() || ir::as<ir::Var>(sum.b) == assign.var.get());
           });
}

// Variables that one of the loops within adds to, and that are not its own.
std::set<const ir::Var*> sums_of(const ir::StmtRef& body) {
    std::set<const ir::Var*> sums, own;
    ir::each_node(
        body,
        [&](const ir::AssignStmt& assign) {
            if (adds_to_itself(assign))
                sums.insert(assign.var.get());
        },
        [&](const ir::DeclareStmt& declared) { own.insert(declared.var.get()); });
    std::erase_if(sums, [&](const ir::Var* var) { return own.contains(var); });
    return sums;
}

double longest_loop(const ir::ModuleRef& module, double unknown) {
    std::map<const ir::Var*, double> lengths;
    ir::each_node(module, [&](const ir::ForStmt& loop) {
        const std::optional<std::int64_t> extent = ir::constant_int(loop.extent);
        for (const ir::Var* var : sums_of(loop.body))
            lengths.try_emplace(var, 1).first->second *= extent ? static_cast<double>(*extent) : unknown;
    });
    double longest = 1;
    for (const auto& [var, length] : lengths)
        longest = std::max(longest, length);
    return longest;
}

} // namespace

double sum_length(const BenchRow& row, const Callable& callable, const Arguments& args,
                  const std::vector<compiler::ParameterAccess>& accesses) {
    double written = 0, extent = 1, most = 1;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const lang::TensorRef tensor = tensor_in(args[i]);
        if (!tensor)
            continue;
        const auto count = static_cast<double>(tensor->count());
        written += accesses[i].written ? count : 0;
        most = std::max(most, count);
        for (const std::int64_t each : tensor->shape)
            extent = std::max(extent, static_cast<double>(each));
    }
    const double by_operations = row.flops && written > 0 ? *row.flops / 2 / written : extent;
    return std::max({1.0, by_operations, std::min(longest_loop(callable.module, extent), most)});
}

} // namespace hidet::session
