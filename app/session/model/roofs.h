// SPDX-License-Identifier: Apache-2.0
// What a step of a model needs at least: its arithmetic, its memory or its launches, whichever takes longest.
#pragma once

#include "app/session/model/model.h"
#include "compiler/graph/plan/plan.h"
#include "lang/base/symbol_values.h"

namespace hidet::session {

// Nothing is measured here, so a document says the same every time. Of a device that does not tell: those of a usual one.
DeviceRoofs roofs_of(const artifact::TargetSpec& target);
DeviceRoofs measured_cpu_roofs(); // of this machine; takes some 200 ms

// What a step asks for. Products of 16-bit floats are what matrix units are for.
struct Need {
    double flops = 0, bytes = 0;
    std::size_t launches = 0;
    bool is_half_product = false;
};
bool is_half_product(const graph::Graph& graph, const std::vector<graph::NodeId>& nodes);

struct LeastTime {
    double seconds = 0;
    const char* bound = ""; // "memory", "arithmetic", "launches": which of them it is
};
LeastTime least_time(const DeviceRoofs& roofs, const Need& need);

// Flops and bytes are expressions over dynamic dimensions, which are 1 where nobody says what they are.
SymbolValues assumed_symbols(const graph::Graph& graph);
double number_of(const graph::Dim& dim, const SymbolValues& symbols); // 0: it has no value

} // namespace hidet::session
