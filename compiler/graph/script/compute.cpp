// SPDX-License-Identifier: Apache-2.0
// compute(name, shape, f) calls f once, with a variable for each axis; what f returns is the value of an element. A
// reduce() in it becomes a stage of its own, over the axes that are in scope where it stands, because a task reduces whole
// stages: `reduce(...) / n` is one stage for the sum and one for the quotient. Where the value is nothing but the
// reduction, that stage is the tensor.
#include "compiler/graph/script/compute.h"

#include <algorithm>

#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/modules.h"
#include "compiler/graph/script/parameters.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "lang/base/text.h"
#include "lang/host/boxed.h"
#include "lang/host/interpreter.h"
#include "lang/host/operators.h"
#include "lang/host/tensors/tensor_ops.h"
#include "lang/script/modules/exports.h"

namespace hidet::graph {

namespace {

ir::VarVec fresh_axes(std::size_t count, const char* name, std::size_t first = 0) {
    ir::VarVec axes;
    for (std::size_t i = 0; i < count; ++i)
        axes.push_back(ir::make_var(cat(name, first + i), ir::data_type(ir::DType::I64)));
    return axes;
}

// The value in which other variables stand for the axes.
ir::ExprRef with_axes(const ir::ExprRef& value, const ir::VarVec& from, const ir::VarVec& to) {
    ir::Rewriter rewriter;
    for (std::size_t i = 0; i < from.size(); ++i)
        rewriter.replace(from[i], to[i]);
    return rewriter.rewrite(value);
}

ir::ExprRef scalar_of(const HostValue& value, Span span) {
    if (value.is(ValueKind::Expr) && ir::scalar_of(value.as_expr()->type))
        return value.as_expr();
    if (value.is(ValueKind::Float))
        return ir::float_constant(value.as_double());
    if (value.is(ValueKind::Int))
        return ir::int_constant(value.as_int(), ir::DType::I64);
    if (value.is(ValueKind::Bool))
        return ir::bool_constant(value.as_bool());
    fail(DiagId::BadType, span, cat("an element is a number, not '", lang::type_name(value), "'"));
}

ir::ExprRef called(Evaluator& evaluator, const HostValue& function, const ir::VarVec& axes, Span span) {
    Args args;
    for (const ir::VarRef& axis : axes)
        args.positional.push_back(HostValue::expr(axis));
    return scalar_of(evaluator.call(function, args, span), span);
}

ir::VarRef tensor_var(const std::string& name, ir::DType dtype, ir::ExprVec shape) {
    return ir::make_var(name, ir::tensor_type(ir::data_type(dtype), std::move(shape)));
}

// Is it tensor[axes], element by element?
bool is_all_of(const ir::ExprRef& value, const Stage& stage, const ir::VarVec& axes) {
    const auto* element = ir::as<ir::TensorElement>(value);
    return element && element->base == stage.tensor &&
           std::equal(axes.begin(), axes.end(), element->indices.begin(), element->indices.end());
}

HostValue tensor_input(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "tensor_input", {"name", "dtype", "shape", "device="});
    return HostValue::extension(
        Ref<lang::NativeObject>(new TensorNodeValue(graphs, tensor_var(a.str(0), lang::dtype_argument(a[1], a.span(1)),
                                                                       symbolic_shape(evaluator, a[2], a.span(2))))));
}

HostValue compute(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "compute", {"name", "shape", "fcompute", "layout="});
    const Shape shape = symbolic_shape(evaluator, a[1], a.span(1));
    std::vector<Stage> stages;
    std::vector<Ref<TensorNodeValue>> reads;
    Stage stage;
    stage.axes = fresh_axes(shape.size(), "i");
    graphs.computing.push_back({stage.axes, shape, &stages, &reads, a.str(0)});
    try {
        stage.value = called(evaluator, a[2], stage.axes, a.span(2));
    } catch (...) {
        graphs.computing.pop_back();
        throw;
    }
    graphs.computing.pop_back();
    const ir::DType dtype = *ir::scalar_of(stage.value->type);
    stage.tensor = tensor_var(a.str(0), dtype, shape);
    if (!stages.empty() && is_all_of(stage.value, stages.back(), stage.axes)) {
        stages.back().tensor = stage.tensor;
    } else {
        stages.push_back(std::move(stage));
    }
    Ref<TensorNodeValue> node(new TensorNodeValue(graphs, stages.back().tensor));
    node->stages = std::move(stages);
    node->reads = std::move(reads);
    return HostValue::extension(node);
}

// The function's value over the frame's axes and those of the reduction.
ir::ExprRef reduced_value(ScriptGraphs& graphs, Evaluator& evaluator, const HostValue& function,
                          const ComputeFrame& frame, const ir::VarVec& axes, const Shape& extents, Span span) {
    ComputeFrame inner = frame;
    inner.axes.insert(inner.axes.end(), axes.begin(), axes.end());
    inner.extents.insert(inner.extents.end(), extents.begin(), extents.end());
    graphs.computing.push_back(std::move(inner));
    try {
        ir::ExprRef value = called(evaluator, function, axes, span);
        graphs.computing.pop_back();
        return value;
    } catch (...) {
        graphs.computing.pop_back();
        throw;
    }
}

// A reduction outside of a compute() is a tensor of its own, without dimensions.
HostValue standing_alone(ScriptGraphs& graphs, Evaluator& evaluator, const char* name,
                         HostValue (*function)(ScriptGraphs&, Evaluator&, Args&, Span), const Args& args, Span span) {
    Args given;
    given.positional = {HostValue::str(name), evaluator.new_list({}),
                        HostValue::native(name, [&graphs, function, args](Evaluator& inner, Args&, Span at) {
                            Args again = args;
                            return function(graphs, inner, again, at);
                        })};
    given.spans.assign(given.positional.size(), span);
    return compute(graphs, evaluator, given, span);
}

// The stage that reduces, and an element of it at the axes in scope.
ir::ExprRef add_reduction(const ComputeFrame& frame, Reduction reduction, const ir::ExprRef& value, ir::DType dtype) {
    Stage stage;
    stage.axes = fresh_axes(frame.axes.size(), "i");
    stage.tensor = tensor_var(cat(frame.name, "_", reduce_name(reduction.op)), dtype, frame.extents);
    stage.value = with_axes(value, frame.axes, stage.axes);
    for (ir::ExprRef& extent : reduction.extents)
        extent = with_axes(extent, frame.axes, stage.axes);
    stage.reduction = std::move(reduction);
    frame.stages->push_back(stage);
    return at(stage.tensor, {frame.axes.begin(), frame.axes.end()});
}

std::optional<ReduceOp> reduce_op(const std::string& name) {
    static constexpr std::pair<std::string_view, ReduceOp> ops[] = {
        {"sum", ReduceOp::Sum}, {"avg", ReduceOp::Sum},   {"max", ReduceOp::Max},
        {"min", ReduceOp::Min}, {"prod", ReduceOp::Prod}, {"and", ReduceOp::And},
        {"all", ReduceOp::And}, {"or", ReduceOp::Or},     {"any", ReduceOp::Or},
    };
    for (const auto& [known, op] : ops)
        if (known == name)
            return op;
    return std::nullopt;
}

HostValue reduce(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "reduce", {"shape", "fcompute", "reduce_type", "accumulate_dtype="});
    if (graphs.computing.empty())
        return standing_alone(graphs, evaluator, "reduce", reduce, args, span);
    const ComputeFrame frame = graphs.computing.back();
    const auto op = reduce_op(a.str(2));
    if (!op)
        a.wrong_type(2, "one of 'sum', 'avg', 'max', 'min', 'prod', 'and', 'or'");
    Reduction reduction;
    reduction.op = *op;
    reduction.extents = symbolic_shape(evaluator, a[0], a.span(0));
    reduction.axes = fresh_axes(reduction.extents.size(), "r", frame.axes.size());
    const ir::ExprRef value =
        reduced_value(graphs, evaluator, a[1], frame, reduction.axes, reduction.extents, a.span(1));
    const ir::DType dtype = *ir::scalar_of(value->type);
    reduction.accumulate = a.given(3) ? lang::dtype_argument(a[3], a.span(3)) : accumulator_of(dtype);
    const Dim count = element_count(reduction.extents);
    const ir::DType accumulate = reduction.accumulate;
    ir::ExprRef result = add_reduction(frame, std::move(reduction), ir::cast_to(value, accumulate), dtype);
    if (a.str(2) == "avg")
        result = ir::div(result, ir::cast_to(count, dtype));
    return HostValue::expr(std::move(result));
}

HostValue arg_reduce(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "arg_reduce", {"extent", "fcompute", "reduce_type", "index_dtype="});
    if (graphs.computing.empty())
        return standing_alone(graphs, evaluator, "arg_reduce", arg_reduce, args, span);
    const ComputeFrame frame = graphs.computing.back();
    if (a.str(2) != "max" && a.str(2) != "min")
        a.wrong_type(2, "'max' or 'min'");
    Reduction reduction;
    reduction.op = a.str(2) == "max" ? ReduceOp::ArgMax : ReduceOp::ArgMin;
    reduction.extents = {dim_argument(a[0], a.span(0))};
    reduction.axes = fresh_axes(1, "r", frame.axes.size());
    const ir::ExprRef value =
        reduced_value(graphs, evaluator, a[1], frame, reduction.axes, reduction.extents, a.span(1));
    reduction.accumulate = *ir::scalar_of(value->type);
    const ir::DType index = a.given(3) ? lang::dtype_argument(a[3], a.span(3)) : ir::DType::I64;
    return HostValue::expr(ir::cast_to(add_reduction(frame, std::move(reduction), value, ir::DType::I64), index));
}

} // namespace

std::unique_ptr<HostValue> TensorNodeValue::attribute(Evaluator&, std::string_view name, Span) {
    if (name == "shape")
        return std::make_unique<HostValue>(shape_value(shape_of(tensor)));
    if (name == "dtype" || name == "type")
        return std::make_unique<HostValue>(HostValue::type(ir::data_type(dtype_of(tensor))));
    if (name == "name")
        return std::make_unique<HostValue>(HostValue::str(tensor->name));
    if (name == "ndim")
        return std::make_unique<HostValue>(HostValue::integer(static_cast<std::int64_t>(shape_of(tensor).size())));
    return nullptr;
}

std::unique_ptr<HostValue> TensorNodeValue::subscript(Evaluator&, const HostValue& index, Span span) {
    const std::vector<HostValue> items =
        index.is(ValueKind::Tuple) || index.is(ValueKind::List) ? index.items() : std::vector<HostValue>{index};
    if (items.size() != shape_of(tensor).size())
        fail(DiagId::BadShape, span,
             cat("'", tensor->name, "' has ", shape_of(tensor).size(),
                 shape_of(tensor).size() == 1 ? " dimension, and " : " dimensions, and ", items.size(),
                 items.size() == 1 ? " index is" : " indices are", " given"));
    if (!graphs.computing.empty())
        graphs.computing.back().reads->push_back(Ref<TensorNodeValue>(this));
    Indices indices;
    for (const HostValue& item : items) {
        const ir::ExprRef each = scalar_of(item, span);
        if (!ir::is_integer(*ir::scalar_of(each->type)))
            fail(DiagId::BadType, span, cat("an index is an integer, not '", lang::type_name(item), "'"));
        indices.push_back(ir::cast_to(each, ir::DType::I64));
    }
    return std::make_unique<HostValue>(HostValue::expr(at(tensor, std::move(indices))));
}

std::unique_ptr<HostValue> TensorNodeValue::unary(Evaluator& evaluator, lang::ast::UnaryOp op, Span span) {
    if (!shape_of(tensor).empty())
        return nullptr;
    return lang::boxed(lang::unary(evaluator, op, *subscript(evaluator, HostValue::tuple({}), span), span));
}

std::unique_ptr<HostValue> TensorNodeValue::binary(Evaluator& evaluator, lang::ast::BinaryOp op, const HostValue& other,
                                                   bool on_right, Span span) {
    if (!shape_of(tensor).empty())
        return nullptr;
    const HostValue self = *subscript(evaluator, HostValue::tuple({}), span);
    return lang::boxed(on_right ? evaluator.binary(op, other, self, span, span)
                                : evaluator.binary(op, self, other, span, span));
}

std::unique_ptr<HostValue> TensorNodeValue::compare(Evaluator& evaluator, lang::ast::CompareOp op,
                                                    const HostValue& other, bool on_right, Span span) {
    if (!shape_of(tensor).empty())
        return nullptr;
    const HostValue self = *subscript(evaluator, HostValue::tuple({}), span);
    return lang::boxed(on_right ? lang::compare(evaluator, op, other, self, span, span)
                                : lang::compare(evaluator, op, self, other, span, span));
}

Ref<TensorNodeValue> node_like(ScriptGraphs& graphs, const HostValue& tensor, const std::string& name) {
    if (const auto* symbolic = tensor.extension<SymbolicTensor>()) {
        const TensorSpec& spec = symbolic->value().spec;
        return Ref<TensorNodeValue>(new TensorNodeValue(graphs, tensor_var(name, spec.dtype, spec.shape)));
    }
    if (!tensor.is(ValueKind::Tensor))
        return nullptr;
    const lang::Tensor& held = *tensor.as_tensor();
    return Ref<TensorNodeValue>(new TensorNodeValue(graphs, tensor_var(name, held.dtype, shape_of(held.shape))));
}

namespace {

// ReduceType.Sum is another word for 'sum'.
HostValue reduce_types(Evaluator& evaluator) {
    const HostValue type = lang::native_class(evaluator, "ReduceType", nullptr, [](const HostValue&) { return false; });
    for (const auto& [name, word] :
         {std::pair("Sum", "sum"), std::pair("Average", "avg"), std::pair("Max", "max"), std::pair("Min", "min"),
          std::pair("Product", "prod"), std::pair("And", "and"), std::pair("Or", "or")})
        lang::as_class(type).table.set(name, HostValue::str(word));
    return type;
}

} // namespace

void add_compute(ScriptGraphs& graphs, Evaluator& evaluator, lang::HostModule& module) {
    module.function("tensor_input", with_graphs(graphs, tensor_input));
    module.function("compute", with_graphs(graphs, compute));
    module.function("reduce", with_graphs(graphs, reduce));
    module.function("arg_reduce", with_graphs(graphs, arg_reduce));
    const auto add_class = [&](const char* name, bool (*holds)(const TensorNodeValue&)) {
        module.add(name, lang::native_class(evaluator, name, nullptr, [holds](const HostValue& value) {
                       const auto* node = value.extension<TensorNodeValue>();
                       return node && holds(*node);
                   }));
    };
    add_class("TensorNode", [](const TensorNodeValue&) { return true; });
    add_class("TensorInput", [](const TensorNodeValue& node) { return node.stages.empty(); });
    module.add("ReduceType", reduce_types(evaluator));
    add_task_class(graphs, evaluator, module);
}

} // namespace hidet::graph
