// SPDX-License-Identifier: Apache-2.0
// Operators that move elements.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/graph/onnx/conversions.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

std::int64_t clipped_axis(std::int64_t axis, std::size_t rank) { // as Python's slices do
    const auto limit = static_cast<std::int64_t>(rank);
    return std::clamp<std::int64_t>(axis < 0 ? axis + limit : axis, 0, limit);
}

// Axes as an attribute up to some version, then as an operand. Nothing: none are given.
std::optional<Ints> axes_of(const NodeCall& node, std::size_t input, std::int64_t operand_since) {
    if (node.opset() >= operand_since)
        return node.has(input) ? std::optional(node.ints_in(input)) : std::nullopt;
    return node.has_attribute("axes") ? std::optional(node.ints("axes")) : std::nullopt;
}

Shape as_shape(const Ints& values) {
    return shape_of(values);
}

} // namespace

Vals shape(NodeCall& node) {
    const Shape& all = node.shape();
    std::int64_t start = 0;
    auto end = static_cast<std::int64_t>(all.size());
    if (node.opset() >= 15) {
        start = clipped_axis(node.i("start", 0), all.size());
        end = node.has_attribute("end") ? clipped_axis(node.i("end"), all.size()) : end;
    }
    Contents contents;
    for (std::int64_t d = start; d < end; ++d)
        contents.elements.push_back(all[static_cast<std::size_t>(d)]);
    contents.shape = {static_cast<std::int64_t>(contents.elements.size())};
    return {node.builder().contents(ir::DType::I64, std::move(contents))};
}

Vals size(NodeCall& node) {
    return {node.builder().contents(ir::DType::I64, {{}, {element_count(node.shape())}})};
}

Vals reshape(NodeCall& node) {
    Shape wanted = node.opset() >= 5 ? node.dims_in(1) : as_shape(node.ints("shape"));
    const bool allows_zero = node.i("allowzero", 0) != 0;
    const Shape& from = node.shape();
    Dim rest = element_count(from);
    std::optional<std::size_t> open;
    Dim others = dim(1);
    Shape kept_from = from; // extents that are the same on both sides cancel, also where one of them is 0
    Shape kept_to;
    for (std::size_t d = 0; d < wanted.size(); ++d) {
        const auto extent = constant_of(wanted[d]);
        if (extent == 0 && !allows_zero) {
            if (d >= from.size())
                throw OpError("dimension ", d, " is to be kept, and ", text_of(from), " has none");
            wanted[d] = from[d];
        } else if (extent == -1) {
            if (open)
                throw OpError("the shape ", text_of(wanted), " has more than one -1");
            open = d;
            continue;
        } else if (extent && *extent < 0) {
            throw OpError("the shape ", text_of(wanted), " has a negative dimension");
        }
        const auto equal = std::ranges::find_if(kept_from, [&](const Dim& each) { return same_dim(each, wanted[d]); });
        if (equal != kept_from.end())
            kept_from.erase(equal);
        else
            kept_to.push_back(wanted[d]);
    }
    if (open) {
        const Dim have = element_count(kept_from);
        const Dim divisor = element_count(kept_to);
        if (ir::is_constant(divisor, 0))
            throw OpError("the -1 of the shape cannot be found: the other dimensions have no elements");
        if (constant_of(have) && constant_of(divisor) && *constant_of(have) % *constant_of(divisor) != 0)
            throw OpError("a tensor of shape ", text_of(from), " cannot be reshaped to ", text_of(wanted));
        wanted[*open] = simplified(ir::floor_div(have, divisor));
    }
    return {node.reshape(node.in(), wanted)};
}

Vals flatten(NodeCall& node) {
    const Shape& from = node.shape();
    const auto axis = static_cast<std::size_t>(clipped_axis(node.i("axis", 1), from.size()));
    const auto at = from.begin() + static_cast<std::ptrdiff_t>(axis);
    return {node.reshape(node.in(), {element_count(Shape(from.begin(), at)), element_count(Shape(at, from.end()))})};
}

Vals squeeze(NodeCall& node) {
    std::optional<Ints> axes = axes_of(node, 1, 13);
    if (!axes) {
        axes.emplace();
        for (std::size_t d = 0; d < node.rank(); ++d)
            if (ir::is_constant(node.shape()[d], 1))
                axes->push_back(static_cast<std::int64_t>(d));
    }
    return {node.squeeze(node.in(), *axes)};
}

Vals unsqueeze(NodeCall& node) {
    const std::optional<Ints> axes = axes_of(node, 1, 13);
    if (!axes)
        throw OpError("the axes are missing");
    return {node.unsqueeze(node.in(), *axes)};
}

Vals transpose(NodeCall& node) {
    Ints axes = dims_from(0, node.rank());
    std::ranges::reverse(axes);
    axes = node.ints("perm", axes);
    if (axes.size() != node.rank())
        throw OpError("perm has ", axes.size(), " entries for a tensor of shape ", text_of(node.shape()));
    return {node.transpose(node.in(), axes)};
}

Vals concat(NodeCall& node) {
    const std::int64_t axis = node.opset() >= 4 ? node.i("axis") : node.i("axis", 1);
    const Vals parts = node.present();
    return {parts.size() == 1 ? parts[0] : node.add(OpId::Concat, parts, {{"axis", axis}})};
}

namespace {

constexpr std::int64_t split_counts_since = 18; // num_outputs, and a last part that is smaller

// The extent in equal parts.
Shape equal_parts(const NodeCall& node, const Dim& extent) {
    const auto parts = static_cast<std::int64_t>(node.node().outputs.size());
    const bool is_counted = node.opset() >= split_counts_since;
    const std::int64_t wanted = is_counted ? node.i("num_outputs") : parts;
    if (wanted < 1 || wanted != parts)
        throw OpError("num_outputs is ", wanted, ", and there are ", parts);
    if (const auto known = constant_of(extent); known && *known % parts != 0 && !is_counted)
        throw OpError("an extent of ", *known, " cannot be split into ", parts, " equal parts");
    const Dim each = simplified(is_counted ? ir::floor_div(ir::add(extent, dim(parts - 1)), dim(parts))
                                           : ir::floor_div(extent, dim(parts)));
    Shape sizes(static_cast<std::size_t>(parts), each);
    if (is_counted)
        sizes.back() = simplified(ir::sub(extent, ir::mul(each, dim(parts - 1))));
    return sizes;
}

Shape sizes_of_split(const NodeCall& node, const Dim& extent) {
    const bool is_given = node.has(1) || node.has_attribute("split");
    if (is_given && node.has_attribute("num_outputs"))
        throw OpError("it has sizes and num_outputs, where the standard wants one of them");
    if (!is_given)
        return equal_parts(node, extent);
    Shape sizes = node.has(1) ? node.dims_in(1) : as_shape(node.ints("split"));
    if (sizes.size() != node.node().outputs.size())
        throw OpError("there are ", sizes.size(), " sizes for ", node.node().outputs.size(), " results");
    return sizes;
}

// The sum, where it is one and no part of it wraps.
Dim sum_of_sizes(const Shape& sizes) {
    const std::optional<Ints> known = constant_shape(sizes);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::int64_t size = constant_of(sizes[i]).value_or(0);
        if (size < 0)
            throw OpError("the split ", text_of(sizes), " has a negative size");
        if (__builtin_add_overflow(sum, size, &sum))
            throw OpError("the sizes ", text_of(sizes), " have no sum");
    }
    if (known)
        return dim(sum);
    Dim total = dim(0);
    for (const Dim& each : sizes)
        total = ir::add(total, each);
    return simplified(total);
}

} // namespace

Vals split(NodeCall& node) {
    const auto axis = static_cast<std::size_t>(normalise_axis(node.i("axis", 0), node.rank(), "axis"));
    const Dim& extent = node.shape()[axis];
    const Shape sizes = sizes_of_split(node, extent);
    const Dim sum = sum_of_sizes(sizes);
    if (differ(sum, extent))
        throw OpError("the split ", text_of(sizes), " does not make up ", text_of({extent}));
    const Val x = node.with_extent(node.in(), axis, sum);
    if (sizes.size() == 1)
        return {x};
    Vals results;
    Dim start = dim(0);
    for (const Dim& size : sizes) {
        const Dim end = simplified(ir::add(start, size));
        results.push_back(node.slice(x, static_cast<std::int64_t>(axis), start, end));
        start = end;
    }
    return results;
}

Vals slice(NodeCall& node) {
    const bool has_operands = node.opset() >= 10;
    const Shape starts = has_operands ? node.dims_in(1) : as_shape(node.ints("starts"));
    Shape ends = has_operands ? node.dims_in(2) : as_shape(node.ints("ends"));
    Ints axes = has_operands ? (node.has(3) ? node.ints_in(3) : Ints()) : node.ints("axes");
    Ints steps = has_operands && node.has(4) ? node.ints_in(4) : Ints(starts.size(), 1);
    if (axes.empty())
        axes = dims_from(0, starts.size());
    if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
        throw OpError("starts, ends, axes and steps have different lengths");
    for (std::size_t k = 0; k < axes.size(); ++k) {
        axes[k] = normalise_axis(axes[k], node.rank(), "axis");
        if (steps[k] == 0)
            throw OpError("a step of a slice is 0");
        // "To the end", as it is usually written.
        const Dim& extent = node.shape()[static_cast<std::size_t>(axes[k])];
        const auto end = constant_of(ends[k]);
        if (end && *end >= std::numeric_limits<std::int32_t>::max() && !constant_of(extent))
            ends[k] = extent;
    }
    if (starts.empty())
        return {node.in()};
    return {node.add(OpId::StridedSlice, {node.in()},
                     {{"starts", starts}, {"ends", ends}, {"axes", axes}, {"strides", steps}})};
}

Vals gather(NodeCall& node) {
    const std::int64_t axis = normalise_axis(node.i("axis", 0), node.rank(), "axis");
    node.check_indices(1, node.shape()[static_cast<std::size_t>(axis)]);
    return {node.add(OpId::Take, {node.in(0), node.in(1)}, {{"axis", node.i("axis", 0)}})};
}
Vals gather_elements(NodeCall& node) {
    const std::int64_t axis = normalise_axis(node.i("axis", 0), node.rank(), "axis");
    node.check_indices(1, node.shape()[static_cast<std::size_t>(axis)]);
    return {node.add(OpId::Gather, {node.in(0), node.in(1)}, {{"axis", node.i("axis", 0)}})};
}
Vals gather_nd(NodeCall& node) {
    node.check_coordinates(1, node.i("batch_dims", 0));
    return {node.add(OpId::GatherND, {node.in(0), node.in(1)}, {{"batch_dims", node.i("batch_dims", 0)}})};
}

Vals expand(NodeCall& node) {
    return {node.broadcast(node.in(), broadcast(node.shape(), node.dims_in(1)))};
}

Vals tile(NodeCall& node) {
    if (node.opset() >= 6)
        return {node.add(OpId::Tile, {node.in()}, {{"repeats", node.dims_in(1)}})};
    Shape repeats(node.rank(), dim(1));
    repeats[static_cast<std::size_t>(normalise_axis(node.int_in(2), node.rank(), "axis"))] = dim(node.int_in(1));
    return {node.add(OpId::Tile, {node.in()}, {{"repeats", repeats}})};
}

Vals pad(NodeCall& node) {
    const std::string mode = node.s("mode", "constant");
    const bool has_operands = node.opset() >= 11;
    const Shape given = has_operands ? node.dims_in(1) : as_shape(node.ints(node.opset() >= 2 ? "pads" : "paddings"));
    const std::size_t rank = node.rank();
    Shape pads(rank * 2, dim(0));
    const Ints axes = has_operands && node.has(3) ? node.ints_in(3) : dims_from(0, rank);
    if (given.size() != axes.size() * 2)
        throw OpError("there are ", given.size(), " pads for ", axes.size(), " dimensions");
    for (std::size_t k = 0; k < axes.size(); ++k) {
        const auto axis = static_cast<std::size_t>(normalise_axis(axes[k], rank, "axis"));
        pads[axis] = given[k];
        pads[rank + axis] = given[axes.size() + k];
    }
    Attributes attributes = {{"pads", pads}, {"mode", mode}};
    if (has_operands && node.has(2)) {
        if (!node.in(2)->data)
            return {node.add(OpId::Pad, {node.in(), node.reshape(node.in(2), {})}, attributes)};
        const double value = node.number_in(2);
        if (ir::is_float(node.dtype()))
            attributes.set("value", value);
        else
            attributes.set("value", node.int_in(2));
    } else if (!has_operands) {
        attributes.set("value", node.f("value", 0));
    }
    return {node.add(OpId::Pad, {node.in()}, attributes)};
}

Vals space_to_depth(NodeCall& node) {
    const std::string mode = node.s("mode", "DCR");
    if (mode != "DCR" && mode != "CRD")
        throw OpError("mode '", mode, "' is neither DCR nor CRD");
    const Val y = node.add(OpId::SpaceToDepth, {node.in()}, {{"blocksize", node.i("blocksize")}});
    if (mode == "DCR")
        return {y};
    // The places of a block count before the channels, or after them.
    const Shape& shape = y->spec.shape;
    const Dim places = dim(node.i("blocksize") * node.i("blocksize"));
    const Val parted = node.reshape(y, {shape[0], places, node.shape()[1], shape[2], shape[3]});
    return {node.reshape(node.transpose(parted, {0, 2, 1, 3, 4}), shape)};
}

Vals reverse_sequence(NodeCall& node) {
    return {node.add(OpId::ReverseSequence, {node.in(0), node.in(1)},
                     {{"batch_axis", node.i("batch_axis", 1)}, {"time_axis", node.i("time_axis", 0)}})};
}

Vals trilu(NodeCall& node) {
    const OpId op = node.i("upper", 1) != 0 ? OpId::Triu : OpId::Tril;
    if (node.has(1) && !node.in(1)->data)
        return {node.add(op, {node.in(0), node.reshape(node.in(1), {})})};
    return {node.add(op, {node.in(0)}, {{"diagonal", node.has(1) ? node.int_in(1) : std::int64_t{0}}})};
}

Vals eye_like(NodeCall& node) {
    if (node.rank() != 2)
        throw OpError("an identity like a tensor of shape ", text_of(node.shape()), " is not a matrix");
    const ir::DType dtype = node.type("dtype", elem_type_of(node.dtype()));
    const Val ones = node.full(node.shape(), 1, dtype);
    const std::int64_t k = node.i("k", 0);
    return {node.add(OpId::Triu, {node.add(OpId::Tril, {ones}, {{"diagonal", k}})}, {{"diagonal", k}})};
}

Vals range(NodeCall& node) {
    if (!ir::is_float(node.dtype())) {
        const auto bound = [&](std::size_t i) {
            const Shape values = node.dims_in(i);
            if (values.size() != 1)
                throw OpError("input ", i, " is of shape ", text_of(node.shape(i)), ", not one number");
            return values[0];
        };
        const Dim start = bound(0);
        const Dim limit = bound(1);
        const std::int64_t step = node.int_in(2);
        if (step == 0)
            throw OpError("the step of the range is 0");
        if (const auto from = constant_of(start), to = constant_of(limit); from && to)
            if (std::int64_t distance = 0;
                __builtin_sub_overflow(*to, *from, &distance) || __builtin_add_overflow(distance, step, &distance))
                throw OpError("the range has more numbers than memory can have");
        const Dim span = ir::sub(limit, start);
        const std::int64_t up = step > 0 ? step - 1 : step + 1;
        const Dim steps = simplified(ir::floor_div(ir::add(span, dim(up)), dim(step)));
        const Dim count = constant_of(steps) ? dim(std::max<std::int64_t>(*constant_of(steps), 0)) : steps;
        return {node.add(OpId::CountUp, {}, {{"range", Shape{start, count, dim(step)}}, {"dtype", node.dtype()}})};
    }
    const double start = node.number_in(0);
    const double step = node.number_in(2);
    const double count = std::ceil((node.number_in(1) - start) / step);
    if (!(count <= 1e9))
        throw OpError("the range has no end, or more than a thousand million numbers");
    const Dim length = dim(static_cast<std::int64_t>(std::max(count, 0.0)));
    const Val index = node.cast(node.count_up(dim(0), length), node.dtype());
    const Val steps = node.add(OpId::Multiply, {index, node.reshape(node.in(2), {})});
    return {node.add(OpId::Add, {steps, node.reshape(node.in(0), {})})};
}

Vals one_hot(NodeCall& node) {
    const std::vector<double> depth = node.numbers_in(1);
    if (depth.size() != 1)
        throw OpError("the depth is not one number");
    return {node.add(OpId::OneHot, {node.in(0), node.in(2)},
                     {{"depth", static_cast<std::int64_t>(depth[0])}, {"axis", node.i("axis", -1)}})};
}

} // namespace hidet::graph::onnx
