// SPDX-License-Identifier: Apache-2.0
// Running sums. Every element is a sum of its own, so that all can be computed at once; a long dimension is cut into chunks
// of about the square root of its extent, whose sums are added up first: n^1.5 additions, not n^2.
#include <cmath>

#include "compiler/graph/ops/expressions.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

constexpr std::int64_t short_extent = 128;
constexpr std::int64_t chunk_of_symbol = 64;

struct RunningSum {
    TaskBuilder builder{"cumsum"};
    ir::VarRef x;
    Shape shape;
    std::size_t axis = 0;
    Dim extent;
    ir::DType dtype = ir::DType::F32;
    ir::DType work = ir::DType::F32;
    bool exclusive = false;
    bool reverse = false;

    Indices with(const Indices& axes, const Expr& position) const {
        Indices index = axes;
        index[axis] = position;
        return index;
    }
    // The order of summation: from the far end when it is reversed.
    Expr position(const Expr& i) const { return reverse ? ir::sub(ir::sub(extent, dim(1)), i) : i; }
    Expr element(const Indices& axes, const Expr& i) const { return at(x, with(axes, position(i))); }
    Expr first_outside(const Expr& i) const { return exclusive ? i : ir::add(i, dim(1)); }

    Task direct() {
        const ir::VarRef y = builder.reduce_ragged(
            "cumsum", dtype, shape, ReduceOp::Sum,
            [&](const Indices& axes) { return ir::ExprVec{first_outside(position(axes[axis]))}; },
            [&](const Indices& axes, const Indices& over) { return element(axes, over[0]); });
        return builder.finish({y});
    }

    Task in_chunks(const Dim& chunk) {
        Shape chunks = shape;
        chunks[axis] = simplified(ceil_div(extent, chunk));
        const auto start = [&](const Indices& axes) { return ir::mul(axes[axis], chunk); };
        const ir::VarRef sums = builder.reduce_ragged(
            "chunk_sum", work, chunks, ReduceOp::Sum,
            [&](const Indices& axes) { return ir::ExprVec{min_index(chunk, ir::sub(extent, start(axes)))}; },
            [&](const Indices& axes, const Indices& over) { return element(axes, ir::add(start(axes), over[0])); });
        const ir::VarRef before = builder.reduce_ragged(
            "before", work, chunks, ReduceOp::Sum, [&](const Indices& axes) { return ir::ExprVec{axes[axis]}; },
            [&](const Indices& axes, const Indices& over) { return at(sums, with(axes, over[0])); });
        const auto chunk_index = [&](const Indices& axes) { return ir::floor_div(position(axes[axis]), chunk); };
        const ir::VarRef inside = builder.reduce_ragged(
            "inside", work, shape, ReduceOp::Sum,
            [&](const Indices& axes) {
                const Expr first = ir::mul(chunk_index(axes), chunk);
                return ir::ExprVec{ir::sub(first_outside(position(axes[axis])), first)};
            },
            [&](const Indices& axes, const Indices& over) {
                return element(axes, ir::add(ir::mul(chunk_index(axes), chunk), over[0]));
            });
        const ir::VarRef y = builder.compute("cumsum", dtype, shape, [&](const Indices& axes) {
            return ir::add(at(before, with(axes, chunk_index(axes))), at(inside, axes));
        });
        return builder.finish({y});
    }
};

Task define_cumsum(const OpCall& call) {
    RunningSum sum;
    sum.shape = call.inputs[0].shape;
    sum.dtype = call.inputs[0].dtype;
    sum.work = accumulator_of(sum.dtype);
    sum.axis = static_cast<std::size_t>(
        normalise_axis(call.attributes.get<std::int64_t>("dim"), sum.shape.size(), "dimension"));
    sum.extent = sum.shape[sum.axis];
    sum.exclusive = call.attributes.get<bool>("exclusive");
    sum.reverse = call.attributes.get<bool>("reverse");
    sum.x = sum.builder.input("x", sum.dtype, sum.shape);
    const auto extent = constant_of(sum.extent);
    if (extent && *extent <= short_extent)
        return sum.direct();
    return sum.in_chunks(dim(extent ? std::llround(std::sqrt(static_cast<double>(*extent))) : chunk_of_symbol));
}

} // namespace

const OpInfo& op_info::CumulativeSum() {
    static const OpInfo info = {
        .id = OpId::CumulativeSum,
        .python = "cumsum",
        .parameters = "x, dim: int, exclusive: bool = False, reverse: bool = False",
        .cls = OpClass::Reduction,
        .summary =
            "the running sum along `dim`, from the end with `reverse`, without the element itself with `exclusive`",
        .example = "hidet.ops.cumsum(hidet.randn([2, 3]), dim=1)",
        .define = define_cumsum,
    };
    return info;
}

} // namespace hidet::graph
