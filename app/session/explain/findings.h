// SPDX-License-Identifier: Apache-2.0
// Why a kernel is slow, as a list for people: one sentence each, with what it costs, its line and its edits.
#pragma once

#include "app/session/explain/explain.h"

namespace hidet::session {

// The most expensive first. `loops` may be those of another moment (loops_of), or none. Nothing is found in a kernel whose launch is
// not known.
std::vector<KernelFinding> findings_of(const KernelExplained& kernel, const std::vector<LoopView>& loops);

} // namespace hidet::session
