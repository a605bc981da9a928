// SPDX-License-Identifier: Apache-2.0
// The same elements under another shape, in the same order.
#include <algorithm>

#include "compiler/graph/core/apply.h"
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// What is left for the one extent of -1: extents that both shapes have cancel, the rest is divided.
Dim left_over(const Shape& from, const Shape& to) {
    Shape had = from;
    Dim others = dim(1);
    for (const Dim& extent : to) {
        if (ir::is_constant(extent, -1))
            continue;
        const auto same = std::ranges::find_if(had, [&](const Dim& each) { return same_dim(each, extent); });
        if (same != had.end())
            had.erase(same);
        else
            others = ir::mul(others, extent);
    }
    const Dim count = element_count(had);
    if (ir::is_constant(others, 0))
        throw OpError("the extent -1 of ", text_of(to), " could be any");
    return ir::is_constant(others, 1) ? count : simplified(ir::floor_div(count, simplified(others)));
}

Shape target_of_reshape(const OpCall& call) {
    Shape to = dims_attribute(call, "shape");
    const auto is_open = [](const Dim& extent) { return ir::is_constant(extent, -1); };
    const auto open = std::ranges::find_if(to, is_open);
    if (std::ranges::count_if(to, is_open) > 1)
        throw OpError("more than one extent of ", text_of(to), " is -1");
    const Shape& from = call.inputs[0].shape;
    const auto had = constant_of(element_count(from));
    for (std::size_t i = 0; i < to.size(); ++i) {
        const auto known = constant_of(to[i]);
        if (known && *known < -1)
            throw OpError("a shape cannot have the extent ", *known);
        // A tensor with elements has no extent of 0: it is that of x.
        if (known && *known == 0 && had && *had > 0 && i < from.size())
            to[i] = from[i];
    }
    if (open != to.end())
        *open = left_over(call.inputs[0].shape, to);
    return to;
}

Shape flattened(const OpCall& call) {
    const Shape& from = call.inputs[0].shape;
    if (from.empty())
        return {dim(1)};
    const std::size_t first = axis_attribute(call, "start_dim", from.size());
    const std::size_t last = axis_attribute(call, "end_dim", from.size());
    if (first > last)
        throw OpError("flatten from dimension ", first, " to ", last);
    Shape to(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(first));
    to.push_back(element_count(Shape(from.begin() + static_cast<std::ptrdiff_t>(first),
                                     from.begin() + static_cast<std::ptrdiff_t>(last) + 1)));
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(last) + 1, from.end());
    return to;
}

Task define_squeeze(const OpCall& call) {
    const Shape& from = call.inputs[0].shape;
    std::vector<std::size_t> dims = axes_attribute(call, "dims", from.size());
    if (dims.empty())
        for (std::size_t i = 0; i < from.size(); ++i)
            if (ir::is_constant(from[i], 1))
                dims.push_back(i);
    Shape to;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const bool is_gone = std::ranges::find(dims, i) != dims.end();
        if (is_gone && constant_of(from[i]) && !ir::is_constant(from[i], 1))
            throw OpError("squeeze: dimension ", i, " of ", text_of(from), " is not 1");
        if (!is_gone)
            to.push_back(from[i]);
    }
    return define_reshape(call, "squeeze", to);
}

Task define_unsqueeze(const OpCall& call) {
    const Shape& from = call.inputs[0].shape;
    const std::size_t rank = from.size() + ints_attribute(call, "dims").size();
    check_rank(rank);
    const std::vector<std::size_t> dims = axes_attribute(call, "dims", rank);
    Shape to;
    std::size_t next = 0;
    for (std::size_t i = 0; i < rank; ++i)
        to.push_back(std::ranges::find(dims, i) != dims.end() ? dim(1) : from[next++]);
    return define_reshape(call, "unsqueeze", to);
}

Task define_view(const OpCall& call) {
    const auto dtype = call.attributes.get<ir::DType>("dtype");
    const auto [from, have] = call.inputs[0];
    if (ir::info(from).bits != ir::info(dtype).bits)
        throw OpError("the bits of ", ir::info(from).name, " cannot be read as ", ir::info(dtype).name);
    const Shape to = call.attributes.find("shape") ? dims_attribute(call, "shape") : have;
    TaskBuilder builder("view");
    const ir::VarRef x = builder.input("x", from, have);
    builder.require_equal(element_count(have), element_count(to),
                          "a tensor of shape " + text_of(have) + " cannot be viewed as " + text_of(to));
    const bool reads_nothing = is_empty(to);
    const ir::VarRef y = builder.compute("view", dtype, to, [&](const Indices& axes) -> ir::ExprRef {
        if (reads_nothing)
            return nothing_of(dtype);
        const ir::ExprRef bits = at(x, reshaped_index(have, to, axes));
        return from == dtype ? bits : ir::make_intrinsic(ir::IntrinsicId::Bitcast, {bits}, ir::data_type(dtype));
    });
    if (!reads_nothing)
        builder.inverse(0, [&](const Indices& axes) { return reshaped_index(to, have, axes); });
    return builder.finish({y});
}

// NumPy's rule in both directions, as ONNX's Expand has it: an extent of 1 asked for is that of x. -1 asks for nothing.
Shape target_of_broadcast(const OpCall& call) {
    const Shape& from = call.inputs[0].shape;
    Shape wants = dims_attribute(call, "shape");
    for (std::size_t i = 0; i < wants.size(); ++i) {
        const auto known = constant_of(wants[i]);
        if (known && *known < 0) {
            const bool has_own = *known == -1 && i + from.size() >= wants.size();
            if (!has_own)
                throw OpError("broadcast of ", text_of(from), " to ", text_of(wants));
            wants[i] = from[i + from.size() - wants.size()];
        }
    }
    return broadcast(from, wants);
}

Task define_broadcast(const OpCall& call) {
    const Shape& from = call.inputs[0].shape;
    const Shape to = target_of_broadcast(call);
    Task task = define_move(call, "broadcast", to, [&](const Indices& axes) { return broadcast_index(from, axes); });
    TaskBuilder checks("broadcast");
    const std::size_t shift = to.size() - from.size();
    for (std::size_t i = 0; i < from.size(); ++i)
        if (!ir::is_constant(from[i], 1))
            checks.require_equal(from[i], to[shift + i], "broadcast of " + text_of(from) + " to " + text_of(to));
    task.requirements = checks.task().requirements;
    return task;
}

void want_inside(const OpCall& call, const Ints& size, const Ints& stride, std::int64_t offset) {
    if (size.size() != stride.size())
        throw OpError("as_strided: ", size.size(), " extents and ", stride.size(), " strides");
    const auto count = constant_of(element_count(call.inputs[0].shape));
    if (!count)
        throw OpError("as_strided wants constant extents, not ", text_of(call.inputs[0].shape));
    // In double: products of hostile numbers do not overflow, and what is near the limit is far outside of any tensor.
    double low = static_cast<double>(offset);
    double high = low;
    for (std::size_t i = 0; i < size.size(); ++i) {
        if (size[i] < 0)
            throw OpError("as_strided: the extent ", size[i]);
        if (size[i] == 0)
            return;
        const double reach = static_cast<double>(size[i] - 1) * static_cast<double>(stride[i]);
        (reach < 0 ? low : high) += reach;
    }
    if (low < 0 || high >= static_cast<double>(*count))
        throw OpError("as_strided leaves a tensor of shape ", text_of(call.inputs[0].shape));
}

Task define_as_strided(const OpCall& call) {
    const Ints size = ints_attribute(call, "size");
    const Ints stride = ints_attribute(call, "stride");
    const std::int64_t offset = call.attributes.get<std::int64_t>("storage_offset");
    want_inside(call, size, stride, offset);
    return define_move(call, "as_strided", shape_of(size), [&](const Indices& axes) {
        ir::ExprRef place = dim(offset);
        for (std::size_t i = 0; i < axes.size(); ++i)
            place = ir::add(place, ir::mul(axes[i], dim(stride[i])));
        const Shape& from = call.inputs[0].shape;
        return reshaped_index(from, {element_count(from)}, {place});
    });
}

} // namespace

std::span<const OpInfo> op_tables::shapes() {
    static const OpInfo table[] = {
        {.id = OpId::Reshape,
         .python = "reshape",
         .parameters = "x, shape: shape",
         .cls = OpClass::Transform,
         .summary = "the same elements in row-major order under another shape, in which one extent may be -1; 0 of a "
                    "tensor with elements is the extent that it has",
         .example = "hidet.ops.reshape(hidet.randn([2, 6]), [3, 4])",
         .define = [](const OpCall& call) { return define_reshape(call, "reshape", target_of_reshape(call)); },
         .shares_memory = true},
        {.id = OpId::Flatten,
         .python = "flatten",
         .parameters = "x, start_dim: int = 0, end_dim: int = -1",
         .cls = OpClass::Transform,
         .summary = "the dimensions from start_dim to end_dim as one",
         .example = "hidet.ops.flatten(hidet.randn([2, 3, 4]), start_dim=1)",
         .define = [](const OpCall& call) { return define_reshape(call, "flatten", flattened(call)); },
         .shares_memory = true},
        {.id = OpId::Squeeze,
         .python = "squeeze",
         .parameters = "x, dims: ints = []",
         .cls = OpClass::Transform,
         .summary = "without the given dimensions, whose extents are 1; without all such when none is given",
         .example = "hidet.ops.squeeze(hidet.randn([2, 1, 3]), [1])",
         .define = define_squeeze,
         .shares_memory = true},
        {.id = OpId::Unsqueeze,
         .python = "unsqueeze",
         .parameters = "x, dims: ints",
         .cls = OpClass::Transform,
         .summary = "with extents of 1 at the given dimensions of the result",
         .example = "hidet.ops.unsqueeze(hidet.randn([2, 3]), [0, 3])",
         .define = define_unsqueeze,
         .shares_memory = true},
        {.id = OpId::View,
         .python = "view",
         .parameters = "x, dtype: dtype, shape: shape = None",
         .cls = OpClass::Transform,
         .summary = "the same bits read as another type of that size, and under another shape if one is given",
         .example = "hidet.ops.view(hidet.randn([2, 3]), 'int32', [3, 2])",
         .define = define_view,
         .shares_memory = true},
        {OpId::Broadcast, "broadcast", "data, shape: shape", OpClass::Transform,
         "x repeated along extents of 1 and new leading dimensions until it has the shape; -1 keeps an extent, and so "
         "does 1",
         "hidet.ops.broadcast(hidet.randn([3]), [2, 3])", define_broadcast},
        // Keeps what makes a tensor and what reads it in kernels of their own. A pass drops it once fusion is decided.
        {.id = OpId::Barrier,
         .python = "barrier",
         .parameters = "x",
         .cls = OpClass::Transform,
         .summary = "the tensor as it is; no kernel computes both what makes it and what reads it",
         .example = "hidet.ops.barrier(hidet.randn([2, 3]))",
         .define = [](const OpCall& call) { return define_reshape(call, "barrier", call.inputs[0].shape); },
         .never_fuses = true},
        {OpId::AsStrided, "as_strided", "x, size: ints, stride: ints, storage_offset: int = 0", OpClass::Transform,
         "the elements of x, in row-major order, at storage_offset plus the index times the strides",
         "hidet.ops.as_strided(hidet.randn([6]), size=[2, 3], stride=[1, 2], storage_offset=0)", define_as_strided},
    };
    return table;
}

} // namespace hidet::graph
