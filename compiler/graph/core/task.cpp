// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/task.h"

#include <algorithm>

#include "compiler/graph/core/dim_form.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/text/print.h"

namespace hidet::graph {

namespace {

using ir::DType;

// i, j, k, ... for the axes of a stage, r, s, t, ... for those of its reduction.
ir::VarVec make_axes(std::size_t count, const char* first, const char* more) {
    ir::VarVec axes;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string name = i < 4 ? std::string(1, static_cast<char>(*first + i)) : more + std::to_string(i);
        axes.push_back(ir::make_var(name, ir::data_type(DType::I64)));
    }
    return axes;
}

Indices exprs(const ir::VarVec& vars) {
    return {vars.begin(), vars.end()};
}

std::string signature(const ir::VarRef& tensor) {
    return tensor->name + ": " + ir::info(dtype_of(tensor)).name + text_of(shape_of(tensor));
}

std::string names(const ir::VarVec& vars) {
    std::string text;
    for (const auto& var : vars)
        text += (text.empty() ? "" : ", ") + var->name;
    return text;
}

std::string reduction_text(const Stage& stage) {
    const Reduction& reduction = *stage.reduction;
    std::string text = std::string(reduce_name(reduction.op)) + "(";
    for (std::size_t i = 0; i < reduction.axes.size(); ++i)
        text += (i ? ", " : "") + reduction.axes[i]->name + " < " + ir::to_string(reduction.extents[i]);
    return text + ") " + ir::to_string(stage.value);
}

} // namespace

const char* reduce_name(ReduceOp op) {
    constexpr const char* names_of_ops[] = {"sum", "prod", "max", "min", "and", "or", "argmax", "argmin"};
    return names_of_ops[static_cast<std::size_t>(op)];
}

bool Task::is_injective() const {
    return std::ranges::none_of(stages, [](const Stage& stage) { return stage.reduction.has_value(); });
}

bool Task::has_inverse() const {
    return std::ranges::any_of(inverse_maps, [](const auto& map) { return map.has_value(); });
}

const Stage* Task::stage_of(const ir::Var& tensor) const {
    for (const Stage& stage : stages)
        if (stage.tensor.get() == &tensor)
            return &stage;
    return nullptr;
}

std::string text_of(const Task& task) {
    std::string text = task.name + "(";
    for (std::size_t i = 0; i < task.inputs.size(); ++i)
        text += (i ? ", " : "") + signature(task.inputs[i]);
    text += ")\n";
    for (const Stage& stage : task.stages)
        text += "  " + signature(stage.tensor) + " [" + names(stage.axes) +
                "] = " + (stage.reduction ? reduction_text(stage) : ir::to_string(stage.value)) + "\n";
    for (std::size_t i = 0; i < task.inverse_maps.size(); ++i) {
        if (!task.inverse_maps[i])
            continue;
        text += "  inverse " + task.inputs[i]->name + "[" + names(task.inverse_maps[i]->axes) + "] -> " +
                text_of(task.inverse_maps[i]->indices) + "\n";
    }
    for (const Requirement& each : task.requirements)
        text += "  require " + ir::to_string(each.condition) + "\n";
    return text + "  return " + names(task.outputs) + "\n";
}

ir::VarRef TaskBuilder::input(const std::string& name, DType dtype, const Shape& shape) {
    m_task.inputs.push_back(ir::make_var(name, ir::tensor_type(ir::data_type(dtype), shape)));
    m_task.inverse_maps.emplace_back();
    return m_task.inputs.back();
}

ir::VarRef TaskBuilder::compute(const std::string& name, DType dtype, const Shape& shape, const Element& value) {
    Stage stage;
    stage.tensor = ir::make_var(name, ir::tensor_type(ir::data_type(dtype), shape));
    stage.axes = make_axes(shape.size(), "i", "i");
    stage.value = ir::cast_to(value(exprs(stage.axes)), dtype);
    m_task.stages.push_back(std::move(stage));
    return m_task.stages.back().tensor;
}

ir::VarRef TaskBuilder::reduce(const std::string& name, DType dtype, const Shape& shape, ReduceOp op,
                               const Shape& extents, const Term& value) {
    return reduce_ragged(
        name, dtype, shape, op, [&](const Indices&) { return extents; }, value);
}

ir::VarRef TaskBuilder::reduce_ragged(const std::string& name, DType dtype, const Shape& shape, ReduceOp op,
                                      const std::function<ir::ExprVec(const Indices&)>& extents, const Term& value) {
    Stage stage;
    stage.tensor = ir::make_var(name, ir::tensor_type(ir::data_type(dtype), shape));
    stage.axes = make_axes(shape.size(), "i", "i");
    Reduction reduction;
    reduction.op = op;
    reduction.accumulate = accumulator_of(dtype);
    reduction.extents = extents(exprs(stage.axes));
    reduction.axes = make_axes(reduction.extents.size(), "r", "r");
    stage.value = ir::cast_to(value(exprs(stage.axes), exprs(reduction.axes)), reduction.accumulate);
    stage.reduction = std::move(reduction);
    m_task.stages.push_back(std::move(stage));
    return m_task.stages.back().tensor;
}

ir::VarRef TaskBuilder::arg_reduce(const std::string& name, const Shape& shape, ReduceOp op, const Dim& extent,
                                   bool last, const Term& value) {
    Stage stage;
    stage.tensor = ir::make_var(name, ir::tensor_type(ir::data_type(DType::I64), shape));
    stage.axes = make_axes(shape.size(), "i", "i");
    Reduction reduction;
    reduction.op = op;
    reduction.last = last;
    reduction.extents = {extent};
    reduction.axes = make_axes(1, "r", "r");
    stage.value = value(exprs(stage.axes), exprs(reduction.axes));
    reduction.accumulate = *ir::scalar_of(stage.value->type);
    stage.reduction = std::move(reduction);
    m_task.stages.push_back(std::move(stage));
    return m_task.stages.back().tensor;
}

void TaskBuilder::inverse(std::size_t input, const std::function<Indices(const Indices& axes)>& indices) {
    InverseMap map;
    map.axes = make_axes(shape_of(m_task.inputs[input]).size(), "i", "i");
    map.indices = indices(exprs(map.axes));
    m_task.inverse_maps[input] = std::move(map);
}

// Comparisons of dimensions whose difference is known for all symbols.
static ir::ExprRef decided(const ir::ExprRef& condition) {
    const auto* binary = ir::as<ir::Binary>(condition);
    if (!binary || ir::scalar_of(binary->a->type) != DType::I64)
        return simplified(condition);
    const Dim a = simplified(binary->a);
    const Dim b = simplified(binary->b);
    if (binary->op == ir::BinOp::Le && surely_at_most(a, b))
        return ir::bool_constant(true);
    if (binary->op == ir::BinOp::Lt && surely_at_most(ir::add(a, dim(1)), b))
        return ir::bool_constant(true);
    return ir::binary(binary->op, a, b);
}

void TaskBuilder::require(const ir::ExprRef& condition, const std::string& text) {
    const ir::ExprRef known = decided(condition);
    const auto truth = ir::constant_int(known);
    if (!truth)
        m_task.requirements.push_back({known, text});
    else if (*truth == 0)
        throw OpError(text);
}

void TaskBuilder::require_equal(const Dim& a, const Dim& b, const std::string& text) {
    if (!same_dim(a, b))
        require(ir::equal(a, b), text);
}

Task TaskBuilder::finish(ir::VarVec outputs) {
    m_task.outputs = std::move(outputs);
    return std::move(m_task);
}

ir::ExprRef at(const ir::VarRef& tensor, Indices indices) {
    return ir::make_element(tensor, std::move(indices));
}

DType dtype_of(const ir::VarRef& tensor) {
    return *ir::scalar_of(ir::tensor_of(tensor->type)->element);
}

const ir::ExprVec& shape_of(const ir::VarRef& tensor) {
    return ir::tensor_of(tensor->type)->shape;
}

Indices broadcast_index(const Shape& operand, const Indices& output) {
    const std::size_t shift = output.size() - operand.size();
    Indices index;
    for (std::size_t i = 0; i < operand.size(); ++i)
        index.push_back(ir::is_constant(operand[i], 1) ? dim(0) : output[shift + i]);
    return index;
}

DType accumulator_of(DType dtype) {
    switch (dtype) {
    case DType::F16:
    case DType::BF16:
    case DType::TF32: return DType::F32;
    default: return dtype;
    }
}

} // namespace hidet::graph
