// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/graph/fuse/lower.h"

namespace hidet::graph {

// Makes one kernel of those that the program launches, none of which reads what another one makes: each has the blocks behind those
// of the one before it. Nothing happens where launches depend on conditions or extents that are not known, or want more than
// blocks and threads of one dimension.
void join_launches(GroupProgram& program);

} // namespace hidet::graph
