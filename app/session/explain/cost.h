// SPDX-License-Identifier: Apache-2.0
// What a kernel costs at its launch, before anything runs. There is one arithmetic of roofs (bench/roofline.h) and one
// prediction (compiler/tune/predict.h); both are asked here.
#pragma once

#include "app/session/explain/explain.h"
#include "app/session/work/work.h"
#include "compiler/analysis/access/access_map.h"

namespace hidet::session {

// A kernel of a module that was lowered for the emulator, and with what it is launched.
struct CostedKernel {
    const ir::Module* module = nullptr;
    const ir::Function* kernel = nullptr;
    const SymbolValues* sizes = nullptr;
    std::vector<double> tensors; // bytes behind each parameter that says none; 0: not known
    const SourceMap* sources = nullptr;
};
CostView cost_of(const CostedKernel& of, const artifact::TargetSpec& target,
                 const std::vector<compiler::access::Access>& accesses);
std::int64_t tensor_bytes(const ir::TensorType& tensor, const SymbolValues& sizes);
BlockNeeds needs_of(const CostView& cost);
// What a compiler said of the kernel, and what that leaves of the occupancy.
void add_facts(const KernelFacts& facts, const artifact::TargetSpec& target, CostView& cost);
// Registers and spills, where there is a compiler, and what they leave of the occupancy.
void add_machine_code(Work& work, const PreviewRequest& request, const ir::ModuleRef& script,
                      const ir::Function& kernel, const SymbolValues& sizes, CostView& cost);

} // namespace hidet::session
