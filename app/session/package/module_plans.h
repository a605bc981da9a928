// SPDX-License-Identifier: Apache-2.0
// The public functions of a script's module as entries of a package (runtime/package/FORMAT.md): each is a launch plan around
// what the function launches, or around a call of it on the CPU. Needs no GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/package/package_writer.h"
#include "app/session/work/work.h"

namespace hidet::session {

struct ModuleToPackage {
    ir::ModuleRef script; // as it was written
    std::string name;     // of the package
    artifact::TargetSpec gpu = artifact::default_gpu();
    bool is_for_cpu = false; // kernels for a GPU become code for the CPU
    Span site;               // of the call that wants it
};

// One plan for each function, in the order of the module, `launch` first. Nothing: the work says why.
std::optional<std::vector<PackagedPlan>> module_plans(Work& work, const ImageRequest& request,
                                                      const ModuleToPackage& module);

} // namespace hidet::session
