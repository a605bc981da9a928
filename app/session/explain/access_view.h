// SPDX-License-Identifier: Apache-2.0
// Accesses as people read them: where, what is wrong, and what would cure it.
#pragma once

#include "app/session/explain/explain.h"
#include "compiler/analysis/access/access_map.h"

namespace hidet::session {

// One for each place, memory and tensor, the worst first.
std::vector<AccessView> access_views(const std::vector<compiler::access::Access>& accesses, const SourceMap& sources);

// Fills `finding` and `cure`.
void judge(AccessView& view, const compiler::access::Access& access);

} // namespace hidet::session
