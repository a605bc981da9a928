// SPDX-License-Identifier: Apache-2.0
// Kernels that no host function of theirs launches, but a step of a launch plan: each gets a host function that takes what
// the kernel takes, and then the extents of the launch.
#pragma once

#include <string>
#include <vector>

#include "compiler/artifact/source.h"
#include "compiler/ir/func.h"

namespace hidet::session {

// Of a kernel. No function of a script has such a name.
std::string launcher_name(const std::string& kernel);

// The module, with a launcher for each of its kernels: grid, block and cluster in x, y and z and the bytes of dynamic shared
// memory follow the kernel's parameters, all i64.
ir::ModuleRef with_launchers(const ir::ModuleRef& module);

// Kernels as declarations, which is all that a launch needs.
ir::ModuleRef declared_kernels(const std::vector<artifact::EntryPoint>& kernels);

} // namespace hidet::session
