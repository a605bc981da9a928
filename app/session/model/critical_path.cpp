// SPDX-License-Identifier: Apache-2.0
// The longest path through the kernels, which stand in an order in which they can run.
#include <algorithm>
#include <unordered_map>

#include "app/session/model/view/kernel_figures.h"

namespace hidet::session {

namespace {

// Before kernels are formed, every operator counts as one.
std::vector<KernelFigures> units_of(const ModelSnapshot& snapshot, const ModelFindings& findings,
                                    const KernelTable& kernels) {
    if (!kernels.rows().empty())
        return kernels.rows();
    std::vector<KernelFigures> out;
    for (const auto& node : snapshot.last()->nodes) {
        KernelFigures& unit = out.emplace_back();
        unit.nodes = {node->id};
        unit.predicted = predicted_alone(*node, snapshot, findings);
    }
    return out;
}

} // namespace

CriticalPath critical_path(const ModelSnapshot& snapshot, const ModelFindings& findings) {
    CriticalPath out;
    const ModelGraph* graph = snapshot.last();
    if (!graph)
        return out;
    const KernelTable kernels(snapshot, findings);
    out.is_measured = kernels.is_measured();
    const std::vector<KernelFigures> units = units_of(snapshot, findings, kernels);

    std::unordered_map<std::uint32_t, const GraphNode*> nodes;
    std::unordered_map<std::uint32_t, std::uint32_t> producer; // value -> unit
    for (const auto& node : graph->nodes)
        nodes[node->id] = node.get();
    const auto each_node = [&](const KernelFigures& unit, const auto& visit) {
        for (const std::uint32_t id : unit.nodes)
            if (const auto node = nodes.find(id); node != nodes.end())
                visit(*node->second);
    };
    std::vector<std::uint32_t> before(units.size(), no_id);
    std::vector<double> seconds(units.size(), 0); // until it ends
    std::uint32_t latest = no_id;
    for (std::uint32_t i = 0; i < units.size(); ++i) {
        each_node(units[i], [&](const GraphNode& node) {
            for (const std::uint32_t value : node.inputs) {
                const auto from = producer.find(value);
                if (from != producer.end() && (before[i] == no_id || seconds[from->second] > seconds[before[i]]))
                    before[i] = from->second;
            }
        });
        // What was measured without a step of its own takes no time: a view of another value.
        const double own = out.is_measured ? units[i].measured.value_or(0) : units[i].predicted;
        seconds[i] = own + (before[i] == no_id ? 0 : seconds[before[i]]);
        each_node(units[i], [&](const GraphNode& node) {
            for (const std::uint32_t value : node.outputs)
                producer[value] = i;
        });
        if (latest == no_id || seconds[i] >= seconds[latest])
            latest = i;
    }
    if (latest == no_id)
        return out;
    out.seconds = seconds[latest];
    std::vector<std::uint32_t> path;
    for (std::uint32_t unit = latest; unit != no_id; unit = before[unit])
        path.push_back(unit);
    std::reverse(path.begin(), path.end());
    for (const std::uint32_t unit : path)
        out.nodes.insert(out.nodes.end(), units[unit].nodes.begin(), units[unit].nodes.end());
    return out;
}

} // namespace hidet::session
