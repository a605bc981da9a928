// SPDX-License-Identifier: Apache-2.0
// Dimensions in another order, and merged: PermuteDims, TransposeOp2D and what both are cases of, Rearrange.
#include <algorithm>
#include <numeric>

#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using Axes = std::vector<std::size_t>;

// Dimension k of the result is the dimensions groups[k] of x, merged.
Task define_groups(const OpCall& call, const std::string& name, const std::vector<Axes>& groups) {
    const Shape& from = call.inputs[0].shape;
    const auto extents = [&](const Axes& axes) {
        Shape shape;
        for (std::size_t axis : axes)
            shape.push_back(from[axis]);
        return shape;
    };
    Shape to;
    for (const Axes& axes : groups)
        to.push_back(element_count(extents(axes)));
    const Source source = [&](const Indices& index) {
        Indices found(from.size(), dim(0));
        for (std::size_t k = 0; k < groups.size(); ++k) {
            const Indices parts = reshaped_index(extents(groups[k]), {to[k]}, {index[k]});
            for (std::size_t i = 0; i < groups[k].size(); ++i)
                found[groups[k][i]] = parts[i];
        }
        return found;
    };
    const Source inverse = [&](const Indices& index) {
        Indices found;
        for (std::size_t k = 0; k < groups.size(); ++k) {
            Indices parts;
            for (std::size_t axis : groups[k])
                parts.push_back(index[axis]);
            found.push_back(reshaped_index({to[k]}, extents(groups[k]), parts)[0]);
        }
        return found;
    };
    return define_move(call, name, to, source, inverse);
}

Task define_permute(const OpCall& call, const std::string& name, const Axes& axes) {
    std::vector<Axes> groups;
    for (std::size_t axis : axes)
        groups.push_back({axis});
    return define_groups(call, name, groups);
}

Axes permutation(const OpCall& call) {
    Axes axes = axes_attribute(call, "axes", rank_of(call));
    if (axes.empty()) {
        axes.resize(rank_of(call));
        std::iota(axes.rbegin(), axes.rend(), std::size_t{0});
    }
    if (axes.size() != rank_of(call))
        throw OpError("permute_dims: " + std::to_string(axes.size()) + " axes for a tensor of shape " +
                      text_of(call.inputs[0].shape));
    return axes;
}

Task define_transpose(const OpCall& call) {
    if (rank_of(call) != 2)
        throw OpError("transpose_2d wants a matrix, not " + text_of(call.inputs[0]));
    return define_permute(call, "transpose_2d", {1, 0});
}

Task define_rearrange(const OpCall& call) {
    const Shape& from = call.inputs[0].shape;
    const Axes axes = axes_attribute(call, "axes", from.size());
    const Ints counts = ints_attribute(call, "groups");
    std::vector<Axes> groups;
    std::size_t next = 0;
    for (std::int64_t count : counts) {
        groups.emplace_back();
        for (std::int64_t i = 0; i < count && next < axes.size(); ++i)
            groups.back().push_back(axes[next++]);
    }
    const bool is_whole =
        std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) == static_cast<std::int64_t>(axes.size()) &&
        std::ranges::none_of(counts, [](std::int64_t count) { return count < 0; });
    if (!is_whole)
        throw OpError("rearrange: groups " + text_of(Attribute(counts)) + " of " + std::to_string(axes.size()) +
                      " axes");
    for (std::size_t i = 0; i < from.size(); ++i)
        if (std::ranges::find(axes, i) == axes.end() && !ir::is_constant(from[i], 1))
            throw OpError("rearrange leaves out dimension " + std::to_string(i) + " of " + text_of(from));
    return define_groups(call, "rearrange", groups);
}

} // namespace

const OpInfo& op_info::PermuteDims() {
    static const OpInfo info = {
        .id = OpId::PermuteDims,
        .python = "permute_dims",
        .parameters = "x, axes: ints = []",
        .cls = OpClass::Transform,
        .summary = "dimension k of the result is dimension axes[k] of x; the reverse order when no axes are given",
        .example = "hidet.ops.permute_dims(hidet.randn([2, 3, 4]), [0, 2, 1])",
        .define = [](const OpCall& call) { return define_permute(call, "permute_dims", permutation(call)); },
    };
    return info;
}

const OpInfo& op_info::Rearrange() {
    static const OpInfo info = {
        .id = OpId::Rearrange,
        .python = "rearrange",
        .parameters = "x, axes: ints, groups: ints",
        .cls = OpClass::Transform,
        .summary =
            "the dimensions `axes` of x in that order, the first groups[0] of them merged to one, the next groups[1] "
            "to the next; 0 makes an extent of 1, and extents of 1 may be left out",
        .example = "hidet.ops.rearrange(hidet.randn([2, 3, 4]), axes=[1, 0, 2], groups=[1, 2])",
        .define = define_rearrange,
    };
    return info;
}

const OpInfo& op_info::TransposeOp2D() {
    static const OpInfo info = {
        .id = OpId::TransposeOp2D,
        .python = "transpose_2d",
        .parameters = "x",
        .cls = OpClass::Transform,
        .summary = "a matrix with rows and columns exchanged",
        .example = "hidet.ops.transpose_2d(hidet.randn([2, 3]))",
        .define = define_transpose,
    };
    return info;
}

} // namespace hidet::graph
