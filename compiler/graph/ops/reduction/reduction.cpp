// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/reduction/reduction.h"

#include <cmath>
#include <functional>

#include "compiler/graph/ops/expressions.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

ReducedShape reduced_shape(const OpCall& call) {
    return reduced_shape(call.inputs[0].shape, call.attributes.get<Ints>("dims"),
                         call.attributes.get<bool>("keepdims"));
}

ReducedShape reduced_shape(const Shape& input, const Ints& dims, bool keepdims) {
    ReducedShape reduced;
    reduced.keepdims = keepdims;
    reduced.is_reduced.assign(input.size(), dims.empty());
    for (std::int64_t given : dims) {
        const auto axis = static_cast<std::size_t>(normalise_axis(given, input.size(), "dimension"));
        if (reduced.is_reduced[axis])
            throw OpError("dimension ", given, " is reduced twice");
        reduced.is_reduced[axis] = true;
    }
    for (std::size_t i = 0; i < input.size(); ++i) {
        if (reduced.is_reduced[i])
            reduced.extents.push_back(input[i]);
        if (!reduced.is_reduced[i] || reduced.keepdims)
            reduced.shape.push_back(reduced.is_reduced[i] ? dim(1) : input[i]);
    }
    return reduced;
}

Indices input_index(const ReducedShape& reduced, const Indices& result, const Indices& over) {
    Indices index;
    std::size_t kept = 0;
    std::size_t gone = 0;
    for (const bool is_reduced : reduced.is_reduced) {
        index.push_back(is_reduced ? over[gone++] : result[kept]);
        kept += !is_reduced || reduced.keepdims;
    }
    return index;
}

Indices result_index(const ReducedShape& reduced, const Indices& input) {
    Indices index;
    for (std::size_t i = 0; i < input.size(); ++i)
        if (!reduced.is_reduced[i])
            index.push_back(input[i]);
        else if (reduced.keepdims)
            index.push_back(dim(0));
    return index;
}

namespace {

// A reduction of term(element) in the type `work`, of which finish(value, number of elements) is the result, in the type
// `dtype`; work only matters to those.
struct Reducing {
    ReduceOp op = ReduceOp::Sum;
    ir::DType work = ir::DType::F32;
    ir::DType dtype = ir::DType::F32;
    std::function<Expr(const Expr& element)> term = nullptr;                    // null: the element itself
    std::function<Expr(const Expr& value, const Expr& count)> finish = nullptr; // may be null

    Task of(const OpCall& call) const {
        const ReducedShape reduced = reduced_shape(call);
        const auto [from, shape] = call.inputs[0];
        const std::string name = call.op->python;
        TaskBuilder builder(name);
        const ir::VarRef x = builder.input("x", from, shape);
        const ir::VarRef combined = builder.reduce(finish ? "combined" : name, finish ? work : dtype, reduced.shape, op,
                                                   reduced.extents, [&](const Indices& axes, const Indices& over) {
                                                       const Expr element =
                                                           ir::cast_to(at(x, input_index(reduced, axes, over)), work);
                                                       return term ? term(element) : element;
                                                   });
        if (!finish)
            return builder.finish({combined});
        return builder.finish(name, dtype, reduced.shape, [&](const Indices& axes) {
            return finish(at(combined, axes), element_count(reduced.extents));
        });
    }
};

Expr square_of(const Expr& x) {
    return ir::mul(x, x);
}

// The operator of elements of the type itself; bools have another one.
template <ReduceOp op, ReduceOp of_bools = op>
Task define_reduction(const OpCall& call) {
    const ir::DType dtype = call.inputs[0].dtype;
    return Reducing{dtype == ir::DType::Bool ? of_bools : op, dtype, dtype}.of(call);
}

template <ReduceOp op>
Task define_truth(const OpCall& call) {
    return Reducing{op, call.inputs[0].dtype, ir::DType::Bool, [](const Expr& x) { return ir::as_condition(x); }}.of(
        call);
}

template <Expr (*term)(const Expr&)>
Task define_sum_of(const OpCall& call) {
    const ir::DType dtype = call.inputs[0].dtype;
    return Reducing{ReduceOp::Sum, accumulator_of(dtype), dtype, term}.of(call);
}

Task define_l2(const OpCall& call) {
    const ir::DType dtype = call.inputs[0].dtype;
    return Reducing{ReduceOp::Sum, float_type_for(dtype), dtype, square_of,
                    [](const Expr& sum, const Expr&) { return sqrt_of(sum); }}
        .of(call);
}

Task define_log_sum(const OpCall& call) {
    const ir::DType dtype = call.inputs[0].dtype;
    return Reducing{ReduceOp::Sum, float_type_for(dtype), dtype, nullptr,
                    [](const Expr& sum, const Expr&) { return log_of(sum); }}
        .of(call);
}

// Of integers the quotient is truncated, and the mean of nothing is 0.
Task define_mean(const OpCall& call) {
    const ir::DType dtype = call.inputs[0].dtype;
    const bool is_float = ir::is_float(dtype);
    const ir::DType work = is_float ? accumulator_of(dtype) : ir::DType::I64;
    return Reducing{ReduceOp::Sum, work, dtype, nullptr,
                    [&](const Expr& sum, const Expr& count) {
                        return is_float ? ir::div(sum, ir::cast_to(count, work))
                                        : ir::div(sum, max_index(count, dim(1)));
                    }}
        .of(call);
}

// The largest element is taken out first, so that no exponential overflows; where it is infinite, nothing is.
Task define_log_sum_exp(const OpCall& call) {
    const ReducedShape reduced = reduced_shape(call);
    const ir::DType dtype = call.inputs[0].dtype;
    const ir::DType work = float_type_for(dtype);
    TaskBuilder builder("reduce_log_sum_exp");
    const ir::VarRef x = builder.input("x", dtype, call.inputs[0].shape);
    const auto element = [&](const Indices& axes, const Indices& over) {
        return ir::cast_to(at(x, input_index(reduced, axes, over)), work);
    };
    const ir::VarRef largest = builder.reduce("largest", work, reduced.shape, ReduceOp::Max, reduced.extents, element);
    const auto shift = [&](const Indices& axes) {
        const Expr value = at(largest, axes);
        return ir::select(ir::math(ir::IntrinsicId::IsInf, {value}), number(0, work), value);
    };
    const ir::VarRef sum = builder.reduce(
        "sum", work, reduced.shape, ReduceOp::Sum, reduced.extents,
        [&](const Indices& axes, const Indices& over) { return exp_of(ir::sub(element(axes, over), shift(axes))); });
    return builder.finish("reduce_log_sum_exp", dtype, reduced.shape,
                          [&](const Indices& axes) { return ir::add(log_of(at(sum, axes)), shift(axes)); });
}

template <ReduceOp op>
Task define_arg_reduction(const OpCall& call) {
    const std::string name = call.op->python;
    const Attributes& given = call.attributes;
    const TensorSpec& input = call.inputs[0];
    const ReducedShape reduced =
        reduced_shape(input.shape, {given.get<std::int64_t>("dim")}, given.get<bool>("keepdims"));
    if (ir::is_constant(reduced.extents[0], 0))
        throw OpError(name, " along an empty dimension of ", text_of(input));
    TaskBuilder builder(name);
    const ir::VarRef x = builder.input("x", input);
    return builder.finish({builder.arg_reduce(
        name, reduced.shape, op, reduced.extents[0], given.get<bool>("select_last"),
        [&](const Indices& axes, const Indices& over) { return at(x, input_index(reduced, axes, over)); })});
}

// Running sums. Every element is a sum of its own, so that all can be computed at once; a long dimension is cut into chunks
// of about the square root of its extent, whose sums are added up first: n^1.5 additions, not n^2.
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
        return builder.finish({builder.reduce_ragged(
            "cumsum", dtype, shape, ReduceOp::Sum,
            [&](const Indices& axes) { return ir::ExprVec{first_outside(position(axes[axis]))}; },
            [&](const Indices& axes, const Indices& over) { return element(axes, over[0]); })});
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
        return builder.finish("cumsum", dtype, shape, [&](const Indices& axes) {
            return ir::add(at(before, with(axes, chunk_index(axes))), at(inside, axes));
        });
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

constexpr const char* reduction_parameters = "x, dims: ints = [], keepdims: bool = False";
constexpr const char* arg_parameters = "x, dim: int = 0, keepdims: bool = False, select_last: bool = False";

} // namespace

std::span<const OpInfo> op_tables::reduction() {
    static const OpInfo table[] = {
        {OpId::ReduceSum, "sum", reduction_parameters, OpClass::Reduction, "the sum over the dimensions `dims`",
         "hidet.ops.sum(hidet.randn([2, 3]), dims=[1])", define_reduction<ReduceOp::Sum>},
        {OpId::ReduceProd, "prod", reduction_parameters, OpClass::Reduction, "the product over the dimensions `dims`",
         "hidet.ops.prod(hidet.randn([2, 3]), dims=[1])", define_reduction<ReduceOp::Prod>},
        {OpId::ReduceMax, "max", reduction_parameters, OpClass::Reduction,
         "the largest element over the dimensions `dims`; a NaN is larger than all",
         "hidet.ops.max(hidet.randn([2, 3]), dims=[1])", define_reduction<ReduceOp::Max, ReduceOp::Or>},
        {OpId::ReduceMin, "min", reduction_parameters, OpClass::Reduction,
         "the smallest element over the dimensions `dims`; a NaN is smaller than all",
         "hidet.ops.min(hidet.randn([2, 3]), dims=[1])", define_reduction<ReduceOp::Min, ReduceOp::And>},
        {OpId::ReduceMean, "mean", reduction_parameters, OpClass::Reduction, "the mean over the dimensions `dims`",
         "hidet.ops.mean(hidet.randn([2, 3]), dims=[1])", define_mean},
        {OpId::ReduceL1, "reduce_l1", reduction_parameters, OpClass::Reduction,
         "the sum of magnitudes over the dimensions `dims`", "hidet.ops.reduce_l1(hidet.randn([2, 3]), dims=[1])",
         define_sum_of<abs_of>},
        {OpId::ReduceL2, "reduce_l2", reduction_parameters, OpClass::Reduction,
         "the square root of the sum of squares over the dimensions `dims`",
         "hidet.ops.reduce_l2(hidet.randn([2, 3]), dims=[1])", define_l2},
        {OpId::ReduceLogSum, "reduce_log_sum", reduction_parameters, OpClass::Reduction,
         "the logarithm of the sum over the dimensions `dims`",
         "hidet.ops.reduce_log_sum(hidet.randn([2, 3]), dims=[1])", define_log_sum},
        {OpId::ReduceLogSumExp, "reduce_log_sum_exp", reduction_parameters, OpClass::Reduction,
         "the logarithm of the sum of exponentials over the dimensions `dims`",
         "hidet.ops.reduce_log_sum_exp(hidet.randn([2, 3]), dims=[1])", define_log_sum_exp},
        {OpId::ReduceSumSquare, "reduce_sum_square", reduction_parameters, OpClass::Reduction,
         "the sum of squares over the dimensions `dims`", "hidet.ops.reduce_sum_square(hidet.randn([2, 3]), dims=[1])",
         define_sum_of<square_of>},
        {OpId::ReduceAnd, "all", reduction_parameters, OpClass::Reduction,
         "whether all elements over the dimensions `dims` are not zero", "hidet.ops.all(hidet.randn([2, 3]), dims=[1])",
         define_truth<ReduceOp::And>},
        {OpId::ReduceOr, "any", reduction_parameters, OpClass::Reduction,
         "whether any element over the dimensions `dims` is not zero", "hidet.ops.any(hidet.randn([2, 3]), dims=[1])",
         define_truth<ReduceOp::Or>},
        {OpId::ArgMax, "argmax", arg_parameters, OpClass::Reduction,
         "the index of the largest element along `dim`; with `select_last`, of the last one of equals",
         "hidet.ops.argmax(hidet.randn([2, 3]), dim=1)", define_arg_reduction<ReduceOp::ArgMax>},
        {OpId::ArgMin, "argmin", arg_parameters, OpClass::Reduction,
         "the index of the smallest element along `dim`; with `select_last`, of the last one of equals",
         "hidet.ops.argmin(hidet.randn([2, 3]), dim=1)", define_arg_reduction<ReduceOp::ArgMin>},
        {OpId::CumulativeSum, "cumsum", "x, dim: int, exclusive: bool = False, reverse: bool = False",
         OpClass::Reduction,
         "the running sum along `dim`, from the end with `reverse`, without the element itself with `exclusive`",
         "hidet.ops.cumsum(hidet.randn([2, 3]), dim=1)", define_cumsum},
    };
    return table;
}

} // namespace hidet::graph
