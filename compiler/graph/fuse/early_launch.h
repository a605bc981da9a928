// SPDX-License-Identifier: Apache-2.0
// Kernels of a model run one behind the other, and most are short: the start of one is hidden behind the end of the one before it,
// where the device can launch a kernel before its predecessor has ended (Hopper and later, programmatic dependent launch).
#pragma once

#include "compiler/artifact/target_spec.h"
#include "compiler/ir/func.h"

namespace hidet::graph {

// Each kernel of the module that does not wait for its predecessor by itself does so first of all, and lets the next one begin as
// soon as all its blocks have begun. The same module where the target cannot do that.
ir::ModuleRef with_early_launches(ir::ModuleRef module, const artifact::TargetSpec& target);

} // namespace hidet::graph
