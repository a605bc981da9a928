// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "compiler/artifact/program.h"

namespace hidet::session {

// The kernels that a function of a program may launch, by name.
std::set<std::string> launched_kernels(const artifact::Program& program, const std::string& function);

} // namespace hidet::session
