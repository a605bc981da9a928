// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/schedule.h"

#include <algorithm>
#include <iterator>

#include "compiler/schedule/kernel.h"
#include "compiler/schedule/split_terms.h"
#include "compiler/schedule/stages.h"

namespace hidet::graph {

ScheduledTask schedule(const Task& task, const artifact::TargetSpec& target, const std::string& prefix,
                       const ir::VarVec& constants) {
    ScheduledTask scheduled;
    Task kept = task;
    kept.stages = without_inlined(task);
    kept.stages = split_by_terms(std::move(kept.stages), target, constants);
    for (const Stage& stage : kept.stages) {
        // The only stage of an operator mostly has its name.
        std::string name = prefix;
        if (kept.stages.size() > 1)
            name += "_" + std::to_string(scheduled.kernels.size()) + "_" + stage.tensor->name;
        KernelFrame frame(kept, stage, constants);
        scheduled.kernels.push_back(target.is_cuda() ? cuda_kernel(frame, target, name)
                                                     : cpu_kernel(frame, target, name));
        const ir::VarVec& scratch = scheduled.kernels.back().scratch;
        scheduled.between.insert(scheduled.between.end(), scratch.begin(), scratch.end());
        std::ranges::copy(scheduled.kernels.back().packings, std::back_inserter(scheduled.packings));
        if (std::ranges::find(task.outputs, stage.tensor) == task.outputs.end())
            scheduled.between.push_back(stage.tensor);
    }
    return scheduled;
}

} // namespace hidet::graph
