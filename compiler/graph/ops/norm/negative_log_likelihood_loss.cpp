// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/expressions.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

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
    Expr weight(const Indices& axes) const {
        const Expr one = number(1, work);
        const Expr own = weights ? ir::cast_to(at(weights, {target(axes)}), work) : one;
        return ir::select(counts(axes), own, number(0, work));
    }
    Expr value(const Indices& axes) const {
        Indices index = {axes[0], target(axes)};
        index.insert(index.end(), axes.begin() + 1, axes.end());
        const Expr own = weights ? ir::cast_to(at(weights, {target(axes)}), work) : number(1, work);
        return ir::select(counts(axes), ir::negate(ir::mul(ir::cast_to(at(x, index), work), own)), number(0, work));
    }
};

Task define_negative_log_likelihood_loss(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const TensorSpec& targets = call.inputs[1];
    if (x.shape.size() < 2 || targets.shape.size() + 1 != x.shape.size() || !ir::is_float(x.dtype))
        throw OpError("negative_log_likelihood_loss wants floats [n, c, ...] and classes [n, ...], not " + text_of(x) +
                      " and " + text_of(targets));
    const std::string reduction = call.attributes.get<std::string>("reduction");
    if (reduction != "none" && reduction != "sum" && reduction != "mean")
        throw OpError("negative_log_likelihood_loss has no reduction '" + reduction + "'");
    TaskBuilder builder("negative_log_likelihood_loss");
    Loss loss{call, builder.input("x", x.dtype, x.shape), builder.input("target", targets.dtype, targets.shape),
              nullptr, float_type_for(x.dtype)};
    if (call.inputs.size() > 2)
        loss.weights = builder.input("weight", call.inputs[2].dtype, call.inputs[2].shape);
    if (reduction == "none") {
        const ir::VarRef y =
            builder.compute("y", x.dtype, targets.shape, [&](const Indices& axes) { return loss.value(axes); });
        return builder.finish({y});
    }
    const bool is_mean = reduction == "mean";
    const ir::VarRef sum =
        builder.reduce(is_mean ? "sum" : "y", is_mean ? loss.work : x.dtype, {}, ReduceOp::Sum, targets.shape,
                       [&](const Indices&, const Indices& over) { return loss.value(over); });
    if (!is_mean)
        return builder.finish({sum});
    const ir::VarRef total = builder.reduce("total", loss.work, {}, ReduceOp::Sum, targets.shape,
                                            [&](const Indices&, const Indices& over) { return loss.weight(over); });
    const ir::VarRef y =
        builder.compute("y", x.dtype, {}, [&](const Indices&) { return ir::div(at(sum, {}), at(total, {})); });
    return builder.finish({y});
}

} // namespace

const OpInfo& op_info::NegativeLogLikelihoodLoss() {
    static const OpInfo info = {
        .id = OpId::NegativeLogLikelihoodLoss,
        .python = "nll_loss",
        .parameters = "x, target, weight: tensor = None, ignore_index: int = -100, reduction: str = 'mean'",
        .cls = OpClass::Reduction,
        .summary =
            "the negative logarithms of probabilities of the classes that are the targets, weighted and averaged",
        .example = "hidet.ops.nll_loss(hidet.randn([2, 3]), hidet.zeros([2], dtype='int64'))",
        .define = define_negative_log_likelihood_loss,
        .indexes = [](const OpCall& call) -> std::vector<Indexing> {
            const Attribute* ignored = call.attributes.find("ignore_index");
            return {{.operand = 1,
                     .extents = {call.inputs[0].shape[1]},
                     .is_from_end = false,
                     .ignored = ignored ? std::optional(std::get<std::int64_t>(*ignored)) : std::nullopt}};
        },
    };
    return info;
}

} // namespace hidet::graph
