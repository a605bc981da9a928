// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/ir/func.h"

namespace hidet::ir {

// Whether a kernel waits itself for the kernel before it (griddepcontrol_wait), so that it may begin earlier.
bool waits_for_grid(const Function& kernel);

} // namespace hidet::ir
