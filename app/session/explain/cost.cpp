// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/cost.h"

#include <algorithm>
#include <cmath>

#include "app/session/forms/maker.h"
#include "app/session/kernel_bench/figures.h"
#include "compiler/analysis/work.h"
#include "compiler/ir/packing.h"
#include "compiler/ir/rewrite.h"
#include "compiler/tune/predict.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace access = compiler::access;

namespace {

artifact::LaunchShape::Extents extents_of(const ir::ExprVec& exprs, const SymbolValues& sizes) {
    artifact::LaunchShape::Extents out{1, 1, 1};
    for (std::size_t d = 0; d < std::min<std::size_t>(exprs.size(), 3); ++d)
        out[d] = access::known_size(exprs[d], sizes).value_or(0);
    return out;
}

artifact::LaunchShape launch_shape_of(const ir::Function& kernel, const SymbolValues& sizes) {
    artifact::LaunchShape out;
    out.grid = extents_of(kernel.grid_dim, sizes);
    out.block = extents_of(kernel.block_dim, sizes);
    out.cluster = kernel.cluster_dim.empty() ? out.cluster : extents_of(kernel.cluster_dim, sizes);
    if (kernel.dynamic_smem_bytes)
        out.dynamic_shared = access::known_size(kernel.dynamic_smem_bytes, sizes).value_or(0);
    return out;
}

class SharedBytes : public ir::Walker {
public:
    std::int64_t bytes = 0;

protected:
    using Walker::visit;
    void visit(const ir::DeclareStmt& stmt) override {
        if (stmt.scope == ir::Scope::Shared)
            bytes += std::max<std::int64_t>(ir::size_in_bytes(stmt.var->type), 0);
        walk_children(stmt);
    }
};

// Of the tensors that the kernel reads or writes, as its parameters or those of who launches it say.
std::int64_t tensor_bytes(const ir::TensorType& tensor, const SymbolValues& sizes) {
    std::int64_t count = 1;
    for (const ir::ExprRef& extent : tensor.shape)
        count *= access::known_size(extent, sizes).value_or(0);
    const auto dtype = ir::scalar_of(tensor.element);
    return dtype ? std::max<std::int64_t>(ir::packed_bytes(*dtype, count), 0) : 0;
}

double unique_bytes(const ir::Module& module, const ir::Function& kernel, const SymbolValues& sizes) {
    const ir::Function* called = &kernel;
    for (const ir::FunctionRef& function : module.functions)
        if (function->func_kind == ir::FuncKind::Public && function->name == "launch")
            called = function.get();
    double bytes = 0;
    const std::vector<compiler::ParameterAccess> accesses = compiler::parameter_accesses(*called, module);
    for (std::size_t i = 0; i < accesses.size(); ++i) {
        const ir::TensorType* tensor = ir::tensor_of(called->params[i]->type);
        if (tensor)
            bytes += static_cast<double>(tensor_bytes(*tensor, sizes)) *
                     ((accesses[i].read ? 1 : 0) + (accesses[i].written ? 1 : 0));
    }
    return bytes;
}

void add_bytes(const std::vector<access::Access>& accesses, CostView& out) {
    std::size_t unknown = 0;
    for (const access::Access& each : accesses) {
        unknown += each.counted != access::Counted::Exact;
        if (each.is_shared)
            out.shared_bytes += each.sums.bytes;
        else
            out.requested_bytes += each.sums.bytes, out.sector_bytes += each.sums.units * artifact::sector_bytes;
    }
    if (unknown > 0)
        out.bytes_unknown = cat(unknown, " of ", accesses.size(), " accesses are not counted exactly");
}

BenchRow bench_row_of(const ir::Module& module, const ir::Function& kernel, const artifact::LaunchShape& shape,
                      const SymbolValues& sizes, CostView& out) {
    BenchRow row;
    row.function = kernel.name;
    row.bytes = out.unique_bytes;
    compiler::KnownValues known;
    for (const ir::VarRef& param : kernel.params)
        if (const auto size = sizes.find(param->name); size != sizes.end())
            known[param.get()] = size->second;
    const compiler::WorkCount work = compiler::count_work(kernel, module, known);
    out.flops_at_most = work.is_upper_bound;
    row.uses_matrix_units = work.matrix_flops > work.flops;
    row.matrix_type = work.matrix_type;
    row.sum_type = work.sum_type ? ir::info(*work.sum_type).short_name : "";
    row.flops_unknown = shape.blocks() > 0 ? work.unknown : "the grid is not known";
    if (row.flops_unknown.empty())
        row.flops = (row.uses_matrix_units ? work.matrix_flops : work.flops) *
                    static_cast<double>(shape.blocks() * shape.threads());
    out.flops = row.flops;
    out.flops_unknown = row.flops_unknown;
    return row;
}

tune::LaunchWork launch_work_of(const artifact::LaunchShape& shape, const CostView& cost) {
    tune::LaunchWork out;
    out.blocks = static_cast<double>(std::max<std::int64_t>(shape.blocks(), 1));
    out.threads = static_cast<double>(std::max<std::int64_t>(shape.threads(), 1));
    out.cluster = static_cast<double>(std::max<std::int64_t>(shape.cluster_blocks(), 1));
    out.shared = static_cast<double>(cost.static_shared + cost.dynamic_shared);
    out.read_bytes = std::max(cost.sector_bytes, cost.unique_bytes) / out.blocks;
    return out;
}

void add_occupancy(const artifact::TargetSpec& target, CostView& out) {
    out.occupancy = occupancy_of(target, needs_of(out));
    out.waves = out.occupancy->waves;
    out.tail = out.waves > 0 ? (std::ceil(out.waves) - out.waves) / std::ceil(out.waves) : 0;
}

} // namespace

BlockNeeds needs_of(const CostView& cost) {
    BlockNeeds needs;
    needs.threads = cost.block[0] * cost.block[1] * cost.block[2];
    needs.static_shared = cost.static_shared;
    needs.dynamic_shared = cost.dynamic_shared;
    needs.grid_blocks = cost.grid[0] * cost.grid[1] * cost.grid[2];
    if (cost.facts) {
        needs.registers = cost.facts->registers;
        needs.static_shared = cost.facts->static_shared_bytes;
        needs.barriers = cost.facts->barriers;
    }
    return needs;
}

CostView cost_of(const ir::Module& module, const ir::Function& kernel, const SymbolValues& sizes,
                 const artifact::TargetSpec& target, const std::vector<access::Access>& accesses) {
    CostView out;
    const artifact::LaunchShape shape = launch_shape_of(kernel, sizes);
    out.grid.assign(shape.grid.begin(), shape.grid.end());
    out.block.assign(shape.block.begin(), shape.block.end());
    out.dynamic_shared = shape.dynamic_shared;
    SharedBytes shared;
    shared.walk(kernel.body);
    out.static_shared = shared.bytes;
    out.unique_bytes = unique_bytes(module, kernel, sizes);
    add_bytes(accesses, out);
    BenchRow row = bench_row_of(module, kernel, shape, sizes, out);
    if (out.flops && out.unique_bytes > 0)
        out.intensity = *out.flops / out.unique_bytes;
    add_roofs(target, row);
    const tune::OperatorWork work{row.flops.value_or(0), row.bytes, row.uses_matrix_units};
    out.predicted_seconds = tune::predict(launch_work_of(shape, out), work, target);
    row.times.median = out.predicted_seconds;
    place_under_roof(row);
    out.roofline = roofline_of(row);
    out.of_roof = row.roofline.value_or(0);
    out.facts_unknown = "there is no compiler";
    add_occupancy(target, out);
    return out;
}

void add_facts(const KernelFacts& facts, const artifact::TargetSpec& target, CostView& cost) {
    cost.facts = facts;
    cost.facts_unknown.clear();
    add_occupancy(target, cost);
}

void add_machine_code(Work& work, const PreviewRequest& request, const ir::ModuleRef& script,
                      const ir::Function& kernel, const SymbolValues& sizes, CostView& cost) {
    RunRequest run;
    run.tools = request.tools;
    run.contracts = request.contracts;
    run.cancelled = request.cancelled;
    Callable callable;
    callable.module = script;
    const artifact::TargetSpec target = target_of(request, *script);
    const std::vector<KernelView> kernels =
        figures_of(work, run, callable, target, {{kernel.name, launch_shape_of(kernel, sizes), 1}});
    if (kernels.empty())
        return;
    cost.facts = kernels.front().facts;
    cost.facts_unknown = kernels.front().unavailable;
    add_occupancy(target, cost);
}

} // namespace hidet::session
