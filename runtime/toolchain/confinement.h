// SPDX-License-Identifier: Apache-2.0
// What compilers and disassemblers may touch: the system, what they were installed with, and a folder of their own. What they
// read comes from strangers.
#pragma once

#include <string>

#include "runtime/process/confine.h"

namespace hidet::toolchain {

// `program` may be a name on PATH; `folder`: where it writes; "": nowhere.
process::Confinement confinement_of(const std::string& program, const std::string& folder);
// Of a library, such as NVRTC, that is loaded from this file.
process::Confinement confinement_of_library(const std::string& path);

} // namespace hidet::toolchain
