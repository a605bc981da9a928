// SPDX-License-Identifier: Apache-2.0
// What steps of a model ask of a device, in the words of compiler/perf/roofs.h.
#pragma once

#include "app/session/model/model.h"
#include "compiler/graph/plan/plan.h"
#include "lang/base/symbol_values.h"

namespace hidet::session {

DeviceRoofs measured_cpu_roofs(); // of this machine; takes some 200 ms

bool is_half_product(const graph::Graph& graph, const std::vector<graph::NodeId>& nodes);

// Flops and bytes are expressions over dynamic dimensions, which are 1 where nobody says what they are.
SymbolValues assumed_symbols(const graph::Graph& graph);
double number_of(const graph::Dim& dim, const SymbolValues& symbols); // 0: it has no value

} // namespace hidet::session
