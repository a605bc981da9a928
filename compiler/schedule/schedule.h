// SPDX-License-Identifier: Apache-2.0
// The rule-based scheduler: from a compute definition to kernels, for any task (graph.md 3.1).
//
// Injective stages are inlined into their readers; every stage that is left becomes one kernel. On a GPU a thread computes
// one element, or several threads share a reduction; on a CPU the outer axes run in parallel and the innermost one in vectors.
// Kernels read and write their tensors as elements only (TensorElement, StoreStmt), so that fusion can rewrite them.
#pragma once

#include <string>
#include <vector>

#include "compiler/artifact/target_spec.h"
#include "compiler/graph/core/task.h"
#include "compiler/ir/func.h"

namespace hidet::graph {

// A kernel and what its parameters are, in order: Vars of the task (inputs, outputs, tensors between kernels).
struct ScheduledKernel {
    ir::FunctionRef function; // CudaKernel with its launch dimensions, or CpuKernel; level Script
    ir::VarVec arguments;
    ir::VarVec scratch; // among them: what only this kernel uses
    std::vector<ir::FunctionRef> callees;
    std::vector<Task> packings; // as below
};

struct ScheduledTask {
    std::vector<ScheduledKernel> kernels; // in order of launch
    ir::VarVec between; // tensors that one kernel writes and a later one reads, and what one uses for itself
    // Constants whose elements a kernel takes in another order: the task's only input is one of the inputs that never
    // change, its only output is among the arguments of that kernel. Who runs the kernel computes it once, before.
    std::vector<Task> packings;
};

// Names of kernels begin with `prefix` and are unique in the result. Null function never; a task is always schedulable.
// `constants`: those of the task's inputs that never change.
ScheduledTask schedule(const Task& task, const artifact::TargetSpec& target, const std::string& prefix,
                       const ir::VarVec& constants = {});

} // namespace hidet::graph
