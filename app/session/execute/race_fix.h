// SPDX-License-Identifier: Apache-2.0
// A fix for two accesses that nothing orders: a barrier of the block before the statement of the second one. It is offered
// where all threads of a block come there together, as far as the text of the script shows.
#pragma once

#include <optional>

#include "lang/base/diagnostic.h"
#include "lang/base/source.h"

namespace hidet::session {

struct RacingPair {
    Span first, second; // in the order of the run
};
std::optional<FixIt> barrier_between(const RacingPair& pair, const SourceMap& sources);

} // namespace hidet::session
