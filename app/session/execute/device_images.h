// SPDX-License-Identifier: Apache-2.0
// Machine code of kernels as files hold it: made by one process, and launched by another that has no compiler.
#pragma once

#include "app/session/execute/executor.h"
#include "app/session/execute/launchers.h"
#include "compiler/artifact/source.h"

namespace hidet::session {

struct CompiledKernels {
    std::string name;         // which image it is: what has the same name is loaded once
    std::string bytes;        // a cubin
    std::string architecture; // "sm_90a"
    std::vector<artifact::EntryPoint> entries;
    std::vector<Launcher> launchers; // of the entries
};

// In an executor of make_device(). Its functions are the launchers of the kernels (launchers.h). Whether the driver takes the
// image shows at the first launch.
Ref<Executable> load_kernels(Work& work, Executor& device, CompiledKernels kernels);

} // namespace hidet::session
