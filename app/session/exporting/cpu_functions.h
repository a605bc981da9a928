// SPDX-License-Identifier: Apache-2.0
// Functions of the CPU: C++ of the modules that hold them, and how each of them is called in it.
#pragma once

#include <string>
#include <vector>

#include "app/session/exporting/functions.h"

namespace hidet::session {

// False: one of them cannot run on the CPU, and the reason is in the work's sink.
bool add_cpu_functions(ExportWork& out, ExportedProgram& program, const AskedModule& asked,
                       const std::vector<Callable>& callables);

} // namespace hidet::session
