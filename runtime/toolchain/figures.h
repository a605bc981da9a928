// SPDX-License-Identifier: Apache-2.0
// What ptxas says of kernels in the log of a compilation under --ptxas-options=-v.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/toolchain/compiler.h"

namespace hidet::toolchain {

struct PtxasLog {
    std::vector<KernelFigures> figures; // in the order of the log
    std::string rest;                   // what else the log says: warnings and errors
};

PtxasLog read_ptxas_log(std::string_view log);

} // namespace hidet::toolchain
