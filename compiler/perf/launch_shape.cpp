// SPDX-License-Identifier: Apache-2.0
#include "compiler/perf/launch_shape.h"

#include <algorithm>

#include "compiler/analysis/access/access_map.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::perf {

namespace {

template <class Launched, class Evaluate>
KnownShape shape_of(const Launched& of, const ir::ExprVec& grid, const ir::ExprVec& block, const ir::ExprVec& cluster,
                    const Evaluate& value) {
    const auto extents = [&](const ir::ExprVec& exprs) {
        KnownShape::Extents out{1, 1, 1};
        for (std::size_t d = 0; d < std::min(exprs.size(), out.size()); ++d)
            out[d] = value(exprs[d]);
        return out;
    };
    return {extents(grid), extents(block), extents(cluster),
            of.dynamic_smem_bytes ? value(of.dynamic_smem_bytes) : std::optional<std::int64_t>(0)};
}

} // namespace

KnownValues known_parameters(const ir::Function& kernel, const SymbolValues& sizes) {
    KnownValues out;
    for (const ir::VarRef& param : kernel.params)
        if (const auto size = sizes.find(param->name); size != sizes.end())
            out[param.get()] = size->second;
    return out;
}

std::optional<std::int64_t> known_leaf(const ir::ExprRef& leaf, const KnownValues& known, const SymbolValues& symbols) {
    if (const auto value = known.find(leaf.get()); value != known.end())
        return value->second;
    const auto* call = ir::as<ir::Intrinsic>(leaf);
    const auto* name =
        call && call->id == ir::IntrinsicId::GetSymbolValue ? ir::as<ir::Constant>(call->args[0]) : nullptr;
    const auto* text = name ? std::get_if<std::string>(&name->value) : nullptr;
    const auto symbol = text ? symbols.find(*text) : symbols.end();
    return symbol == symbols.end() ? std::nullopt : std::optional(symbol->second);
}

std::optional<double> KnownShape::threads() const {
    double threads = 1;
    for (const Extents* extents : {&grid, &block})
        for (const std::optional<std::int64_t>& extent : *extents) {
            if (!extent)
                return std::nullopt;
            threads *= static_cast<double>(*extent);
        }
    return threads;
}

artifact::LaunchShape KnownShape::or_else(std::int64_t unknown) const {
    artifact::LaunchShape out;
    for (std::size_t d = 0; d < 3; ++d) {
        out.grid[d] = grid[d].value_or(unknown);
        out.block[d] = block[d].value_or(unknown);
        out.cluster[d] = cluster[d].value_or(unknown);
    }
    out.dynamic_shared = dynamic_shared.value_or(0);
    return out;
}

KnownShape resolve(const ir::Function& kernel, const SymbolValues& sizes) {
    return shape_of(kernel, kernel.grid_dim, kernel.block_dim, kernel.cluster_dim,
                    [&](const ir::ExprRef& expr) { return compiler::access::known_size(expr, sizes); });
}

KnownShape resolve(const ir::LaunchStmt& launch, const ir::KnownValue& known) {
    return shape_of(launch, launch.grid, launch.block, launch.cluster,
                    [&](const ir::ExprRef& expr) { return ir::evaluate_whole(expr, known); });
}

std::int64_t static_shared_bytes(const ir::Function& kernel) {
    std::int64_t bytes = 0;
    ir::each_node(kernel.body, [&](const ir::DeclareStmt& stmt) {
        if (stmt.scope == ir::Scope::Shared)
            bytes += std::max<std::int64_t>(ir::size_in_bytes(stmt.var->type), 0);
    });
    return bytes;
}

} // namespace hidet::perf
