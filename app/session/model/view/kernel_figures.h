// SPDX-License-Identifier: Apache-2.0
// What is known of each kernel of a model: predicted, and measured if it was. Nodes of earlier graphs are followed to the
// operators of the last one that replaced them.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "app/session/model/view/overlay.h"

namespace hidet::session {

struct KernelFigures {
    std::vector<std::uint32_t> nodes; // of the last graph
    // Seconds that the device needs at least: the one that measured it (machine_of), else the one that the snapshot assumes.
    double predicted = 0;
    std::optional<double> measured;
    double spread = 0;         // of measurements, in seconds
    double measured_least = 0; // that the device it was measured on allows; 0: not known
    std::string bound;         // what that is: "memory"; of several steps that of the longest; empty: not known
    std::optional<double> flops, bytes;
    bool is_host = false;
};

// Whose limits predictions are of, so that what is predicted stands beside what was measured on the same machine.
const DeviceRoofs& machine_of(const ModelSnapshot& snapshot, const ModelFindings& findings);
// Of an operator, were it a kernel of its own, on that machine.
double predicted_alone(const GraphNode& node, const ModelSnapshot& snapshot, const ModelFindings& findings);

class KernelTable {
public:
    // Without kernels, because none are formed yet, the table is empty.
    KernelTable(const ModelSnapshot& snapshot, const ModelFindings& findings);

    const std::vector<KernelFigures>& rows() const { return m_rows; }
    bool is_measured() const { return m_is_measured; }
    // Kernels that do what the node of any graph asks for, each once.
    std::vector<std::uint32_t> of(std::uint32_t node) const;
    std::uint32_t in_last(std::uint32_t node) const; // its kernel; no_id: none, or the node is of an earlier graph

private:
    void read_bench(const ModelGraph& last, const ModelBenchResult& bench);
    void follow_replaced(const ModelSnapshot& snapshot);

    std::vector<KernelFigures> m_rows;
    std::unordered_map<std::uint32_t, std::uint32_t> m_kernel_of;          // node of the last graph -> row
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> m_heirs; // node -> those that replaced it
    bool m_is_measured = false;
};

} // namespace hidet::session
