// SPDX-License-Identifier: Apache-2.0
// What a turn of a loop computes and moves, how many cycles of a multiprocessor each of its pipes takes for that at least, which of
// them limits it, and which edits would raise that limit. What a loop does is what its kernel does not do without it.
#pragma once

#include "app/session/explain/explained_source.h"

namespace hidet::session {

// In the order of the script; those of few turns within others count as a part of these.
std::vector<LoopView> loops_of(const ExplainedSource& source, const KernelExplained& kernel,
                               const std::atomic<bool>* cancelled);

} // namespace hidet::session
