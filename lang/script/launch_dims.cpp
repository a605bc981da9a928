// SPDX-License-Identifier: Apache-2.0
#include "lang/script/launch_dims.h"

#include <algorithm>
#include <optional>

#include "lang/base/text.h"
#include "lang/script/ir_queries.h"

namespace hidet::lang {

void check_launch_expression(const ir::ExprRef& expr, const ir::VarVec& params, std::string_view name, Span span) {
    bool foreign = any_node(expr, [&](const ir::Node& node) {
        if (node.kind == ir::Kind::BuiltinVar || node.kind == ir::Kind::TensorElement)
            return true;
        return node.kind == ir::Kind::Var &&
               std::ranges::none_of(params, [&](const ir::VarRef& p) { return p.get() == &node; });
    });
    if (foreign)
        fail(DiagId::ScriptLaunchExpr, span, name);
}

ir::ExprVec launch_dims(const Value& value, std::string_view name, Span span,
                        const std::function<ir::ExprRef(const Value&)>& read) {
    const std::vector<Value> items = is_sequence(value) ? value.items() : std::vector<Value>{value};
    if (items.empty() || items.size() > 3)
        fail(DiagId::ScriptDimCount, span, name, items.size());
    ir::ExprVec out;
    for (const Value& item : items) {
        out.push_back(read(item));
        if (ir::is_constant(out.back(), 0))
            fail(DiagId::ScriptDimZero, span, name);
    }
    out.resize(3, ir::int_constant(1));
    return out;
}

// How many there are, as text, if more than `most`: "1024", or "4294967296 * 4294967296" where the product has no number.
// Nothing is said of extents that are not known.
static std::optional<std::string> count_beyond(const ir::ExprVec& dims, std::int64_t most) {
    std::int64_t total = 1;
    bool overflows = false;
    std::vector<std::string> factors;
    for (const ir::ExprRef& dim : dims) {
        const auto extent = ir::constant_int(dim);
        if (!extent)
            return std::nullopt;
        overflows |= __builtin_mul_overflow(total, *extent, &total);
        if (*extent != 1)
            factors.push_back(cat(*extent));
    }
    if (overflows)
        return join(factors, " * ");
    return total > most ? std::optional(cat(total)) : std::nullopt;
}

void check_grid_dim(const ir::ExprVec& dims, Span span) {
    constexpr std::int64_t most = 65535;
    for (std::size_t i = 1; i < 3; ++i)
        if (auto extent = ir::constant_int(dims[i]); extent && *extent > most)
            fail(DiagId::ScriptDimTooBig, span, i == 1 ? "cuda.grid_dim.y" : "cuda.grid_dim.z", *extent, most);
}

void check_block_dim(const ir::ExprVec& dims, Span span) {
    if (const auto z = ir::constant_int(dims[2]); z && *z > 64)
        fail(DiagId::ScriptDimTooBig, span, "cuda.block_dim.z", *z, 64);
    constexpr std::int64_t most_threads = 1024;
    if (const auto threads = count_beyond(dims, most_threads))
        fail(DiagId::ScriptTooManyThreads, span, *threads);
}

// What no device has; a device may have less, and lowering for it says so.
void check_cluster_dim(const ir::ExprVec& dims, Span span) {
    constexpr std::int64_t most_blocks = 16;
    if (const auto blocks = count_beyond(dims, most_blocks))
        fail(DiagId::ScriptClusterTooBig, span, *blocks, most_blocks);
}

} // namespace hidet::lang
