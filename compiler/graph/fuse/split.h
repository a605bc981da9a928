// SPDX-License-Identifier: Apache-2.0
// What becomes of a piece when a tensor of its anchor cannot be fused: several pieces, with that tensor between them.
#pragma once

#include "compiler/graph/fuse/piece.h"

namespace hidet::graph {

struct Split {
    std::vector<Group> before; // prologues, in order
    Group rest;
    std::vector<Group> after; // epilogues, in order
    std::vector<Blocker> blockers;
};

Split split(const Piece& piece, const std::vector<Unfusable>& unfusable);

} // namespace hidet::graph
