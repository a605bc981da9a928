// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/kernel_figures.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace hidet::session {

KernelTable::KernelTable(const ModelSnapshot& snapshot, const ModelFindings& findings) {
    const ModelGraph* last = snapshot.last();
    if (!last)
        return;
    for (const GraphKernel& kernel : last->kernels) {
        for (const std::uint32_t node : kernel.nodes)
            m_kernel_of[node] = static_cast<std::uint32_t>(m_rows.size());
        m_rows.push_back({kernel.nodes, kernel.least_seconds, {}, 0, kernel.flops, kernel.bytes, kernel.is_host});
    }
    if (findings.bench)
        read_bench(*last, *findings.bench);
    follow_replaced(snapshot);
}

// Rows are found by key: ids of an earlier revision may be those of other nodes by now.
void KernelTable::read_bench(const ModelGraph& last, const ModelBenchResult& bench) {
    std::unordered_map<std::string_view, std::uint32_t> by_key;
    for (std::uint32_t i = 0; i < last.kernels.size(); ++i)
        by_key.emplace(last.kernels[i].key, i);
    for (const ModelStepRow& step : bench.steps) {
        std::uint32_t row = no_id;
        if (const auto found = by_key.find(step.group); found != by_key.end() && !step.group.empty())
            row = found->second;
        else if (!step.node_ids.empty())
            row = in_last(step.node_ids.front());
        if (row == no_id)
            continue;
        m_rows[row].measured = m_rows[row].measured.value_or(0) + step.seconds;
        m_rows[row].measured_least += step.least_seconds;
        m_is_measured = true;
    }
}

void KernelTable::follow_replaced(const ModelSnapshot& snapshot) {
    std::unordered_set<const GraphNode*> seen; // nodes that a pass left alone are shared between graphs
    for (const auto& graph : snapshot.graphs)
        for (const auto& node : graph->nodes)
            if (!node->replaces.empty() && seen.insert(node.get()).second)
                for (const std::uint32_t old : node->replaces)
                    if (old != node->id)
                        m_heirs[old].push_back(node->id);
}

std::uint32_t KernelTable::in_last(std::uint32_t node) const {
    const auto found = m_kernel_of.find(node);
    return found == m_kernel_of.end() ? no_id : found->second;
}

std::vector<std::uint32_t> KernelTable::of(std::uint32_t node) const {
    if (const std::uint32_t kernel = in_last(node); kernel != no_id)
        return {kernel};
    std::vector<std::uint32_t> out, open = {node};
    std::unordered_set<std::uint32_t> seen = {node};
    while (!open.empty()) {
        const std::uint32_t next = open.back();
        open.pop_back();
        if (const std::uint32_t kernel = in_last(next); kernel != no_id) {
            out.push_back(kernel);
            continue;
        }
        if (const auto heirs = m_heirs.find(next); heirs != m_heirs.end())
            for (const std::uint32_t heir : heirs->second)
                if (seen.insert(heir).second)
                    open.push_back(heir);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

} // namespace hidet::session
