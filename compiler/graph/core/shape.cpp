// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/shape.h"

#include <algorithm>
#include <set>

#include "compiler/graph/core/dim_form.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "compiler/simplify/expr_simplifier.h"

namespace hidet::graph {

namespace {

// Two computed ones that may differ are taken to be equal, and a run checks it; the result is b. Not so two plain symbols: a
// run may well have 1 for either.
Dim broadcast_dim(const Dim& a, const Dim& b) {
    if (same_dim(a, b) || ir::is_constant(b, 1))
        return a;
    if (ir::is_constant(a, 1))
        return b;
    if (!constant_of(a) && constant_of(b))
        return b;
    if (constant_of(a) && !constant_of(b))
        return a;
    const bool are_plain = ir::as<ir::SymbolVar>(a) && ir::as<ir::SymbolVar>(b);
    return constant_of(a) || are_plain ? nullptr : b;
}

} // namespace

Dim dim(std::int64_t extent) {
    return ir::int_constant(extent, ir::DType::I64);
}

Dim symbol_dim(const std::string& name) {
    return ir::make_symbol(name, ir::data_type(ir::DType::I64));
}

Dim simplified(const Dim& dim) {
    if (constant_of(dim) || dim->kind == ir::Kind::SymbolVar)
        return dim;
    return in_one_form(compiler::simplified(dim, compiler::Ranges()));
}

std::optional<std::int64_t> constant_of(const Dim& dim) {
    return ir::constant_int(dim);
}

bool same_dim(const Dim& a, const Dim& b) {
    if (const auto extent = constant_of(a))
        return ir::is_constant(b, *extent);
    return ir::structural_equal(a, b) || ir::structural_equal(simplified(a), simplified(b));
}
bool differ(const Dim& a, const Dim& b) {
    return constant_of(a) && constant_of(b) && !same_dim(a, b);
}
bool differ(const Shape& a, const Shape& b) {
    return !std::ranges::equal(a, b, [](const Dim& x, const Dim& y) { return !differ(x, y); });
}

bool same_shape(const Shape& a, const Shape& b) {
    return std::ranges::equal(a, b, same_dim);
}

Shape shape_of(const std::vector<std::int64_t>& extents) {
    return transformed(extents, [&](std::int64_t extent) { return dim(extent); });
}

std::optional<std::vector<std::int64_t>> constant_shape(const Shape& shape) {
    std::vector<std::int64_t> extents;
    for (const Dim& each : shape) {
        const auto extent = constant_of(each);
        if (!extent)
            return std::nullopt;
        extents.push_back(*extent);
    }
    return extents;
}

std::vector<std::int64_t> dims_from(std::int64_t first, std::size_t rank) {
    std::vector<std::int64_t> dims;
    for (; first < static_cast<std::int64_t>(rank); ++first)
        dims.push_back(first);
    return dims;
}

Dim element_count(const Shape& shape) {
    Dim count = dim(1);
    for (const Dim& each : shape)
        count = ir::mul(count, each);
    return simplified(count);
}

std::string text_of(const Shape& shape) {
    std::string text = "[";
    for (const Dim& each : shape)
        text += (text.size() > 1 ? ", " : "") + text_of(each);
    return text + "]";
}

std::vector<std::string> symbols_of(const Shape& shape) {
    std::set<std::string> names;
    for (const Dim& each : shape)
        ir::each_node(each, [&](const ir::SymbolVar& symbol) { names.insert(symbol.name); });
    return {names.begin(), names.end()};
}

Shape broadcast(const Shape& a, const Shape& b) {
    const Shape& longer = a.size() >= b.size() ? a : b;
    const Shape& shorter = a.size() >= b.size() ? b : a;
    Shape result = longer;
    const std::size_t shift = longer.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        result[shift + i] = a.size() >= b.size() ? broadcast_dim(longer[shift + i], shorter[i])
                                                 : broadcast_dim(shorter[i], longer[shift + i]);
        if (!result[shift + i])
            throw OpError("shapes ", text_of(a), " and ", text_of(b), " do not broadcast");
    }
    return result;
}

std::int64_t normalise_axis(std::int64_t axis, std::size_t rank, const char* what) {
    const auto count = static_cast<std::int64_t>(rank);
    if (axis < -count || axis >= count)
        throw OpError(what, " ", axis, " is out of range for ", rank, (rank == 1 ? " dimension" : " dimensions"));
    return axis < 0 ? axis + count : axis;
}

} // namespace hidet::graph
