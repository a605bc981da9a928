// SPDX-License-Identifier: Apache-2.0
// Loops as text: what limits each, and what would raise that.
#pragma once

#include <string>

#include "app/session/explain/explain.h"

namespace hidet::cli {

std::string loops_text(const session::KernelExplained& kernel, const std::string& script);

} // namespace hidet::cli
