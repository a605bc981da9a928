// SPDX-License-Identifier: Apache-2.0
// What operators and exchanges of processes that share a model take: the slowest part of an operator, arithmetic or memory, as
// it runs by itself, and exchanges over the links of the machine (perf/exchange.h).
#pragma once

#include "compiler/artifact/target_spec.h"
#include "compiler/graph/split/placement.h"
#include "compiler/perf/exchange.h"

namespace hidet::graph {

double bytes_of(const Graph& graph, ValueId value);

class Costs { // in seconds, the same in all processes
public:
    Costs(const Graph& graph, const artifact::TargetSpec& target, std::int64_t processes, double exchange_weight = 1);

    double compute(const Node& node, const Way& way) const;
    double compute_whole(const Node& node) const;
    double slice(ValueId value, std::size_t axis) const;
    double gather(ValueId value) const { return exchange(value, perf::Exchange::Gather); }
    double reduce(ValueId value) const { return exchange(value, perf::Exchange::Reduce); }
    double send(double bytes) const; // to one other process
    double bytes(ValueId value, const Placement& placement) const;

private:
    double exchange(ValueId value, perf::Exchange kind) const;
    double flops(const Node& node) const;
    double peak(const Node& node) const;

    const Graph& m_graph;
    const artifact::TargetSpec& m_target;
    const artifact::Links m_links;
    const std::int64_t m_processes;
    const double m_count;
    const double m_weight; // of exchanges
};

} // namespace hidet::graph
