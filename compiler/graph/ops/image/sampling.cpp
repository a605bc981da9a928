// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/image/sampling.h"

#include "compiler/graph/ops/contraction/window.h"
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

static Expr fraction(const Expr& coordinate) {
    return ir::sub(coordinate, floor_of(coordinate));
}

Expr linear_weight(const Expr& coordinate, const Expr& tap) {
    const ir::DType dtype = *ir::scalar_of(coordinate->type);
    const Expr upper = fraction(coordinate);
    return ir::select(ir::equal(tap, dim(0)), ir::sub(number(1, dtype), upper), upper);
}

Expr linear_index(const Expr& coordinate, const Expr& tap) {
    return ir::add(ir::cast_to(floor_of(coordinate), ir::DType::I64), tap);
}

Expr cubic_weight(const Expr& coordinate, const Expr& tap, double a) {
    const ir::DType dtype = *ir::scalar_of(coordinate->type);
    const auto real = [&](double value) { return number(value, dtype); };
    const Expr d = abs_of(ir::sub(ir::cast_to(ir::sub(tap, dim(1)), dtype), fraction(coordinate)));
    const Expr near = ir::add(ir::mul(ir::mul(ir::sub(ir::mul(real(a + 2), d), real(a + 3)), d), d), real(1));
    const Expr far =
        ir::sub(ir::mul(ir::add(ir::mul(ir::sub(ir::mul(real(a), d), real(5 * a)), d), real(8 * a)), d), real(4 * a));
    return ir::select(ir::less_equal(d, real(1)), near, far);
}

namespace {
// From -1 to 1 along a dimension: of the first and last elements, or of their outer edges.
Expr normalised(const Expr& position, const Dim& extent, bool align_corners, ir::DType dtype) {
    const Expr i = ir::cast_to(position, dtype);
    const Expr n = ir::cast_to(extent, dtype);
    if (!align_corners)
        return ir::sub(ir::div(ir::add(ir::mul(i, number(2, dtype)), number(1, dtype)), n), number(1, dtype));
    const Expr steps = ir::sub(n, number(1, dtype));
    const Expr is_single = ir::less_equal(steps, number(0, dtype));
    const Expr safe = ir::select(is_single, number(1, dtype), steps);
    return ir::select(is_single, number(0, dtype),
                      ir::sub(ir::div(ir::mul(i, number(2, dtype)), safe), number(1, dtype)));
}

Task define_affine_grid(const OpCall& call) {
    const TensorSpec& theta = call.inputs[0];
    const Shape size = call.attributes.get<Shape>("size");
    const bool align_corners = call.attributes.get<bool>("align_corners");
    const auto rank = static_cast<std::int64_t>(size.size()) - 2;
    if (rank < 1 || theta.shape.size() != 3)
        throw OpError("affine_grid of ", text_of(theta), " cannot give a size of ", text_of(size));
    Shape shape = {size[0]};
    shape.insert(shape.end(), size.begin() + 2, size.end());
    shape.push_back(dim(rank));
    const ir::DType work = float_type_for(theta.dtype);
    TaskBuilder builder("affine_grid");
    const ir::VarRef matrix = builder.input("theta", theta);
    return builder.finish("y", theta.dtype, shape, [&](const Indices& axes) {
        const auto entry = [&](std::int64_t column) {
            return ir::cast_to(at(matrix, {axes[0], axes.back(), dim(column)}), work);
        };
        Expr sum = entry(rank);
        for (std::int64_t column = 0; column < rank; ++column) {
            const auto d = static_cast<std::size_t>(rank - column); // the first coordinate is of the last dimension
            sum = ir::add(sum, ir::mul(entry(column), normalised(axes[d], shape[d], align_corners, work)));
        }
        return sum;
    });
}

struct Sampler {
    const TensorSpec& x;
    const TensorSpec& grid;
    std::size_t rank;
    std::string mode;
    std::string padding;
    bool align_corners;
    ir::DType real; // of coordinates
    ir::VarRef points;

    Expr number_of(double value) const { return number(value, real); }
    Expr extent(std::size_t d) const { return ir::cast_to(x.shape[d + 2], real); }
    Expr low() const { return number_of(align_corners ? 0 : -0.5); }
    Expr high(std::size_t d) const { return ir::sub(extent(d), number_of(align_corners ? 1 : 0.5)); }

    // Mirrored at both borders until it is between them.
    Expr reflected(const Expr& value, std::size_t d) const {
        const Expr range = ir::sub(high(d), low());
        const Expr safe = ir::select(ir::less(number_of(0), range), range, number_of(1));
        const Expr away = ir::select(ir::less(value, low()), ir::sub(low(), value), ir::sub(value, high(d)));
        const Expr turns = floor_of(ir::div(away, safe));
        const Expr rest = ir::sub(away, ir::mul(turns, safe));
        const Expr is_even =
            ir::equal(ir::sub(turns, ir::mul(floor_of(ir::mul(turns, number_of(0.5))), number_of(2))), number_of(0));
        const Expr from_low = ir::add(low(), rest);
        const Expr from_high = ir::sub(high(d), rest);
        const Expr below = ir::select(is_even, from_low, from_high);
        const Expr above = ir::select(is_even, from_high, from_low);
        return ir::select(ir::less(value, low()), below, ir::select(ir::less(high(d), value), above, value));
    }

    Expr coordinate(const Indices& axes, std::size_t d) const {
        Indices index = {axes[0]};
        index.insert(index.end(), axes.begin() + 2, axes.end());
        index.push_back(dim(static_cast<std::int64_t>(rank - 1 - d)));
        const Expr n = ir::cast_to(at(points, index), real);
        const Expr from_zero = ir::add(n, number_of(1));
        const Expr half = number_of(0.5);
        const Expr value = align_corners ? ir::mul(ir::mul(from_zero, half), ir::sub(extent(d), number_of(1)))
                                         : ir::mul(ir::sub(ir::mul(from_zero, extent(d)), number_of(1)), half);
        if (mode == "nearest")
            return shared(half_to_even(value), [&](const Expr& rounded) { return padded(rounded, d); });
        return padded(value, d);
    }

    Expr padded(const Expr& value, std::size_t d) const {
        if (padding == "reflection")
            return reflected(value, d);
        if (padding != "border")
            return value;
        // From two elements outside on, all four that a cubic takes are those of the border.
        const double reach = mode == "cubic" ? 2 : 0;
        const Expr first = number_of(-reach);
        const Expr last = ir::add(extent(d), number_of(reach - 1));
        return ir::select(ir::less(value, first), first, ir::select(ir::less(last, value), last, value));
    }

    // The element nearest to the point; `positions` has those of the dimensions before.
    Expr nearest(const ir::VarRef& source, const Indices& axes, Indices positions = {}) const {
        const std::size_t d = positions.size();
        if (d == rank)
            return element(source, axes, positions);
        return shared(ir::cast_to(coordinate(axes, d), ir::DType::I64), [&](const Expr& position) {
            positions.push_back(position);
            return nearest(source, axes, positions);
        });
    }

    // Elements outside are zero, or those that the padding puts there.
    Expr element(const ir::VarRef& source, const Indices& axes, const Indices& positions) const {
        Indices index = {axes[0], axes[1]};
        ir::ExprVec inside;
        for (std::size_t d = 0; d < rank; ++d) {
            Expr position = positions[d];
            if (padding == "reflection")
                position = ir::cast_to(reflected(ir::cast_to(position, real), d), ir::DType::I64);
            if (padding == "zeros")
                inside.push_back(is_inside(position, x.shape[d + 2]));
            else
                position = clamped_index(position, x.shape[d + 2]);
            index.push_back(position);
        }
        const Expr value = at(source, index);
        return inside.empty() ? value : ir::select(all_of(inside), value, number(0, x.dtype));
    }
};

Sampler sampler_of(const OpCall& call) {
    Sampler sampler{.x = call.inputs[0],
                    .grid = call.inputs[1],
                    .rank = call.inputs[0].shape.size() - 2,
                    .mode = call.attributes.get<std::string>("mode"),
                    .padding = call.attributes.get<std::string>("padding_mode"),
                    .align_corners = call.attributes.get<bool>("align_corners"),
                    .real = float_type_for(call.inputs[1].dtype),
                    .points = nullptr};
    const auto last = sampler.grid.shape.empty() ? std::nullopt : constant_of(sampler.grid.shape.back());
    if (sampler.x.shape.size() < 3 || sampler.grid.shape.size() != sampler.x.shape.size() ||
        last != static_cast<std::int64_t>(sampler.rank))
        throw OpError("grid_sample wants a grid of as many coordinates as there are spatial dimensions, not ",
                      text_of(sampler.grid), " for ", text_of(sampler.x));
    if (sampler.mode == "bilinear")
        sampler.mode = "linear";
    if (sampler.mode == "bicubic")
        sampler.mode = "cubic";
    if (sampler.mode != "linear" && sampler.mode != "cubic" && sampler.mode != "nearest")
        throw OpError("grid_sample has no mode '", sampler.mode, "'");
    if (sampler.padding != "zeros" && sampler.padding != "border" && sampler.padding != "reflection")
        throw OpError("grid_sample has no padding mode '", sampler.padding, "'");
    return sampler;
}

Task define_grid_sample(const OpCall& call) {
    Sampler sampler = sampler_of(call);
    const ir::DType work = float_type_for(sampler.x.dtype);
    Shape shape = {sampler.x.shape[0], sampler.x.shape[1]};
    shape.insert(shape.end(), sampler.grid.shape.begin() + 1, sampler.grid.shape.end() - 1);
    TaskBuilder builder("grid_sample");
    const ir::VarRef x = builder.input("x", sampler.x);
    sampler.points = builder.input("grid", sampler.grid);
    if (sampler.mode == "nearest") {
        return builder.finish("y", sampler.x.dtype, shape,
                              [&](const Indices& axes) { return sampler.nearest(x, axes); });
    }
    const bool is_cubic = sampler.mode == "cubic";
    return builder.finish({builder.reduce(
        "y", sampler.x.dtype, shape, ReduceOp::Sum, Shape(sampler.rank, dim(is_cubic ? 4 : 2)),
        [&](const Indices& axes, const Indices& tap) {
            Indices positions;
            Expr weight;
            for (std::size_t d = 0; d < sampler.rank; ++d) {
                const Expr c = sampler.coordinate(axes, d);
                const Expr own = is_cubic ? cubic_weight(c, tap[d], -0.75) : linear_weight(c, tap[d]);
                weight = weight ? ir::mul(weight, own) : own;
                positions.push_back(linear_index(c, is_cubic ? ir::sub(tap[d], dim(1)) : tap[d]));
            }
            return ir::mul(ir::cast_to(weight, work), ir::cast_to(sampler.element(x, axes, positions), work));
        })});
}

struct Groups {
    std::int64_t channels = 1;
    std::int64_t offsets = 1;
};

Groups checked_groups(const OpCall& call) {
    for (const TensorSpec& each : call.inputs)
        if (each.shape.size() != 4)
            throw OpError("deform_conv wants tensors of two spatial dimensions, not ", text_of(each));
    const Groups groups{call.attributes.get<std::int64_t>("groups"), call.attributes.get<std::int64_t>("offset_group")};
    if (groups.channels < 1 || groups.offsets < 1)
        throw OpError("deform_conv wants positive numbers of groups, not ", groups.channels, " and ", groups.offsets);
    const auto divide = [&](const Dim& channels, std::int64_t count) {
        if (const auto known = constant_of(channels); known && *known % count != 0)
            throw OpError("deform_conv: ", *known, " channels do not form ", count, " groups");
    };
    divide(call.inputs[0].shape[1], groups.channels);
    divide(call.inputs[0].shape[1], groups.offsets);
    divide(call.inputs[1].shape[0], groups.channels);
    return groups;
}

void require_shape(TaskBuilder& builder, const TensorSpec& given, const Shape& wanted, const char* what) {
    for (std::size_t d = 0; d < wanted.size(); ++d)
        builder.require_equal(given.shape[d], simplified(wanted[d]),
                              std::string("deform_conv wants ") + what + " of shape " + text_of(wanted) + ", not " +
                                  text_of(given));
}

// Inputs: x, w, offset [n, groups times taps times 2, h, w] and, if it is given, mask [n, groups times taps, h, w].
Task define_deform_conv(const OpCall& call) {
    const auto [groups, offset_groups] = checked_groups(call);
    const TensorSpec& x = call.inputs[0];
    const TensorSpec& w = call.inputs[1];
    const TensorSpec& offset = call.inputs[2];
    const Window window = window_of(call, "deform_conv", Shape(x.shape.begin() + 2, x.shape.end()),
                                    Shape(w.shape.begin() + 2, w.shape.end()));
    Shape shape = {x.shape[0], w.shape[0]};
    for (const Dim& each : window.output())
        shape.push_back(each);
    const ir::DType work = float_type_for(x.dtype);
    TaskBuilder builder("deform_conv");
    const ir::VarRef picture = builder.input("x", x);
    const ir::VarRef weight = builder.input("w", w);
    const ir::VarRef shifts = builder.input("offset", offset);
    const ir::VarRef mask = call.inputs.size() > 3 ? builder.input("mask", call.inputs[3]) : nullptr;
    const Dim taps = element_count(window.kernel);
    const Dim places = ir::mul(taps, dim(offset_groups));
    builder.require_equal(x.shape[1], simplified(ir::mul(w.shape[1], dim(groups))),
                          "deform_conv: the weight " + text_of(w) + " does not have the channels of " + text_of(x));
    require_shape(builder, offset, {shape[0], ir::mul(places, dim(2)), shape[2], shape[3]}, "offsets");
    if (mask)
        require_shape(builder, call.inputs[3], {shape[0], places, shape[2], shape[3]}, "a mask");
    const Dim per_offset_group = simplified(ir::floor_div(x.shape[1], dim(offset_groups)));
    return builder.finish({builder.reduce(
        "y", x.dtype, shape, ReduceOp::Sum, {w.shape[1], window.kernel[0], window.kernel[1], dim(2), dim(2)},
        [&](const Indices& axes, const Indices& over) {
            const Expr group = ir::floor_div(axes[1], ir::floor_div(w.shape[0], dim(groups)));
            const Expr channel = ir::add(ir::mul(group, w.shape[1]), over[0]);
            const Indices out = {axes[2], axes[3]};
            const Indices tap = {over[1], over[2]};
            const Expr place =
                ir::add(ir::mul(ir::floor_div(channel, per_offset_group), taps), ir::flatten(tap, window.kernel));
            Expr share = ir::cast_to(at(weight, {axes[1], over[0], tap[0], tap[1]}), work);
            Indices index = {axes[0], channel};
            ir::ExprVec inside;
            for (std::size_t d = 0; d < 2; ++d) {
                const Expr row = ir::add(ir::mul(place, dim(2)), dim(static_cast<std::int64_t>(d)));
                const Expr shift = ir::cast_to(at(shifts, {axes[0], row, axes[2], axes[3]}), work);
                const Expr c = ir::add(ir::cast_to(window.position(out, tap, d), work), shift);
                share = ir::mul(share, linear_weight(c, over[d + 3]));
                index.push_back(linear_index(c, over[d + 3]));
                inside.push_back(is_inside(index.back(), x.shape[d + 2]));
            }
            if (mask)
                share = ir::mul(share, ir::cast_to(at(mask, {axes[0], place, axes[2], axes[3]}), work));
            const Expr element = ir::select(all_of(inside), at(picture, index), number(0, x.dtype));
            return ir::mul(share, ir::cast_to(element, work));
        })});
}

} // namespace

std::span<const OpInfo> op_tables::sampling() {
    static const OpInfo table[] = {
        {OpId::AffineGrid, "affine_grid", "theta, size: shape, align_corners: bool = False", OpClass::Other,
         "the coordinates that affine matrices give to the elements of pictures of a size",
         "hidet.ops.affine_grid(hidet.randn([1, 2, 3]), size=[1, 1, 4, 4])", define_affine_grid},
        {OpId::GridSample, "grid_sample",
         "x, grid, mode: str = 'linear', padding_mode: str = 'zeros', align_corners: bool = False", OpClass::Other,
         "the elements of pictures at the coordinates of a grid, from -1 to 1, interpolated",
         "hidet.ops.grid_sample(hidet.randn([1, 2, 4, 4]), hidet.randn([1, 3, 3, 2]))", define_grid_sample},
        {OpId::DeformConv, "deform_conv",
         "x, w, offset, mask: tensor = None, stride: ints = [1], padding: ints = [0], dilations: ints = [1], "
         "groups: int = 1, offset_group: int = 1",
         OpClass::Contraction, "the convolution whose taps are moved by offsets and weighted by a mask",
         "hidet.ops.deform_conv(hidet.randn([1, 1, 3, 3]), hidet.randn([1, 1, 2, 2]), hidet.zeros([1, 8, 2, 2]))",
         define_deform_conv},
    };
    return table;
}

} // namespace hidet::graph
