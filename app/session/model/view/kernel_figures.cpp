// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/kernel_figures.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace hidet::session {

const DeviceRoofs& machine_of(const ModelSnapshot& snapshot, const ModelFindings& findings) {
    return findings.bench && findings.bench->roofs.flops > 0 ? findings.bench->roofs : snapshot.roofs;
}

double predicted_alone(const GraphNode& node, const ModelSnapshot& snapshot, const ModelFindings& findings) {
    const DeviceRoofs& machine = machine_of(snapshot, findings);
    if (&machine == &snapshot.roofs || node.least_seconds == 0 || !node.flops || !node.bytes)
        return node.least_seconds;
    return least_time(machine, {*node.flops, *node.bytes, 1, node.factors}).seconds;
}

KernelTable::KernelTable(const ModelSnapshot& snapshot, const ModelFindings& findings) {
    const ModelGraph* last = snapshot.last();
    if (!last)
        return;
    for (const GraphKernel& kernel : last->kernels) {
        for (const std::uint32_t node : kernel.nodes)
            m_kernel_of[node] = static_cast<std::uint32_t>(m_rows.size());
        m_rows.push_back(
            {kernel.nodes, kernel.least_seconds, {}, 0, 0, {}, kernel.flops, kernel.bytes, kernel.is_host});
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
    std::vector<double> longest(m_rows.size(), 0); // least time of a step
    for (const ModelStepRow& step : bench.steps) {
        std::uint32_t row = no_id;
        if (const auto found = by_key.find(step.group); found != by_key.end() && !step.group.empty())
            row = found->second;
        else if (!step.node_ids.empty())
            row = in_last(step.node_ids.front());
        if (row == no_id)
            continue;
        KernelFigures& kernel = m_rows[row];
        kernel.measured = kernel.measured.value_or(0) + step.seconds;
        kernel.spread += step.seconds * step.spread;
        kernel.measured_least += step.least_seconds;
        if (step.least_seconds > longest[row]) {
            longest[row] = step.least_seconds;
            kernel.bound = step.bound;
        }
        m_is_measured = true;
    }
    for (KernelFigures& kernel : m_rows)
        if (bench.roofs.flops > 0 && kernel.measured_least > 0 && !kernel.is_host)
            kernel.predicted = kernel.measured_least;
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
