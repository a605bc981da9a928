// SPDX-License-Identifier: Apache-2.0
// Costs of a graph's operators as numbers, and what the device needs at least for them.
#pragma once

#include <optional>

#include "app/session/model/model.h"
#include "compiler/graph/plan/plan.h"
#include "lang/base/symbol_values.h"

namespace hidet::session {

DeviceRoofs measured_cpu_roofs(); // of this machine; takes some 200 ms

// What the products among them are of, where matrix units take it.
perf::Factors factors_of(const graph::Graph& graph, const std::vector<graph::NodeId>& nodes);

// Flops and bytes are expressions over dynamic dimensions, which are 1 where nobody says what they are.
SymbolValues assumed_symbols(const graph::Graph& graph);
double number_of(const graph::Dim& dim, const SymbolValues& symbols); // 0: it has no value

class Predictor {
public:
    Predictor(DeviceRoofs roofs, const std::vector<Dimension>& dims) : m_roofs(std::move(roofs)) {
        for (const auto& [name, value] : dims)
            m_named.emplace(name, value);
    }

    // Dynamic dimensions of it that nobody named count as 1 from now on, as far as something has to be said.
    void assume(const graph::Graph& graph);

    std::optional<double> known(const graph::Dim& dim) const; // nothing: it depends on dimensions that nobody named
    std::vector<artifact::ExprValue> known(const artifact::LaunchPlan& plan) const; // of its expressions
    double assumed(const graph::Dim& dim) const { return number_of(dim, m_symbols); }
    double seconds(const perf::Need& need) const { return least_time(m_roofs, need).seconds; }
    std::vector<std::string> assumptions() const; // names of dimensions

private:
    const DeviceRoofs m_roofs;
    SymbolValues m_named;
    SymbolValues m_symbols; // all, also the named ones
};

} // namespace hidet::session
