// SPDX-License-Identifier: Apache-2.0
// Blocks of the last launch, with the memory they hold and what they know of its addresses. The next launch of the kernel takes them
// if nothing was found: what is said of a finding depends on nothing that was before.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/vm/launch_context.h"

namespace hidet::vm {

class Cluster;

struct OwnCluster { // of a host thread
    explicit OwnCluster(const LaunchContext& launch);
    ~OwnCluster();
    LaunchContext context; // which the cluster refers to
    std::unique_ptr<Cluster> cluster;
};

class KeptClusters {
public:
    std::unique_ptr<OwnCluster> take(const LaunchContext& context); // or a new one
    void keep(std::unique_ptr<OwnCluster> cluster);
    void clear() { m_clusters.clear(); }

private:
    static constexpr std::size_t most = 16;
    std::mutex m_mutex;
    std::vector<std::unique_ptr<OwnCluster>> m_clusters;
};

} // namespace hidet::vm
