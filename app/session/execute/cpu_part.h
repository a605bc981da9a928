// SPDX-License-Identifier: Apache-2.0
// Kernels that only a GPU can run do not keep the rest of their module from the CPU.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/session/work/work.h"
#include "compiler/ir/func.h"
#include "lang/base/diagnostic.h"

namespace hidet::session {

struct CpuPart {
    ir::ModuleRef script;                                   // the functions that can run, with what they call
    std::map<std::string, std::vector<Diagnostic>> refused; // by public function: what is to be said of a call of it
};

// Of a module that cannot be lowered for the CPU as a whole. Each public function is tried alone, with all that it calls and
// launches. Without any that can run, `script` is null.
CpuPart cpu_part(Work& work, const ir::ModuleRef& script, bool checks_bounds);

// The functions of the module that these call and launch, and they themselves.
ir::ModuleRef reached_part(const ir::ModuleRef& module, const std::vector<std::string>& names);

// Whether there is nothing against a module but kernels that need a GPU.
bool only_kernels_refused(const DiagnosticSink& sink);

} // namespace hidet::session
