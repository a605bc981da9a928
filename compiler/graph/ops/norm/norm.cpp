// SPDX-License-Identifier: Apache-2.0
// What needs a reduction first and then the elements again.
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/norm/root_mean_square.h"
#include "compiler/graph/ops/reduction/reduction.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// What softmax and its relatives share: stages over one dimension, with the dimension kept as an extent of 1. Floats only.
struct AxisStages {
    explicit AxisStages(const OpCall& call)
        : name(call.op->python), builder(name), shape(call.inputs[0].shape), dtype(call.inputs[0].dtype) {
        if (!ir::is_float(dtype))
            throw OpError(name, " wants a tensor of floats, not ", text_of(call.inputs[0]));
        axis = axis_attribute(call, "axis", shape.size());
        work = float_type_for(dtype);
        x = builder.input("x", dtype, shape);
        kept_shape = shape;
        kept_shape[axis] = dim(1);
    }
    Indices with(const Indices& axes, const Expr& place) const {
        Indices index = axes;
        index[axis] = place;
        return index;
    }
    // The index into a tensor of the stages.
    Indices kept(const Indices& axes) const { return with(axes, dim(0)); }
    ir::VarRef reduce(const char* stage, ReduceOp op, const Element& value) {
        return builder.reduce(stage, work, kept_shape, op, {shape[axis]},
                              [&](const Indices& axes, const Indices& over) { return value(with(axes, over[0])); });
    }
    ir::VarRef largest() { // of the input, in the work type
        return reduce("largest", ReduceOp::Max, [&](const Indices& axes) { return ir::cast_to(at(x, axes), work); });
    }
    Expr shifted(const Indices& axes, const ir::VarRef& largest) const { // x - largest
        return ir::sub(ir::cast_to(at(x, axes), work), at(largest, kept(axes)));
    }
    ir::VarRef sum_of_exp(const ir::VarRef& largest) { // of exp(x - largest)
        return reduce("sum", ReduceOp::Sum, [&](const Indices& axes) { return exp_of(shifted(axes, largest)); });
    }
    Task finish(const Element& value) { return builder.finish(name, dtype, shape, value); }

    std::string name;
    TaskBuilder builder;
    Shape shape;
    Shape kept_shape;
    std::size_t axis = 0;
    ir::DType dtype;
    ir::DType work;
    ir::VarRef x;
};

Task define_softmax(const OpCall& call) {
    AxisStages stages(call);
    const ir::VarRef largest = stages.largest();
    const ir::VarRef sum = stages.sum_of_exp(largest);
    return stages.finish([&](const Indices& axes) {
        return ir::div(exp_of(stages.shifted(axes, largest)), at(sum, stages.kept(axes)));
    });
}

Task define_log_softmax(const OpCall& call) {
    AxisStages stages(call);
    const ir::VarRef largest = stages.largest();
    const ir::VarRef sum = stages.sum_of_exp(largest);
    return stages.finish([&](const Indices& axes) {
        return ir::sub(stages.shifted(axes, largest), log_of(at(sum, stages.kept(axes))));
    });
}

Task define_hardmax(const OpCall& call) {
    AxisStages stages(call);
    const ir::VarRef first = stages.builder.arg_reduce(
        "first", stages.kept_shape, ReduceOp::ArgMax, stages.shape[stages.axis], false,
        [&](const Indices& axes, const Indices& over) { return at(stages.x, stages.with(axes, over[0])); });
    return stages.finish([&](const Indices& axes) {
        return ir::select(ir::equal(at(first, stages.kept(axes)), axes[stages.axis]), number(1, stages.dtype),
                          number(0, stages.dtype));
    });
}

// Mean and variance over some dimensions as stages, in two passes: no difference of large squares. Elements are taken as
// their distance from the first one, so that a large mean, rounded, does not hide what they are apart.
class Moments {
public:
    // `work` is the type of the stages.
    Moments(TaskBuilder& builder, const ir::VarRef& x, const Ints& dims, ir::DType work)
        : Moments(
              builder, shape_of(x), [x](const Indices& axes) { return at(x, axes); }, dims, work) {}
    // Of a view of the input: its shape, and its elements.
    Moments(TaskBuilder& builder, const Shape& shape, Element x, const Ints& dims, ir::DType work)
        : m_x(std::move(x)), m_work(work), m_reduced(reduced_shape(shape, dims, true)) {
        m_sum = builder.reduce(
            "sum", work, m_reduced.shape, ReduceOp::Sum, m_reduced.extents,
            [&](const Indices& axes, const Indices& over) { return distance(input_index(m_reduced, axes, over)); });
        m_squares = builder.reduce("squares", work, m_reduced.shape, ReduceOp::Sum, m_reduced.extents,
                                   [&](const Indices& axes, const Indices& over) {
                                       const Expr difference = centred(input_index(m_reduced, axes, over));
                                       return ir::mul(difference, difference);
                                   });
    }
    // x - mean, of an index into the input, or the view.
    Expr centred(const Indices& axes) const { return ir::sub(distance(axes), over_count(m_sum, axes)); }
    Expr variance(const Indices& axes) const { return over_count(m_squares, axes); } // of the population

private:
    Expr distance(const Indices& axes) const {
        const Indices first =
            input_index(m_reduced, result_index(m_reduced, axes), Indices(m_reduced.extents.size(), dim(0)));
        return ir::sub(ir::cast_to(m_x(axes), m_work), ir::cast_to(m_x(first), m_work));
    }
    Expr over_count(const ir::VarRef& sum, const Indices& axes) const {
        return ir::div(at(sum, result_index(m_reduced, axes)), ir::cast_to(element_count(m_reduced.extents), m_work));
    }

    Element m_x;
    ir::DType m_work;
    ReducedShape m_reduced;
    ir::VarRef m_sum;
    ir::VarRef m_squares;
};

// Input 0; OpError where it is not one of floats.
const TensorSpec& floats(const OpCall& call) {
    const TensorSpec& input = call.inputs[0];
    if (!ir::is_float(input.dtype))
        throw OpError(call.op->python, " wants a tensor of floats, not ", text_of(input));
    return input;
}

Task define_normalize(const OpCall& call) {
    const TensorSpec& input = floats(call);
    const ir::DType work = call.attributes.get_or("accumulate_dtype", float_type_for(input.dtype));
    const double epsilon = call.attributes.get<double>("epsilon");
    TaskBuilder builder("normalize");
    const ir::VarRef x = builder.input("x", input);
    const Moments moments(builder, x, call.attributes.get<Ints>("dims"), work);
    return builder.finish("normalize", input.dtype, input.shape, [&](const Indices& axes) {
        return ir::div(moments.centred(axes), sqrt_of(ir::add(moments.variance(axes), number(epsilon, work))));
    });
}

// Channels, the last dimension, are two here: groups, and what a group has.
Task define_normalize_channel_last(const OpCall& call) {
    const TensorSpec& input = floats(call);
    const std::size_t last = input.shape.size() - 1;
    const auto groups = call.attributes.get<std::int64_t>("groups");
    const auto channels = input.shape.size() < 2 ? std::nullopt : constant_of(input.shape[last]);
    if (groups < 1 || !channels || *channels % groups != 0)
        throw OpError("normalize_channel_last wants channels, the last dimension, that ", groups, " divides, not ",
                      text_of(input));
    const Dim columns = dim(*channels / groups);
    const ir::DType work = call.attributes.get_or("accumulate_dtype", float_type_for(input.dtype));
    const double epsilon = call.attributes.get<double>("epsilon");
    TaskBuilder builder("normalize_channel_last");
    const ir::VarRef x = builder.input("x", input);
    Shape grouped = input.shape;
    grouped[last] = dim(groups);
    grouped.push_back(columns);
    Ints dims = dims_from(1, last);
    dims.push_back(static_cast<std::int64_t>(last) + 1);
    const auto element = [&](const Indices& axes) {
        Indices index(axes.begin(), axes.end() - 1);
        index[last] = ir::add(ir::mul(index[last], columns), axes.back());
        return at(x, index);
    };
    const Moments moments(builder, grouped, element, dims, work);
    return builder.finish("normalize_channel_last", input.dtype, input.shape, [&](const Indices& axes) {
        Indices index = axes;
        index[last] = ir::floor_div(axes[last], columns);
        index.push_back(ir::floor_mod(axes[last], columns));
        return ir::div(moments.centred(index), sqrt_of(ir::add(moments.variance(index), number(epsilon, work))));
    });
}

Task define_rms_normalize(const OpCall& call) {
    const TensorSpec& input = floats(call);
    const ir::DType work = call.attributes.get_or("accumulate_dtype", float_type_for(input.dtype));
    TaskBuilder builder("rms_normalize");
    const ir::VarRef x = builder.input("x", input);
    const Element root =
        root_mean_square(builder, x, call.attributes.get<Ints>("dims"), work, call.attributes.get<double>("epsilon"));
    return builder.finish("rms_normalize", input.dtype, input.shape,
                          [&](const Indices& axes) { return ir::div(ir::cast_to(at(x, axes), work), root(axes)); });
}

// ONNX adds this to the deviation, not to the variance.
constexpr double least_deviation = 1e-9;

Task define_mean_variance_normalization(const OpCall& call) {
    const TensorSpec& input = floats(call);
    const ir::DType work = float_type_for(input.dtype);
    TaskBuilder builder("mean_variance_normalization");
    const ir::VarRef x = builder.input("x", input);
    const Moments moments(builder, x, call.attributes.get<Ints>("axes"), work);
    return builder.finish(builder.task().name, input.dtype, input.shape, [&](const Indices& axes) {
        const Expr deviation = ir::add(sqrt_of(moments.variance(axes)), number(least_deviation, work));
        return ir::div(moments.centred(axes), deviation);
    });
}

template <bool takes_root>
Task define_variance(const OpCall& call) {
    const char* name = call.op->python;
    const TensorSpec& input = floats(call);
    const ReducedShape reduced = reduced_shape(call);
    const ir::DType work = float_type_for(input.dtype);
    // A sample of n elements says of n - 1 how far they are from their mean.
    const bool is_sample = call.attributes.get<bool>("unbiased");
    TaskBuilder builder(name);
    const ir::VarRef x = builder.input("x", input);
    const Moments moments(builder, x, call.attributes.get<Ints>("dims"), work);
    return builder.finish(name, input.dtype, reduced.shape, [&](const Indices& axes) {
        Expr value = moments.variance(input_index(reduced, axes, Indices(reduced.extents.size(), dim(0))));
        if (is_sample) {
            const Expr count = ir::cast_to(element_count(reduced.extents), work);
            value = ir::div(ir::mul(value, count), ir::sub(count, number(1, work)));
        }
        return takes_root ? sqrt_of(value) : value;
    });
}

Expr power_of_magnitude(const Expr& x, double p, ir::DType work) {
    if (p == 1)
        return abs_of(x);
    return p == 2 ? ir::mul(x, x) : pow_of(abs_of(x), number(p, work));
}

Expr root(const Expr& sum, double p, ir::DType work) {
    if (p == 1)
        return sum;
    return p == 2 ? sqrt_of(sum) : pow_of(sum, number(1 / p, work));
}

// Elements that are all zero stay zero, whatever `eps` is.
Task define_lp_norm(const OpCall& call) {
    const TensorSpec& input = floats(call);
    const double p = call.attributes.get<double>("p");
    const double eps = call.attributes.get<double>("eps");
    if (!(p > 0))
        throw OpError("lp_norm wants a positive power");
    const ReducedShape reduced = reduced_shape(input.shape, {call.attributes.get<std::int64_t>("dim")}, true);
    const ir::DType work = float_type_for(input.dtype);
    TaskBuilder builder("lp_norm");
    const ir::VarRef x = builder.input("x", input);
    const auto element = [&](const Indices& axes) { return ir::cast_to(at(x, axes), work); };
    const ir::VarRef sum = builder.reduce(
        "sum", work, reduced.shape, ReduceOp::Sum, reduced.extents, [&](const Indices& axes, const Indices& over) {
            return power_of_magnitude(element(input_index(reduced, axes, over)), p, work);
        });
    return builder.finish("lp_norm", input.dtype, input.shape, [&](const Indices& axes) {
        const Expr norm = larger_of(root(at(sum, result_index(reduced, axes)), p, work), number(eps, work));
        return ir::select(ir::equal(norm, number(0, work)), number(0, work), ir::div(element(axes), norm));
    });
}

Task define_lrn(const OpCall& call) {
    const TensorSpec& input = call.inputs[0];
    const std::int64_t size = call.attributes.get<std::int64_t>("size");
    if (input.shape.size() < 2 || !ir::is_float(input.dtype))
        throw OpError("lrn wants floats of at least two dimensions, not ", text_of(input));
    if (size < 1)
        throw OpError("lrn wants a positive size, not ", size);
    const double alpha = call.attributes.get<double>("alpha");
    const double beta = call.attributes.get<double>("beta");
    const double bias = call.attributes.get<double>("bias");
    const ir::DType work = float_type_for(input.dtype);
    TaskBuilder builder("lrn");
    const ir::VarRef x = builder.input("x", input);
    const auto square = [&](const Indices& axes) {
        const Expr value = ir::cast_to(at(x, axes), work);
        return ir::mul(value, value);
    };
    const ir::VarRef squares = builder.reduce(
        "squares", work, input.shape, ReduceOp::Sum, {dim(size)}, [&](const Indices& axes, const Indices& over) {
            Indices index = axes;
            index[1] = ir::add(ir::sub(axes[1], dim((size - 1) / 2)), over[0]);
            return ir::select(is_inside(index[1], input.shape[1]), square(index), number(0, work));
        });
    return builder.finish("lrn", input.dtype, input.shape, [&](const Indices& axes) {
        const Expr scale =
            ir::add(number(bias, work), ir::mul(number(alpha / static_cast<double>(size), work), at(squares, axes)));
        return ir::div(ir::cast_to(at(x, axes), work), pow_of(scale, number(beta, work)));
    });
}

struct Loss {
    const OpCall& call;
    ir::VarRef x;       // [n, c, d...]
    ir::VarRef targets; // [n, d...]
    ir::VarRef weights; // [c]; may be null
    ir::DType work;

    Expr target(const Indices& axes) const { return ir::cast_to(at(targets, axes), ir::DType::I64); }
    Expr counts(const Indices& axes) const { // what is ignored or no class counts nothing
        const Expr inside = is_inside(target(axes), shape_of(x)[1]);
        if (!call.attributes.find("ignore_index"))
            return inside;
        const Dim ignored = dim(call.attributes.get<std::int64_t>("ignore_index"));
        return ir::logical_and(inside, ir::not_equal(target(axes), ignored));
    }
    Expr own_weight(const Indices& axes) const {
        return weights ? ir::cast_to(at(weights, {target(axes)}), work) : number(1, work);
    }
    Expr weight(const Indices& axes) const { return ir::select(counts(axes), own_weight(axes), number(0, work)); }
    Expr value(const Indices& axes) const {
        Indices index = {axes[0], target(axes)};
        index.insert(index.end(), axes.begin() + 1, axes.end());
        const Expr value = ir::mul(ir::cast_to(at(x, index), work), own_weight(axes));
        return ir::select(counts(axes), ir::negate(value), number(0, work));
    }
};

Task define_negative_log_likelihood_loss(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const TensorSpec& targets = call.inputs[1];
    if (x.shape.size() < 2 || targets.shape.size() + 1 != x.shape.size() || !ir::is_float(x.dtype))
        throw OpError("negative_log_likelihood_loss wants floats [n, c, ...] and classes [n, ...], not ", text_of(x),
                      " and ", text_of(targets));
    const std::string reduction = call.attributes.get<std::string>("reduction");
    if (reduction != "none" && reduction != "sum" && reduction != "mean")
        throw OpError("negative_log_likelihood_loss has no reduction '", reduction, "'");
    TaskBuilder builder("negative_log_likelihood_loss");
    Loss loss{call, builder.input("x", x), builder.input("target", targets), nullptr, float_type_for(x.dtype)};
    if (call.inputs.size() > 2)
        loss.weights = builder.input("weight", call.inputs[2]);
    if (reduction == "none") {
        return builder.finish("y", x.dtype, targets.shape, [&](const Indices& axes) { return loss.value(axes); });
    }
    const bool is_mean = reduction == "mean";
    const ir::VarRef sum =
        builder.reduce(is_mean ? "sum" : "y", is_mean ? loss.work : x.dtype, {}, ReduceOp::Sum, targets.shape,
                       [&](const Indices&, const Indices& over) { return loss.value(over); });
    if (!is_mean)
        return builder.finish({sum});
    const ir::VarRef total = builder.reduce("total", loss.work, {}, ReduceOp::Sum, targets.shape,
                                            [&](const Indices&, const Indices& over) { return loss.weight(over); });
    return builder.finish("y", x.dtype, {}, [&](const Indices&) { return ir::div(at(sum, {}), at(total, {})); });
}

} // namespace

std::span<const OpInfo> op_tables::norm() {
    static const OpInfo table[] = {
        {OpId::Softmax, "softmax", "x, axis: int = -1", OpClass::Reduction,
         "exponentials divided by their sum along `axis`", "hidet.ops.softmax(hidet.randn([2, 3]), axis=-1)",
         define_softmax},
        {OpId::LogSoftmax, "logsoftmax", "x, axis: int = -1", OpClass::Reduction,
         "the logarithm of softmax, without its underflow", "hidet.ops.logsoftmax(hidet.randn([2, 3]), axis=-1)",
         define_log_softmax},
        {OpId::Hardmax, "hardmax", "x, axis: int = -1", OpClass::Reduction,
         "one at the first largest element along `axis`, zero elsewhere",
         "hidet.ops.hardmax(hidet.randn([2, 3]), axis=-1)", define_hardmax},
        {OpId::Normalize, "normalize", "x, dims: ints, epsilon: float = 1e-5, accumulate_dtype: dtype = None",
         OpClass::Reduction,
         "the elements less their mean, over the root of their variance plus `epsilon`, over `dims`",
         "hidet.ops.normalize(hidet.randn([2, 3]), dims=[1])", define_normalize},
        {OpId::NormalizeChannelLast, "normalize_channel_last",
         "x, groups: int, epsilon: float = 1e-5, accumulate_dtype: dtype = None", OpClass::Reduction,
         "the elements of each image less their mean, over the root of their variance plus `epsilon`, over all pixels "
         "and "
         "the channels of a group, channels last",
         "hidet.ops.normalize_channel_last(hidet.randn([1, 3, 3, 4]), groups=2)", define_normalize_channel_last},
        {OpId::RmsNormalize, "rms_normalize", "x, dims: ints, epsilon: float = 1e-5, accumulate_dtype: dtype = None",
         OpClass::Reduction, "the elements over the root of the mean of their squares plus `epsilon`, over `dims`",
         "hidet.ops.rms_normalize(hidet.randn([2, 3]), dims=[1])", define_rms_normalize},
        {OpId::MeanVarianceNormalization, "mean_variance_normalization", "x, axes: ints = [0, 2, 3]",
         OpClass::Reduction, "the elements less their mean over their standard deviation, over `axes`",
         "hidet.ops.mean_variance_normalization(hidet.randn([1, 2, 3, 3]))", define_mean_variance_normalization},
        {OpId::ReduceVar, "var", "x, dims: ints = [], keepdims: bool = False, unbiased: bool = False",
         OpClass::Reduction, "the variance over the dimensions `dims`, with `unbiased` that of a sample",
         "hidet.ops.var(hidet.randn([2, 3]), dims=[1])", define_variance<false>},
        {OpId::ReduceStd, "std", "x, dims: ints = [], keepdims: bool = False, unbiased: bool = False",
         OpClass::Reduction, "the standard deviation over the dimensions `dims`, with `unbiased` that of a sample",
         "hidet.ops.std(hidet.randn([2, 3]), dims=[1])", define_variance<true>},
        {OpId::LpNorm, "lp_norm", "x, p: float = 2.0, dim: int = 1, eps: float = 1e-12", OpClass::Reduction,
         "the elements over their `p`-norm along `dim`, which is at least `eps`",
         "hidet.ops.lp_norm(hidet.randn([2, 3]), p=2.0, dim=1)", define_lp_norm},
        {OpId::LRN, "lrn", "x, size: int, alpha: float = 0.0001, beta: float = 0.75, bias: float = 1.0",
         OpClass::Reduction, "the elements over a power of the mean square of their neighbours among the channels",
         "hidet.ops.lrn(hidet.randn([1, 5, 2, 2]), size=3)", define_lrn},
        {OpId::NegativeLogLikelihoodLoss, "nll_loss",
         "x, target, weight: tensor = None, ignore_index: int = -100, reduction: str = 'mean'", OpClass::Reduction,
         "the negative logarithms of probabilities of the classes that are the targets, weighted and averaged",
         "hidet.ops.nll_loss(hidet.randn([2, 3]), hidet.zeros([2], dtype='int64'))",
         define_negative_log_likelihood_loss,
         [](const OpCall& call) -> std::vector<Indexing> {
             const Attribute* ignored = call.attributes.find("ignore_index");
             return {{.operand = 1,
                      .extents = {call.inputs[0].shape[1]},
                      .is_from_end = false,
                      .ignored = ignored ? std::optional(std::get<std::int64_t>(*ignored)) : std::nullopt}};
         }},
    };
    return table;
}

} // namespace hidet::graph
