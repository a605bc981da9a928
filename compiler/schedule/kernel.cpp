// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/kernel.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/schedule/reducing.h"
#include "compiler/schedule/stages.h"
#include "lang/base/check.h"

namespace hidet::graph {

using namespace ir;

namespace {

constexpr std::int64_t largest_i32 = INT32_MAX;

bool fits_i32(const Shape& shape) {
    std::int64_t count = 1;
    for (const Dim& extent : shape) {
        const auto constant = constant_of(extent);
        if (!constant || *constant > largest_i32)
            return false;
        count *= std::max<std::int64_t>(*constant, 1);
        if (count > largest_i32)
            return false;
    }
    return true;
}

StmtRef best_of_terms(const KernelFrame& frame, const ExprVec& axes) {
    const Reduction& reduction = *frame.stage().reduction;
    VarRef best = make_var("best", data_type(reduction.accumulate));
    VarRef where = make_var("where", data_type(DType::I64));
    const auto compare = [&](const ExprRef& index) {
        return take_if_better(reduction, frame.value(axes, {index}), index, best, where);
    };
    StmtVec stmts = {make_declare(best, neutral_of(reduction.op, reduction.accumulate)), make_declare(where, i64(-1)),
                     loop("r", frame.extents(axes)[0], compare)};
    // Of nothing, the first.
    stmts.push_back(frame.store(axes, math(IntrinsicId::Max, {where, i64(0)})));
    return make_seq(std::move(stmts));
}

} // namespace

ExprRef i64(std::int64_t value) {
    return int_constant(value, DType::I64);
}

TypeRef parameter_type(DType dtype, const Shape& shape) {
    ExprVec extents;
    const DType type = fits_i32(shape) ? DType::I32 : DType::I64;
    for (const Dim& extent : shape)
        extents.push_back(cast_to(extent, type));
    return tensor_pointer_type(tensor_type(data_type(dtype), std::move(extents)));
}

KernelFrame::KernelFrame(const Task& task, const Stage& stage, VarVec constants)
    : m_stage(stage), m_constants(std::move(constants)) {
    std::unordered_set<const Var*> found;
    const auto find_tensors = [&](const ExprRef& expr) {
        each_node(expr, [&](const TensorElement& element) { found.insert(as<Var>(element.base)); });
    };
    find_tensors(stage.value);
    if (stage.reduction)
        std::ranges::for_each(stage.reduction->extents, find_tensors);
    const auto add = [&](const VarRef& tensor) {
        m_tensors.push_back(tensor);
        m_params.emplace(tensor.get(), make_var(tensor->name, parameter_type(dtype_of(tensor), shape_of(tensor))));
    };
    for (const VarRef& input : task.inputs)
        if (found.contains(input.get()))
            add(input);
    for (const Stage& other : task.stages)
        if (found.contains(other.tensor.get()))
            add(other.tensor);
    add(stage.tensor);
}

ExprRef KernelFrame::on_params(const ExprRef& expr) const {
    Rewriter rewriter;
    for (const auto& [tensor, param] : m_params)
        rewriter.replace(*tensor, param);
    return rewriter.rewrite(expr);
}

ExprRef KernelFrame::value(const ExprVec& axes, const ExprVec& reduced) const {
    return on_params(value_at(m_stage, axes, reduced));
}

ExprRef KernelFrame::part(const ExprRef& part, const ExprVec& axes, const ExprVec& reduced) const {
    Stage stage = m_stage;
    stage.value = part;
    return on_params(value_at(stage, axes, reduced));
}

ExprRef KernelFrame::index(const ExprRef& index, const ExprVec& axes, const ExprVec& reduced) const {
    Stage stage = m_stage;
    stage.value = index;
    stage.reduction->accumulate = scalar_of(index->type) == DType::Bool ? DType::Bool : DType::I64;
    return on_params(value_at(stage, axes, reduced));
}

void KernelFrame::order_terms(const std::vector<std::size_t>& order) {
    Reduction& reduction = *m_stage.reduction;
    reduction.axes = transformed(order, [&](std::size_t axis) { return reduction.axes[axis]; });
    reduction.extents = transformed(order, [&](std::size_t axis) { return reduction.extents[axis]; });
}

VarRef KernelFrame::scratch(const std::string& name, DType dtype, const Shape& shape) {
    VarRef tensor = make_var(name, tensor_type(data_type(dtype), shape));
    VarRef param = make_var(name, parameter_type(dtype, shape));
    m_params.emplace(tensor.get(), param);
    m_tensors.push_back(tensor);
    m_scratch.push_back(std::move(tensor));
    return param;
}

VarRef KernelFrame::packed(Task packing) {
    const VarRef tensor = packing.outputs[0];
    VarRef param = make_var(tensor->name, parameter_type(dtype_of(tensor), shape_of(tensor)));
    m_params.emplace(tensor.get(), param);
    const auto source = std::ranges::find(m_tensors, packing.inputs[0]);
    HIDET_CHECK(source != m_tensors.end(), tensor->name);
    *source = tensor;
    m_packings.push_back(std::move(packing));
    return param;
}

ExprVec KernelFrame::extents(const ExprVec& axes) const {
    ExprVec extents;
    for (const ExprRef& extent : m_stage.reduction->extents) {
        Rewriter rewriter(0, Rewriter::Definitions::Copy);
        for (std::size_t i = 0; i < axes.size(); ++i)
            rewriter.replace(m_stage.axes[i], cast_to(axes[i], DType::I64));
        extents.push_back(on_params(cast_to(rewriter.rewrite(extent), DType::I64)));
    }
    return extents;
}

StmtRef KernelFrame::store(const ExprVec& axes, const ExprRef& value) const {
    return make_store(m_params.at(m_stage.tensor.get()), axes, cast_to(value, dtype_of(m_stage.tensor)));
}

ScheduledKernel KernelFrame::finish(Function function) const {
    for (const VarRef& tensor : m_tensors)
        function.params.push_back(m_params.at(tensor.get()));
    function.ret = void_type();
    return {make<Function>(std::move(function)), m_tensors, m_scratch, {}, m_packings};
}

VarRef index_var(const std::string& name) {
    return make_var(name, data_type(DType::I64));
}

StmtRef loop(const std::string& name, const Dim& extent, const std::function<StmtRef(const ExprRef&)>& body,
             LoopAttr attr) {
    if (is_constant(extent, 1))
        return body(i64(0));
    VarRef var = index_var(name);
    StmtRef inner = body(var);
    return make_for(std::move(var), cast_to(extent, DType::I64), attr, std::move(inner));
}

static StmtRef loops_from(std::size_t at, const char* first_name, const ExprVec& extents, ExprVec& indices,
                          const std::function<StmtRef(const ExprVec&)>& body) {
    if (at == extents.size())
        return body(indices);
    return loop(std::string(1, static_cast<char>(*first_name + static_cast<int>(at % 6))), extents[at],
                [&](const ExprRef& index) {
                    indices.push_back(index);
                    StmtRef inner = loops_from(at + 1, first_name, extents, indices, body);
                    indices.pop_back();
                    return inner;
                });
}

StmtRef loops(const char* first_name, const ExprVec& extents, const std::function<StmtRef(const ExprVec&)>& body) {
    ExprVec indices;
    return loops_from(0, first_name, extents, indices, body);
}

ExprRef ceil_div(const ExprRef& value, std::int64_t by) {
    return floor_div(add(value, i64(by - 1)), i64(by));
}

ExprRef least_of(const ExprRef& a, const ExprRef& b) {
    return math(IntrinsicId::Min, {a, b});
}

StmtRef element_in_order(const KernelFrame& frame, const ExprVec& axes) {
    const Stage& stage = frame.stage();
    if (!stage.reduction)
        return frame.store(axes, frame.value(axes));
    const Reduction& reduction = *stage.reduction;
    if (is_arg(reduction.op))
        return best_of_terms(frame, axes);
    VarRef running = make_var("running", data_type(reduction.accumulate));
    const auto combine = [&](const ExprVec& reduced) {
        return reduce_term(reduction.op, frame.value(axes, reduced), running,
                           [&](const ExprRef& result) { return make_assign(running, result); });
    };
    return make_seq({make_declare(running, neutral_of(reduction.op, reduction.accumulate)),
                     loops("r", frame.extents(axes), combine), frame.store(axes, running)});
}

} // namespace hidet::graph
