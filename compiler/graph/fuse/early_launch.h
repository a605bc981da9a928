// SPDX-License-Identifier: Apache-2.0
// Kernels of a model run one behind the other, and most are short: the start of one is hidden behind the end of the one before it,
// where the device can launch a kernel before its predecessor has ended (Hopper and later, programmatic dependent launch).
//
// A kernel waits for its predecessor (griddepcontrol_wait), which has waited for its own, so everything before it is complete then.
// Two neighbours can do more: the first lets the second begin only behind its own wait, so whatever is older than the first is
// complete when the second begins, which then waits as late as where it first touches what the first makes, or writes anything.
// So the products for a gate and its factor run at the same time, and so do branches that meet later.
#pragma once

#include <vector>

#include "compiler/artifact/target_spec.h"
#include "compiler/ir/func.h"

namespace hidet::graph {

// Whether kernels for this target can begin before their predecessor has ended.
bool launches_early(const artifact::TargetSpec& target);

// Each kernel of the module that does not wait for its predecessor by itself does so first of all, and lets the next one begin as
// soon as all its blocks have begun. The same module where the target cannot do that.
ir::ModuleRef with_early_launches(ir::ModuleRef module, const artifact::TargetSpec& target);

// The same program, whose one kernel lets the next one begin behind its own wait. Null: it has other kernels, or does not wait.
ir::ModuleRef released_late(const ir::Module& module);

// What a parameter of `launch` is for the second of two neighbours.
enum class Age : std::uint8_t {
    Constant, // of the model: nobody writes it
    Older,    // made before the first one began
    Late,     // made by the first one, or written by this one
};

// The same program, whose one kernel waits in front of the first statement that touches something late; parameters behind the list
// are late. Null: its loops, which are what takes time, do not all come before that, nothing older is read there, or it cannot be
// told. For less the first kernel had better let the second begin at once.
ir::ModuleRef waiting_late(const ir::Module& module, const std::vector<Age>& ages);

} // namespace hidet::graph
