// SPDX-License-Identifier: Apache-2.0
// Counted instructions joined to a listing, and summed by the lines of the script.
#pragma once

#include "app/session/explain/explain.h"
#include "app/session/profile/profile.h"
#include "app/session/snapshot/machine.h"
#include "runtime/toolchain/ncu.h"

namespace hidet::session {

void add_totals(const toolchain::CountedLaunch& launch, ProfiledKernel& out);
void add_instructions(const toolchain::CountedKernel& counted, ProfiledKernel& out);
// The listing's function is the same code, instruction for instruction; else `lines_unknown` says why not.
void join_listing(const MachineFunction& function, const TextSnapshot& listing, ProfiledKernel& out);
void sum_lines(ProfiledKernel& out); // and the whole
void add_foreseen(const KernelExplained& explained, ProfiledKernel& out);

} // namespace hidet::session
