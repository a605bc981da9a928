// SPDX-License-Identifier: Apache-2.0
// What a kernel costs at its launch, as people read it, and what a compiler adds to that. The model is compiler/perf.
#pragma once

#include "app/session/explain/explain.h"
#include "app/session/work/work.h"
#include "compiler/perf/occupancy.h"

namespace hidet::session {

using perf::Cliff;
using perf::cliffs_of;
using perf::CliffStep;

CostView cost_view_of(const perf::CostedKernel& of, const artifact::TargetSpec& target,
                      const std::vector<compiler::access::Access>& accesses);
perf::BlockNeeds needs_of(const CostView& cost);
// What a compiler said of the kernel, and what that leaves of the occupancy.
void add_facts(const KernelFacts& facts, const artifact::TargetSpec& target, CostView& cost);
// Registers and spills, where there is a compiler, and what they leave of the occupancy.
void add_machine_code(Work& work, const PreviewRequest& request, const ir::ModuleRef& script,
                      const ir::Function& kernel, const SymbolValues& sizes, CostView& cost);

} // namespace hidet::session
