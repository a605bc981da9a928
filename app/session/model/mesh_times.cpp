// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/mesh_times.h"

#include <algorithm>

#include "compiler/graph/document/costs.h"
#include "compiler/graph/plan/extent.h"
#include "compiler/perf/exchange.h"

namespace hidet::session {

namespace {

class StepTimes {
public:
    StepTimes(const graph::CompiledGraph& compiled, const Predictor& predictor, const artifact::Links& links)
        : m_compiled(compiled), m_predictor(predictor), m_links(links) {}

    MeshTimes run() {
        const graph::Plan& plan = m_compiled.plan;
        for (std::size_t step = 0; step < plan.sources.size(); ++step) {
            const graph::Node& node = m_compiled.graph.node(plan.sources[step].node);
            if (!plan.is_host(step))
                add_kernels(step);
            else if (node.op->exchanges)
                add_exchange(node);
            else
                ++m_times.not_counted;
        }
        const artifact::ArenaSizes sizes = arena_sizes(plan.launch, m_predictor.known(plan.launch));
        m_times.mesh.arena_bytes = static_cast<double>(sizes.bytes.value_or(0));
        return m_times;
    }

private:
    void add_kernels(std::size_t step) {
        const graph::StepSource& source = m_compiled.plan.sources[step];
        const graph::Group& group = m_compiled.partition.groups[source.group];
        const graph::NodeCost cost = cost_of(m_compiled.graph, group);
        m_times.mesh.kernels += source.kernels.size();
        m_times.mesh.kernel_seconds +=
            m_predictor.seconds({m_predictor.assumed(cost.flops), m_predictor.assumed(cost.bytes),
                                 source.kernels.size(), factors_of(m_compiled.graph, group.nodes)});
    }
    // A group's number says how far its ranks are apart; that of all has none.
    void add_exchange(const graph::Node& node) {
        const perf::ExchangeGroup group{node.attributes.get<std::int64_t>("size"),
                                        std::max<std::int64_t>(node.attributes.get<std::int64_t>("group"), 1)};
        const perf::Exchange kind = node.is(graph::OpId::AllReduce) ? perf::Exchange::Reduce : perf::Exchange::Gather;
        const double bytes = m_predictor.assumed(graph::bytes_of(m_compiled.graph.value(node.outputs[0]).spec));
        const perf::ExchangeTime time = exchange_time(m_links, group, kind, bytes);
        ModelMesh& mesh = m_times.mesh;
        ++mesh.exchanges;
        mesh.exchanged_bytes += bytes;
        mesh.exchange_seconds += time.seconds;
        if (time.slower == perf::Link::Network)
            mesh.network_seconds += time.seconds;
    }

    const graph::CompiledGraph& m_compiled;
    const Predictor& m_predictor;
    const artifact::Links& m_links;
    MeshTimes m_times;
};

} // namespace

MeshTimes mesh_times(const graph::CompiledGraph& compiled, const Predictor& predictor, const artifact::Links& links) {
    return StepTimes(compiled, predictor, links).run();
}

} // namespace hidet::session
