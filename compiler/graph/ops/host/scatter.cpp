// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/scatter.h"

#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

std::string shapes(const OpCall& call) {
    return text_of(call.inputs[0]) + ", " + text_of(call.inputs[1]) + " and " + text_of(call.inputs[2]);
}

Expr combined(Scattering how, const Expr& old, const Expr& by) {
    switch (how) {
    case Scattering::Add: return ir::add(old, by);
    case Scattering::Mul: return ir::mul(old, by);
    case Scattering::Max: return larger_of(old, by);
    default: return smaller_of(old, by);
    }
}

ReduceOp reduce_op(Scattering how) {
    switch (how) {
    case Scattering::Add: return ReduceOp::Sum;
    case Scattering::Mul: return ReduceOp::Prod;
    case Scattering::Max: return ReduceOp::Max;
    default: return ReduceOp::Min;
    }
}

Expr neutral(Scattering how, ir::DType dtype) {
    switch (how) {
    case Scattering::Add: return number(0, dtype);
    case Scattering::Mul: return number(1, dtype);
    case Scattering::Max: return lowest_of(dtype);
    default: return highest_of(dtype);
    }
}

} // namespace

Scattering scattering_of(const Attributes& attributes) {
    const std::string name = attributes.get<std::string>("reduction");
    if (name == "none")
        return Scattering::None;
    if (name == "add")
        return Scattering::Add;
    if (name == "mul")
        return Scattering::Mul;
    if (name == "max")
        return Scattering::Max;
    if (name == "min")
        return Scattering::Min;
    throw OpError("scattering has no reduction '" + name + "'");
}

void check_scatter_elements(const OpCall& call) {
    const std::size_t rank = call.inputs[0].shape.size();
    const Shape& indices = call.inputs[1].shape;
    const Shape& updates = call.inputs[2].shape;
    bool fits = rank > 0 && indices.size() == rank && updates.size() == rank;
    for (std::size_t d = 0; fits && d < rank; ++d)
        fits = !differ(indices[d], updates[d]);
    const auto axis = fits ? normalise_axis(call.attributes.get<std::int64_t>("axis"), rank, "axis") : 0;
    for (std::size_t d = 0; fits && d < rank; ++d)
        if (const auto have = constant_of(call.inputs[0].shape[d]), want = constant_of(indices[d]); have && want)
            fits = static_cast<std::int64_t>(d) == axis || *want <= *have;
    if (!fits || !ir::is_integer(call.inputs[1].dtype))
        throw OpError(
            "scatter_elements wants data, integer indices and updates of one rank, the last two of one shape, which "
            "is larger than that of the data along the axis alone, not " +
            shapes(call));
}

void check_scatter_nd(const OpCall& call) {
    const Shape& data = call.inputs[0].shape;
    const Shape& indices = call.inputs[1].shape;
    const Shape& updates = call.inputs[2].shape;
    const auto depth = indices.empty() ? std::nullopt : constant_of(indices.back());
    bool fits = depth && *depth >= 0 && static_cast<std::size_t>(*depth) <= data.size() &&
                updates.size() == indices.size() - 1 + data.size() - static_cast<std::size_t>(*depth);
    for (std::size_t d = 0; fits && d < updates.size(); ++d) {
        const std::size_t outer = indices.size() - 1;
        fits = !differ(updates[d], d < outer ? indices[d] : data[d - outer + static_cast<std::size_t>(*depth)]);
    }
    if (!fits || !ir::is_integer(call.inputs[1].dtype))
        throw OpError("scatter_nd: the shapes of data, indices and updates do not go together: " + shapes(call));
}

std::vector<Indexing> indexed_by_scatter_elements(const OpCall& call) {
    const Shape& data = call.inputs[0].shape;
    const std::int64_t axis = normalise_axis(call.attributes.get<std::int64_t>("axis"), data.size(), "axis");
    return {{.operand = 1, .extents = {data[static_cast<std::size_t>(axis)]}}};
}

std::vector<Indexing> indexed_by_scatter_nd(const OpCall& call) {
    const auto first = call.inputs[0].shape.begin();
    return {{.operand = 1, .extents = Shape(first, first + *constant_of(call.inputs[1].shape.back()))}};
}

Task define_scatter(TaskBuilder& builder, const ir::VarRef& data, Scattering how, const Dim& count, const Hit& hits,
                    const Hit& update) {
    const ir::DType dtype = dtype_of(data);
    const Shape shape = shape_of(data);
    if (ir::is_constant(count, 0)) {
        const ir::VarRef y = builder.compute("y", dtype, shape, [&](const Indices& axes) { return at(data, axes); });
        return builder.finish({y});
    }
    if (how == Scattering::None) {
        const ir::VarRef last = builder.arg_reduce(
            "last", shape, ReduceOp::ArgMax, count, true,
            [&](const Indices& axes, const Indices& over) { return ir::select(hits(axes, over[0]), dim(1), dim(0)); });
        const ir::VarRef y = builder.compute("y", dtype, shape, [&](const Indices& axes) {
            const Expr n = at(last, axes);
            const Expr is_hit = ir::logical_and(ir::less(dim(0), count), hits(axes, n));
            return ir::select(is_hit, update(axes, n), at(data, axes));
        });
        return builder.finish({y});
    }
    const ir::DType work = accumulator_of(dtype);
    const ir::VarRef all =
        builder.reduce("all", work, shape, reduce_op(how), {count}, [&](const Indices& axes, const Indices& over) {
            return ir::select(hits(axes, over[0]), ir::cast_to(update(axes, over[0]), work), neutral(how, work));
        });
    const ir::VarRef y = builder.compute("y", dtype, shape, [&](const Indices& axes) {
        return combined(how, ir::cast_to(at(data, axes), work), at(all, axes));
    });
    return builder.finish({y});
}

} // namespace hidet::graph
