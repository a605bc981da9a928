// SPDX-License-Identifier: Apache-2.0
// Kernels on their way to what is said of them: where they were found, what their accesses are, and that as a view.
#pragma once

#include "app/session/explain/explain.h"
#include "app/session/work/work.h"
#include "compiler/analysis/access/access_map.h"
#include "compiler/ir/func.h"

namespace hidet::lang {
struct RecordedCall;
} // namespace hidet::lang

namespace hidet::session {

// A kernel of a module that was lowered for the emulator.
struct FoundKernel {
    int number = 0; // of the module
    ir::ModuleRef script;
    ir::ModuleRef module;
    const ir::Function* kernel = nullptr;
    SymbolValues sizes; // by the first of the script's calls that launches it
    std::vector<compiler::access::Access> accesses;
};

// Of one module; `emulated` is `script`, lowered. `name`: of this kernel only, unless it is empty.
std::vector<FoundKernel> kernels_in(int number, const ir::ModuleRef& script, const ir::ModuleRef& emulated,
                                    const std::vector<lang::RecordedCall>& calls, const std::string& name = "");
// Evaluates the script and lowers what it builds.
std::vector<FoundKernel> find_kernels(Work& work, const ExplainRequest& request, int& built);
void add_maps(Work& work, std::vector<FoundKernel>& kernels);
// `with_cost`: and not the accesses alone. Registers are not known yet.
KernelExplained explained_kernel(const FoundKernel& found, const SourceMap& sources, const artifact::TargetSpec& target,
                                 bool with_cost);

} // namespace hidet::session
