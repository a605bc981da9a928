// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/access/access_map.h"

#include <algorithm>

#include "compiler/analysis/access/tracer.h"
#include "compiler/ir/evaluate.h"

namespace hidet::compiler::access {

void Sums::add(const artifact::Traffic& traffic, double times) {
    requests += static_cast<double>(traffic.requests) * times;
    bytes += static_cast<double>(traffic.bytes) * times;
    units += static_cast<double>(traffic.units) * times;
    least += static_cast<double>(traffic.least) * times;
    worst = std::max(worst, traffic.worst);
}

void Sums::add(const Sums& other) {
    requests += other.requests, bytes += other.bytes, units += other.units, least += other.least;
    worst = std::max(worst, other.worst);
}

int Picture::lanes() const {
    return static_cast<int>(std::ranges::count_if(bytes, [](int size) { return size > 0; }));
}

std::vector<Access> access_maps(const ir::Module& module, const ir::Function& kernel, const SymbolValues& sizes,
                                const Limits& limits) {
    return AccessTracer(module, kernel, sizes, limits).accesses();
}

std::optional<std::int64_t> known_size(const ir::ExprRef& expr, const SymbolValues& sizes) {
    return ir::evaluate_whole(expr, [&](const ir::ExprRef& leaf) -> std::optional<std::int64_t> {
        const auto* symbol = ir::as<ir::SymbolVar>(leaf);
        const auto* var = ir::as<ir::Var>(leaf);
        if (!symbol && !var)
            return std::nullopt;
        const auto found = sizes.find(symbol ? symbol->name : var->name);
        return found == sizes.end() ? std::nullopt : std::optional(found->second);
    });
}

const char* kind_name(AccessKind kind) {
    switch (kind) {
    case AccessKind::Load: return "load";
    case AccessKind::Store: return "store";
    case AccessKind::Atomic: return "atomic";
    case AccessKind::CopyAsync: return "copy";
    case AccessKind::LoadMatrix: return "ldmatrix";
    case AccessKind::StoreMatrix: return "stmatrix";
    case AccessKind::CopyUnit: return "copy unit";
    case AccessKind::Assembly: return "other code";
    }
    return "";
}

const char* counted_name(Counted counted) {
    switch (counted) {
    case Counted::Exact: return "exact";
    case Counted::Sampled: return "sampled";
    case Counted::Unknown: return "unknown";
    }
    return "";
}

const char* form_name(Form form) {
    switch (form) {
    case Form::Affine: return "affine";
    case Form::Sampled: return "sampled";
    case Form::Unknown: return "unknown";
    }
    return "";
}

} // namespace hidet::compiler::access
