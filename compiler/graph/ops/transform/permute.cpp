// SPDX-License-Identifier: Apache-2.0
// Elements in another order.
#include <algorithm>
#include <numeric>

#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;

// Dimensions in another order, and merged: PermuteDims, TransposeOp2D and what both are cases of, Rearrange.
using Axes = std::vector<std::size_t>;

// Dimension k of the result is the dimensions groups[k] of x, merged.
Task define_groups(const OpCall& call, const std::string& name, const std::vector<Axes>& groups) {
    const Shape& from = call.inputs[0].shape;
    const auto extents = [&](const Axes& axes) {
        return transformed(axes, [&](std::size_t axis) { return from[axis]; });
    };
    Shape to = transformed(groups, [&](const Axes& axes) { return element_count(extents(axes)); });
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
            Indices parts = transformed(groups[k], [&](std::size_t axis) { return index[axis]; });
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
        throw OpError("permute_dims: ", axes.size(), " axes for a tensor of shape ", text_of(call.inputs[0].shape));
    return axes;
}

Task define_transpose(const OpCall& call) {
    if (rank_of(call) != 2)
        throw OpError("transpose_2d wants a matrix, not ", text_of(call.inputs[0]));
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
        throw OpError("rearrange: groups ", text_of(Attribute(counts)), " of ", axes.size(), " axes");
    for (std::size_t i = 0; i < from.size(); ++i)
        if (std::ranges::find(axes, i) == axes.end() && !ir::is_constant(from[i], 1))
            throw OpError("rearrange leaves out dimension ", i, " of ", text_of(from));
    return define_groups(call, "rearrange", groups);
}

Task define_flip(const OpCall& call) {
    const Shape& shape = call.inputs[0].shape;
    const std::vector<std::size_t> dims = axes_attribute(call, "dims", shape.size());
    const Source mirrored = [&](const Indices& axes) {
        Indices index = axes;
        for (std::size_t i : dims)
            index[i] = ir::sub(simplified(ir::sub(shape[i], dim(1))), axes[i]);
        return index;
    };
    return define_move(call, "flip", shape, mirrored, mirrored);
}

// By `sign` times the shifts; a dimension that is named twice is rolled twice.
Indices rolled(const OpCall& call, const Indices& axes, std::int64_t sign) {
    const Shape& shape = call.inputs[0].shape;
    const Ints shifts = ints_attribute(call, "shifts");
    const Ints dims = ints_attribute(call, "dims");
    Indices index = axes;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const auto axis = static_cast<std::size_t>(normalise_axis(dims[i], shape.size(), "dimension"));
        const auto extent = constant_of(shape[axis]);
        const std::int64_t by = sign * (extent && *extent ? shifts[i] % *extent : shifts[i]);
        index[axis] = ir::floor_mod(ir::add(index[axis], dim(by)), shape[axis]);
    }
    return index;
}

Task define_roll(const OpCall& call) {
    if (ints_attribute(call, "shifts").size() != ints_attribute(call, "dims").size())
        throw OpError("roll wants one shift a dimension");
    return define_move(
        call, "roll", call.inputs[0].shape, [&](const Indices& axes) { return rolled(call, axes, -1); },
        [&](const Indices& axes) { return rolled(call, axes, 1); });
}

Task define_reverse_sequence(const OpCall& call) {
    want_integers(call, 1, "reverse_sequence");
    const auto [dtype, shape] = call.inputs[0];
    const std::size_t batch = axis_attribute(call, "batch_axis", shape.size());
    const std::size_t time = axis_attribute(call, "time_axis", shape.size());
    const std::string text = "reverse_sequence of " + text_of(call.inputs[0]) + " with lengths " +
                             text_of(call.inputs[1]) + " along axis " + std::to_string(time);
    if (batch == time || call.inputs[1].shape.size() != 1)
        throw OpError(text);
    TaskBuilder builder("reverse_sequence");
    const ir::VarRef x = builder.input("x", dtype, shape);
    const ir::VarRef lengths = builder.input("lengths", call.inputs[1]);
    builder.require_equal(shape[batch], call.inputs[1].shape[0], text);
    return builder.finish("reverse_sequence", dtype, shape, [&](const Indices& axes) {
        // A length beyond the axis reverses all of it.
        const ir::ExprRef given = ir::cast_to(at(lengths, {axes[batch]}), ir::DType::I64);
        const ir::VarRef length = ir::make_var("length", ir::data_type(ir::DType::I64));
        Indices index = axes;
        index[time] =
            ir::select(ir::less(axes[time], length), ir::sub(ir::sub(length, dim(1)), axes[time]), axes[time]);
        return ir::make_let(length, ir::math(ir::IntrinsicId::Min, {given, shape[time]}), at(x, index));
    });
}

// Index of an image [n, c, h, w] whose channels hold blocks of size x size places: channel c of place (y, x).
struct Blocks {
    Dim size;
    Dim channels; // of the image with the large height and width
    bool is_depth_first = true;

    Indices deep(const Indices& wide) const { // from the large image to the one of many channels
        const ExprRef y = ir::truncating_mod(wide[2], size);
        const ExprRef x = ir::truncating_mod(wide[3], size);
        const ExprRef place = ir::add(ir::mul(y, size), x);
        const ExprRef channel = is_depth_first ? ir::add(ir::mul(place, channels), wide[1])
                                               : ir::add(ir::mul(wide[1], ir::mul(size, size)), place);
        return {wide[0], channel, ir::div(wide[2], size), ir::div(wide[3], size)};
    }
    Indices wide(const Indices& deep) const {
        const ExprRef area = ir::mul(size, size);
        const ExprRef place = is_depth_first ? ir::div(deep[1], channels) : ir::truncating_mod(deep[1], area);
        const ExprRef channel = is_depth_first ? ir::truncating_mod(deep[1], channels) : ir::div(deep[1], area);
        return {deep[0], channel, ir::add(ir::mul(deep[2], size), ir::div(place, size)),
                ir::add(ir::mul(deep[3], size), ir::truncating_mod(place, size))};
    }
};

std::int64_t block_size(const OpCall& call, const char* name) {
    const auto size = call.attributes.get<std::int64_t>("blocksize");
    if (call.inputs[0].shape.size() != 4)
        throw OpError(name, " wants images of four dimensions, not ", text_of(call.inputs[0]));
    if (size < 1 || size > 1 << 20)
        throw OpError(name, ": blocksize is ", size);
    return size;
}

// OpError, or a requirement, unless the extent is a multiple.
Dim divided(const Dim& extent, std::int64_t by, const char* name, TaskBuilder& builder) {
    builder.require(ir::equal(ir::floor_mod(extent, dim(by)), dim(0)),
                    std::string(name) + ": extent " + text_of(Shape{extent}) + " is not a multiple of " +
                        std::to_string(by));
    return simplified(ir::floor_div(extent, dim(by)));
}

Task define_depth_to_space(const OpCall& call) {
    const std::int64_t size = block_size(call, "depth_to_space");
    const auto mode = call.attributes.get<std::string>("mode");
    if (mode != "DCR" && mode != "CRD")
        throw OpError("depth_to_space has the modes DCR and CRD, not '", mode, "'");
    const Shape& from = call.inputs[0].shape;
    TaskBuilder checks("depth_to_space");
    const Dim channels = divided(from[1], size * size, "depth_to_space", checks);
    const Blocks blocks{dim(size), channels, mode == "DCR"};
    const Shape to = {from[0], channels, simplified(ir::mul(from[2], dim(size))),
                      simplified(ir::mul(from[3], dim(size)))};
    Task task = define_move(
        call, "depth_to_space", to, [&](const Indices& axes) { return blocks.deep(axes); },
        [&](const Indices& axes) { return blocks.wide(axes); });
    task.requirements = checks.task().requirements;
    return task;
}

Task define_space_to_depth(const OpCall& call) {
    const std::int64_t size = block_size(call, "space_to_depth");
    const Shape& from = call.inputs[0].shape;
    TaskBuilder checks("space_to_depth");
    const Shape to = {from[0], simplified(ir::mul(from[1], dim(size * size))),
                      divided(from[2], size, "space_to_depth", checks),
                      divided(from[3], size, "space_to_depth", checks)};
    const Blocks blocks{dim(size), from[1], true};
    Task task = define_move(
        call, "space_to_depth", to, [&](const Indices& axes) { return blocks.wide(axes); },
        [&](const Indices& axes) { return blocks.deep(axes); });
    task.requirements = checks.task().requirements;
    return task;
}

// The diagonal is an attribute, or (ONNX's Trilu) the one element of a tensor.
template <bool is_upper>
Task define_triangle(const OpCall& call) {
    const std::string name = call.op->python;
    const auto [dtype, shape] = call.inputs[0];
    if (shape.size() < 2)
        throw OpError(name, " wants matrices, not ", text_of(call.inputs[0]));
    TaskBuilder builder(name);
    const ir::VarRef x = builder.input("x", dtype, shape);
    const ir::VarRef given = call.inputs.size() > 1 ? builder.input("k", call.inputs[1]) : nullptr;
    return builder.finish(name, dtype, shape, [&](const Indices& axes) {
        const ir::ExprRef diagonal =
            given ? ir::cast_to(at(given, Indices(call.inputs[1].shape.size(), dim(0))), ir::DType::I64)
                  : dim(call.attributes.get<std::int64_t>("diagonal"));
        const ir::ExprRef& row = axes[axes.size() - 2];
        const ir::ExprRef limit = ir::add(row, diagonal);
        const ir::ExprRef is_kept = is_upper ? ir::less_equal(limit, axes.back()) : ir::less_equal(axes.back(), limit);
        return ir::select(is_kept, at(x, axes), ir::cast_to(ir::int_constant(0), dtype));
    });
}

} // namespace

std::span<const OpInfo> op_tables::permute() {
    static const OpInfo table[] = {
        {OpId::PermuteDims, "permute_dims", "x, axes: ints = []", OpClass::Transform,
         "dimension k of the result is dimension axes[k] of x; the reverse order when no axes are given",
         "hidet.ops.permute_dims(hidet.randn([2, 3, 4]), [0, 2, 1])",
         [](const OpCall& call) { return define_permute(call, "permute_dims", permutation(call)); }},
        {OpId::Rearrange, "rearrange", "x, axes: ints, groups: ints", OpClass::Transform,
         "the dimensions `axes` of x in that order, the first groups[0] of them merged to one, the next groups[1] to "
         "the next; 0 makes an extent of 1, and extents of 1 may be left out",
         "hidet.ops.rearrange(hidet.randn([2, 3, 4]), axes=[1, 0, 2], groups=[1, 2])", define_rearrange},
        {OpId::TransposeOp2D, "transpose_2d", "x", OpClass::Transform, "a matrix with rows and columns exchanged",
         "hidet.ops.transpose_2d(hidet.randn([2, 3]))", define_transpose},
        {OpId::Flip, "flip", "x, dims: ints", OpClass::Transform,
         "x with the order of the elements reversed along the given dimensions",
         "hidet.ops.flip(hidet.randn([2, 3]), [1])", define_flip},
        {OpId::Roll, "roll", "x, shifts: ints, dims: ints", OpClass::Transform,
         "x with the elements moved on by shifts[i] along dims[i]; those that leave at the end come in at the front",
         "hidet.ops.roll(hidet.randn([2, 3]), shifts=[1], dims=[1])", define_roll},
        {OpId::ReverseSequence, "reverse_sequence", "x, lengths, batch_axis: int = 1, time_axis: int = 0",
         OpClass::Transform, "x with the first lengths[b] elements of sequence b reversed along time_axis",
         "hidet.ops.reverse_sequence(hidet.randn([4, 2]), hidet.asarray([3, 4]))", define_reverse_sequence,
         [](const OpCall& call) -> std::vector<Indexing> {
             const Shape& shape = call.inputs[0].shape;
             const Dim& time = shape[axis_attribute(call, "time_axis", shape.size())];
             return {{.operand = 1, .extents = {simplified(ir::add(time, dim(1)))}, .is_from_end = false}};
         }},
        {OpId::DepthToSpace, "depth_to_space", "x, blocksize: int, mode: str = 'DCR'", OpClass::Transform,
         "channels of images [n, c, h, w] spread over blocks of places; the channel counts blocks first (DCR) or last "
         "(CRD)",
         "hidet.ops.depth_to_space(hidet.randn([1, 8, 2, 3]), 2)", define_depth_to_space},
        {OpId::SpaceToDepth, "space_to_depth", "x, blocksize: int", OpClass::Transform,
         "blocks of places of images [n, c, h, w] gathered into channels",
         "hidet.ops.space_to_depth(hidet.randn([1, 2, 4, 6]), 2)", define_space_to_depth},
        {OpId::Tril, "tril", "x, diagonal: int = 0, k: tensor = None", OpClass::Transform,
         "matrices with zeros above a diagonal: `diagonal` (or k) places above the main one",
         "hidet.ops.tril(hidet.randn([3, 3]), diagonal=1)", define_triangle<false>},
        {OpId::Triu, "triu", "x, diagonal: int = 0, k: tensor = None", OpClass::Transform,
         "matrices with zeros below a diagonal: `diagonal` (or k) places above the main one",
         "hidet.ops.triu(hidet.randn([3, 3]), diagonal=1)", define_triangle<true>},
    };
    return table;
}

} // namespace hidet::graph
