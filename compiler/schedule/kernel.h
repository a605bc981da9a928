// SPDX-License-Identifier: Apache-2.0
// What the kernels of both targets are made of. Indices are i64 throughout; narrow.h makes them smaller in the end.
#pragma once

#include <functional>
#include <unordered_map>

#include "compiler/graph/core/task.h"
#include "compiler/ir/stmt.h"
#include "compiler/schedule/schedule.h"

namespace hidet::graph {

// A stage in terms of the parameters of the kernel that computes it.
class KernelFrame {
public:
    KernelFrame(const Task& task, const Stage& stage, ir::VarVec constants = {});

    const Stage& stage() const { return m_stage; }
    const Shape& shape() const { return shape_of(m_stage.tensor); }
    const ir::VarVec& constants() const { return m_constants; } // inputs of the task that never change
    const ir::ExprVec& reduced() const { return m_stage.reduction->extents; }
    ir::ExprRef value(const ir::ExprVec& axes, const ir::ExprVec& reduced = {}) const;
    // A part of the stage's value, in the dtype that a reduction accumulates in.
    ir::ExprRef part(const ir::ExprRef& part, const ir::ExprVec& axes, const ir::ExprVec& reduced) const;
    // What the axes say of a place: an i64.
    ir::ExprRef index(const ir::ExprRef& index, const ir::ExprVec& axes, const ir::ExprVec& reduced) const;
    ir::ExprVec extents(const ir::ExprVec& axes) const; // of the reduction, at this element
    ir::StmtRef store(const ir::ExprVec& axes, const ir::ExprRef& value) const;

    const ir::VarRef& param(const ir::Var& tensor) const { return m_params.at(&tensor); }

    // Axes of the reduction in another order.
    void order_terms(const std::vector<std::size_t>& order);

    // A parameter for a tensor that only this kernel uses.
    ir::VarRef scratch(const std::string& name, ir::DType dtype, const Shape& shape);

    // A parameter for what the task makes of a constant, in the place of that for the constant.
    ir::VarRef packed(Task packing);

    // A kernel with these parameters; what is special about the target is added to `function`.
    ScheduledKernel finish(ir::Function function) const;

private:
    ir::ExprRef on_params(const ir::ExprRef& expr) const;

    Stage m_stage;
    std::unordered_map<const ir::Var*, ir::VarRef> m_params;
    ir::VarVec m_tensors; // of the task, by parameter
    ir::VarVec m_scratch; // among them
    ir::VarVec m_constants;
    std::vector<Task> m_packings;
};

// A pointer to a tensor of this shape: what a kernel takes. Extents are i32 where all offsets fit.
ir::TypeRef parameter_type(ir::DType dtype, const Shape& shape);

inline constexpr ir::LoopAttr parallel = {ir::LoopAttr::What::Parallel, 0}; // of a CPU's threads
ir::VarRef index_var(const std::string& name);
ir::StmtRef loop(const std::string& name, const Dim& extent, const std::function<ir::StmtRef(const ir::ExprRef&)>& body,
                 ir::LoopAttr attr = {});
// Nested loops, the last extent innermost.
ir::StmtRef loops(const char* first_name, const ir::ExprVec& extents,
                  const std::function<ir::StmtRef(const ir::ExprVec&)>& body);
ir::ExprRef ceil_div(const ir::ExprRef& value, std::int64_t by);
ir::ExprRef least_of(const ir::ExprRef& a, const ir::ExprRef& b);
ir::ExprRef i64(std::int64_t value);

// The element of the stage at these axes, computed in order by loops, and stored. For a thread of a GPU, and for what has
// no better form on a CPU.
ir::StmtRef element_in_order(const KernelFrame& frame, const ir::ExprVec& axes);

ScheduledKernel cuda_kernel(const KernelFrame& frame, const artifact::TargetSpec& target, const std::string& name);
ScheduledKernel cpu_kernel(KernelFrame& frame, const artifact::TargetSpec& target, const std::string& name);

// The parallel work of a CPU's kernel.
struct CpuUnits {
    std::int64_t count = 1;
    std::int64_t most_parts = 1; // of the work, that are each worth the start of threads
};
// One part where there would be too few units, but a product divides itself.
CpuUnits units_on_cpu(const Stage& stage, const artifact::TargetSpec& target, const ir::VarVec& constants);

} // namespace hidet::graph
