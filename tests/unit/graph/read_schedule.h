// SPDX-License-Identifier: Apache-2.0
// Schedules that tests write by hand.
#pragma once

#include <string>

#include "compiler/ir/func.h"

namespace hidet::test {

// IR text if it begins with `module`, else Hidet Script: the last module that the script builds. Throws with diagnostics.
ir::ModuleRef read_schedule(const std::string& text);

} // namespace hidet::test
