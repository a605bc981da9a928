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

struct FoundLaunch {
    SymbolValues sizes;
    std::vector<double> tensors = {}; // bytes behind each argument; 0: not known
    double times = 1;                 // in a call of the function that launches
    bool is_at_least = false;         // a loop around it, that may run more often, counts once
    friend bool operator==(const FoundLaunch&, const FoundLaunch&) = default;
};

// A kernel of a module that was lowered for the emulator.
struct FoundKernel {
    int number = 0; // of the module
    ir::ModuleRef script;
    ir::ModuleRef module;
    const ir::Function* kernel = nullptr;
    SymbolValues sizes;                // of the first launch
    std::string host;                  // the function that launches it; empty: there is none
    std::vector<FoundLaunch> launches; // of the script's first call that does; at least one
    std::vector<compiler::access::Access> accesses;
};

// The module as analyses read it; null: the work's sink says why.
ir::ModuleRef lowered_for_analysis(Work& work, const ir::ModuleRef& script, const artifact::TargetSpec& target);
// Of one module; `emulated` is `script`, lowered. `name`: of this kernel only, unless it is empty.
std::vector<FoundKernel> kernels_in(int number, const ir::ModuleRef& script, const ir::ModuleRef& emulated,
                                    const std::vector<lang::RecordedCall>& calls, const std::string& name = "");
// Evaluates the script and lowers what it builds.
std::vector<FoundKernel> find_kernels(Work& work, const ExplainRequest& request, int& built);
// Where there are none: whether the function or the module that was asked for is not there, of so many that were built.
void report_not_found(Work& work, const PreviewRequest& request, int built);
void add_maps(Work& work, std::vector<FoundKernel>& kernels);
// `with_cost`: and not the accesses alone. Registers are not known yet.
KernelExplained explained_kernel(const FoundKernel& found, const SourceMap& sources, const artifact::TargetSpec& target,
                                 bool with_cost, const compiler::access::Limits& limits = {});
// Of functions that launch several times, in the order of the kernels.
std::vector<LaunchTotal> totals_of(const std::vector<KernelExplained>& kernels);

} // namespace hidet::session
