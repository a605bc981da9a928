// SPDX-License-Identifier: Apache-2.0
// What compilers and disassemblers may touch: the system, what they were installed with, and a folder of their own. What they
// read comes from strangers.
#pragma once

#include <string>
#include <vector>

#include "runtime/process/confine.h"

namespace hidet::toolchain {

// `program` may be a name on PATH; `folder`: where it writes; "": nowhere.
process::Confinement confinement_of(const std::string& program, const std::string& folder);
// Of a process that loads these: NVRTC, the driver, cuBLAS. It starts no programs. Those without a path are passed over.
process::Confinement confinement_of_libraries(const std::vector<std::string>& paths);
// The driver's device nodes, and what it reads of the machine.
void add_gpu(process::Confinement& confinement);

} // namespace hidet::toolchain
