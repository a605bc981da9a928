// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compiler/schedule/kernel.h"

namespace hidet::graph {

// A reduction whose elements are too few for the machine becomes two stages: parts of the terms, and what is made of the parts, in
// the same order every time. On a GPU blocks have a part each, on a CPU units of parallel work. Arg reductions and those of
// ragged or symbolic extents stay one.
std::vector<Stage> split_by_terms(std::vector<Stage> stages, const artifact::TargetSpec& target,
                                  const ir::VarVec& constants);

} // namespace hidet::graph
