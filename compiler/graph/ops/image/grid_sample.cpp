// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/image/sampling.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

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
        Expr value = align_corners ? ir::mul(ir::mul(from_zero, half), ir::sub(extent(d), number_of(1)))
                                   : ir::mul(ir::sub(ir::mul(from_zero, extent(d)), number_of(1)), half);
        if (mode == "nearest")
            value = round_half_even(value);
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
        throw OpError("grid_sample wants a grid of as many coordinates as there are spatial dimensions, not " +
                      text_of(sampler.grid) + " for " + text_of(sampler.x));
    if (sampler.mode == "bilinear")
        sampler.mode = "linear";
    if (sampler.mode == "bicubic")
        sampler.mode = "cubic";
    if (sampler.mode != "linear" && sampler.mode != "cubic" && sampler.mode != "nearest")
        throw OpError("grid_sample has no mode '" + sampler.mode + "'");
    if (sampler.padding != "zeros" && sampler.padding != "border" && sampler.padding != "reflection")
        throw OpError("grid_sample has no padding mode '" + sampler.padding + "'");
    return sampler;
}

Task define_grid_sample(const OpCall& call) {
    Sampler sampler = sampler_of(call);
    const ir::DType work = float_type_for(sampler.x.dtype);
    Shape shape = {sampler.x.shape[0], sampler.x.shape[1]};
    shape.insert(shape.end(), sampler.grid.shape.begin() + 1, sampler.grid.shape.end() - 1);
    TaskBuilder builder("grid_sample");
    const ir::VarRef x = builder.input("x", sampler.x.dtype, sampler.x.shape);
    sampler.points = builder.input("grid", sampler.grid.dtype, sampler.grid.shape);
    if (sampler.mode == "nearest") {
        const ir::VarRef y = builder.compute("y", sampler.x.dtype, shape, [&](const Indices& axes) {
            Indices positions;
            for (std::size_t d = 0; d < sampler.rank; ++d)
                positions.push_back(ir::cast_to(sampler.coordinate(axes, d), ir::DType::I64));
            return sampler.element(x, axes, positions);
        });
        return builder.finish({y});
    }
    const bool is_cubic = sampler.mode == "cubic";
    const ir::VarRef y = builder.reduce(
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
        });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::GridSample() {
    static const OpInfo info = {
        .id = OpId::GridSample,
        .python = "grid_sample",
        .parameters = "x, grid, mode: str = 'linear', padding_mode: str = 'zeros', align_corners: bool = False",
        .cls = OpClass::Other,
        .summary = "the elements of pictures at the coordinates of a grid, from -1 to 1, interpolated",
        .example = "hidet.ops.grid_sample(hidet.randn([1, 2, 4, 4]), hidet.randn([1, 3, 3, 2]))",
        .define = define_grid_sample,
    };
    return info;
}

} // namespace hidet::graph
