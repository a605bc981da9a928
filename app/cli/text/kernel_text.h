// SPDX-License-Identifier: Apache-2.0
// What hidetc explain prints of a kernel: its accesses, what it costs, and what was asked for beside that.
#pragma once

#include <string>

#include "app/session/explain/explain.h"

namespace hidet::cli {

std::string kernel_text(const session::KernelExplained& kernel, const std::string& script, bool with_memory);

} // namespace hidet::cli
