// SPDX-License-Identifier: Apache-2.0
// Offsets of a section's buffers as expressions, right for all values of the symbols.
#pragma once

#include "compiler/graph/plan/expressions.h"
#include "compiler/graph/plan/memory.h"

namespace hidet::graph {

struct PlannedBuffer {
    artifact::Row value = 0; // of the launch plan
    Dim bytes;
    std::int32_t first = 0;
    std::int32_t last = 0;
};

// Sets the offsets of the values, and the section's sizes. OpError when a constant size is more than can be addressed.
void place_buffers(artifact::PlanBody& body, artifact::PlanSection& section, Expressions& expressions,
                   const std::vector<PlannedBuffer>& buffers);

} // namespace hidet::graph
