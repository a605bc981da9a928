// SPDX-License-Identifier: Apache-2.0
// What of a compiled graph only moves elements: transposes between layouts, joins, slices, that no other kernel took along.
#pragma once

#include <vector>

#include "app/session/model/model.h"
#include "compiler/graph/plan/plan.h"

namespace hidet::session {

std::vector<ModelRearrangement> rearrangements_of(const graph::Graph& graph, const graph::Plan& plan);

} // namespace hidet::session
