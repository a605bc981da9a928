// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/kept_clusters.h"

#include <tuple>

#include "runtime/vm/cluster.h"

namespace hidet::vm {

namespace {

bool serves(const LaunchContext& kept, const LaunchContext& next) {
    const auto shape = [](const LaunchShape& s) { return std::tie(s.grid, s.block, s.cluster, s.dynamic_shared); };
    return kept.code == next.code && kept.memory == next.memory && shape(kept.shape) == shape(next.shape) &&
           kept.group_lanes == next.group_lanes && !kept.log == !next.log && kept.fills == next.fills &&
           kept.is_random == next.is_random && !kept.counts && !next.counts;
}

} // namespace

OwnCluster::OwnCluster(const LaunchContext& launch) : context(launch), cluster(std::make_unique<Cluster>(context)) {}
OwnCluster::~OwnCluster() = default;

std::unique_ptr<OwnCluster> KeptClusters::take(const LaunchContext& context) {
    const std::lock_guard lock(m_mutex);
    while (!m_clusters.empty()) {
        std::unique_ptr<OwnCluster> last = std::move(m_clusters.back());
        m_clusters.pop_back();
        if (!serves(last->context, context))
            continue;
        last->context = context;
        last->cluster->begin_launch();
        return last;
    }
    return std::make_unique<OwnCluster>(context);
}

void KeptClusters::keep(std::unique_ptr<OwnCluster> cluster) {
    const std::lock_guard lock(m_mutex);
    if (m_clusters.size() < most && !cluster->cluster->is_full())
        m_clusters.push_back(std::move(cluster));
}

} // namespace hidet::vm
