// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "compiler/graph/core/list_attributes.h"
#include "compiler/graph/passes/rules/rules.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

bool is_reshape(const Rewriting& rewriting, NodeId node) {
    return node.valid() && rewriting.is_any_of(node, {OpId::Reshape, OpId::Flatten, OpId::Squeeze, OpId::Unsqueeze});
}

Ints axes_of(const Rewriting& rewriting, NodeId permutation) {
    const std::size_t rank = rewriting.spec(rewriting.input(permutation, 0)).shape.size();
    Ints axes = rewriting.graph.node(permutation).get<Ints>("axes");
    if (axes.empty()) {
        axes.resize(rank);
        std::iota(axes.rbegin(), axes.rend(), 0);
    }
    for (std::int64_t& axis : axes)
        axis = normalise_axis(axis, rank, "axis");
    return axes;
}

bool changes_nothing(const Rewriting& rewriting, NodeId node) {
    if (!rewriting.is(node, OpId::PermuteDims))
        return same_shape(rewriting.spec(rewriting.input(node, 0)).shape, rewriting.spec(rewriting.output(node)).shape);
    const Ints axes = axes_of(rewriting, node);
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (axes[i] != static_cast<std::int64_t>(i))
            return false;
    return true;
}

// The dimension of `from` whose elements are those of dimension `at` of `to`, in row-major order: what stands before it and
// what stands behind it have equal products, and so have the extents.
std::optional<std::size_t> source_dimension(const Shape& from, const Shape& to, std::size_t at) {
    const auto before = [](const Shape& shape, std::size_t end) {
        return element_count(Shape(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(end)));
    };
    const auto behind = [](const Shape& shape, std::size_t begin) {
        return element_count(Shape(shape.begin() + static_cast<std::ptrdiff_t>(begin), shape.end()));
    };
    for (std::size_t i = 0; i < from.size(); ++i)
        if (same_dim(from[i], to[at]) && same_dim(before(from, i), before(to, at)) &&
            same_dim(behind(from, i + 1), behind(to, at + 1)))
            return i;
    return std::nullopt;
}

// Which dimensions of `to` each of `from` becomes, where none of `to` is made of two: an extent of 1 may become none.
std::optional<std::vector<Ints>> parts_of(const Shape& from, const Shape& to) {
    std::vector<Ints> parts(from.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        Dim product = dim(1);
        while (!same_dim(product, from[i])) {
            if (next == to.size())
                return std::nullopt;
            product = simplified(ir::mul(product, to[next]));
            parts[i].push_back(static_cast<std::int64_t>(next++));
        }
    }
    if (from.empty() || !std::all_of(to.begin() + static_cast<std::ptrdiff_t>(next), to.end(),
                                     [](const Dim& extent) { return constant_of(extent) == 1; }))
        return std::nullopt;
    for (; next < to.size(); ++next)
        parts.back().push_back(static_cast<std::int64_t>(next));
    return parts;
}

} // namespace

bool drop_pad(Rewriting& rewriting, NodeId root) {
    const Shape pads = pads_of(rewriting.graph.call_of(root));
    if (!std::ranges::all_of(pads, [](const Dim& pad) { return ir::is_constant(pad, 0); }))
        return false;
    return rewriting.becomes(root, rewriting.input(root, 0));
}

bool drop_reshape(Rewriting& rewriting, NodeId root) {
    if (!changes_nothing(rewriting, root))
        return false;
    return rewriting.becomes(root, rewriting.input(root, 0));
}

bool merge_reshapes(Rewriting& rewriting, NodeId root) {
    const NodeId inner = rewriting.graph.value(rewriting.input(root, 0)).producer;
    if (!is_reshape(rewriting, inner))
        return false;
    const ValueId y = rewriting.reshaped(rewriting.input(inner, 0), rewriting.spec(rewriting.output(root)).shape);
    return rewriting.becomes(root, y);
}

bool merge_permutations(Rewriting& rewriting, NodeId root) {
    const NodeId inner = rewriting.made_by(rewriting.input(root, 0), OpId::PermuteDims);
    if (!inner.valid())
        return false;
    const Ints first = axes_of(rewriting, inner);
    Ints axes = axes_of(rewriting, root);
    for (std::int64_t& axis : axes)
        axis = first[static_cast<std::size_t>(axis)];
    return rewriting.becomes(root, rewriting.permuted(rewriting.input(inner, 0), axes));
}

bool permuted_ones(Rewriting& rewriting, NodeId root) {
    const Shape& shape = rewriting.spec(rewriting.input(root, 0)).shape;
    Ints moved = axes_of(rewriting, root);
    std::erase_if(moved, [&](std::int64_t axis) { return constant_of(shape[static_cast<std::size_t>(axis)]) == 1; });
    if (!std::ranges::is_sorted(moved))
        return false;
    const NodeId inner = rewriting.graph.value(rewriting.input(root, 0)).producer;
    const ValueId x = rewriting.input(is_reshape(rewriting, inner) ? inner : root, 0);
    const ValueId y = rewriting.reshaped(x, rewriting.spec(rewriting.output(root)).shape);
    return rewriting.becomes(root, y);
}

bool split_before_permutation(Rewriting& rewriting, NodeId root) {
    const ValueId permuted = rewriting.input(root, 0);
    const NodeId permutation = rewriting.made_by(permuted, OpId::PermuteDims);
    if (!permutation.valid() || !rewriting.only_reader(permuted, root))
        return false;
    const Shape& to = rewriting.spec(rewriting.output(root)).shape;
    const auto parts = parts_of(rewriting.spec(permuted).shape, to);
    if (!parts)
        return false;
    const Ints axes = axes_of(rewriting, permutation);
    std::vector<std::size_t> place(axes.size()); // in the permuted tensor, of each dimension
    for (std::size_t i = 0; i < axes.size(); ++i)
        place[static_cast<std::size_t>(axes[i])] = i;
    Shape shape;
    Ints order(to.size());
    for (const std::size_t at : place)
        for (const std::int64_t part : (*parts)[at]) {
            order[static_cast<std::size_t>(part)] = static_cast<std::int64_t>(shape.size());
            shape.push_back(to[static_cast<std::size_t>(part)]);
        }
    const ValueId split = rewriting.reshaped(rewriting.input(permutation, 0), shape);
    return rewriting.becomes(root, rewriting.permuted(split, order));
}

bool constant_before_reshape(Rewriting& rewriting, NodeId root) {
    const auto found = constant_operand(rewriting, root);
    if (!found || !rewriting.only_reader(found->x, root))
        return false;
    const NodeId reshape = rewriting.graph.value(found->x).producer;
    if (!is_reshape(rewriting, reshape))
        return false;
    const Shape to = rewriting.spec(found->x).shape;
    const ValueId x = rewriting.input(reshape, 0);
    const Shape from = rewriting.spec(x).shape;
    if (!same_shape(rewriting.spec(rewriting.output(root)).shape, to))
        return false;
    const auto at = dimension_of(rewriting.spec(found->constant).shape, to.size());
    if (!at)
        return false;
    Shape shape(from.size(), dim(1));
    if (*at >= 0) {
        const auto source = source_dimension(from, to, static_cast<std::size_t>(*at));
        if (!source)
            return false;
        shape[*source] = from[*source];
    }
    const ValueId constant = rewriting.reshaped(found->constant, shape);
    const ValueId y = rewriting.add(rewriting.graph.node(root).op->id, {x, constant});
    return rewriting.becomes(root, rewriting.reshaped(y, to));
}

} // namespace hidet::graph
