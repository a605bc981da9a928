// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/extent.h"

#include "compiler/ir/evaluate.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

std::optional<std::int64_t> evaluate(const Dim& dim, const SymbolValues& symbols) {
    return ir::evaluate_whole(dim, [&](const Dim& leaf) -> std::optional<std::int64_t> {
        const auto* symbol = ir::as<ir::SymbolVar>(leaf);
        const auto found = symbol ? symbols.find(symbol->name) : symbols.end();
        return found == symbols.end() ? std::nullopt : std::optional(found->second);
    });
}

std::optional<std::vector<std::int64_t>> evaluate(const Shape& shape, const SymbolValues& symbols) {
    std::vector<std::int64_t> extents;
    for (const Dim& each : shape) {
        const auto extent = evaluate(each, symbols);
        if (!extent)
            return std::nullopt;
        extents.push_back(*extent);
    }
    return extents;
}

std::int64_t item_bytes(ir::DType dtype) {
    return ir::bytes_of(ir::is_subbyte(dtype) ? ir::info(dtype).storage : dtype);
}

Dim bytes_of(const TensorSpec& spec) {
    return simplified(ir::mul(element_count(spec.shape), dim(item_bytes(spec.dtype))));
}

} // namespace hidet::graph
