// SPDX-License-Identifier: Apache-2.0
// Which operators share a kernel where arithmetic alone does not tell: an operator whose elements would be computed again and
// again (schedule/cost.h guesses), and one behind a product so large that what fusing costs its schedule may be more than
// what it saves. Both variants are measured, with all kernels that they change, and the faster one counts.
//
//     FusionSearch fusions(graph, partition, choices, options);
//     fusions.run(measurer);
//     partition = fusions.decided(std::move(partition));
#pragma once

#include "compiler/graph/names/keys.h"
#include "compiler/tune/search.h"

namespace hidet::tune {

struct FusionQuestion {
    std::vector<std::pair<graph::NodeId, graph::NodeId>> edges; // that are alike: producer, consumer
    bool is_fused = false;                                      // as nobody's choice has it
    std::string key;                                            // what records know it by
    std::string source;
    Variant fused, apart; // of the first edge
    std::optional<double> fused_seconds, apart_seconds;
    std::string discarded;             // why one of them is none to choose
    bool is_recorded = false;          // both were measured before, or tried
    std::optional<bool> taken() const; // is it better fused? Nothing: it is not known
};

class FusionSearch {
public:
    // All outlive it. What `choices` say is not asked.
    FusionSearch(const graph::Graph& graph, const graph::Partition& partition, const graph::FusionChoices& choices,
                 const SearchOptions& options);

    Result<void> recall();
    Result<void> run(Measurer& measurer); // recalls, and measures what is missing

    const std::vector<FusionQuestion>& questions() const { return m_questions; }
    std::size_t measured() const { return m_measured; }
    graph::FusionChoices chosen() const; // those that were given, and what was found
    // The partition by those, with the schedules that somebody chose; as it is where nothing was found.
    graph::Partition decided(graph::Partition partition) const;

private:
    void ask(graph::NodeId producer, graph::NodeId consumer, bool is_fused);
    void ask_about_prologues();
    void ask_about_epilogues();
    std::string source_of(const Variant& variant) const;
    Result<void> keep(FusionQuestion& question, const Measurement& measurement);

    const graph::Graph& m_graph;
    const graph::Partition& m_partition;
    const graph::FusionChoices& m_choices;
    const SearchOptions m_options;
    const std::string m_machine;
    const graph::NodeKeys m_keys;
    std::vector<FusionQuestion> m_questions;
    std::size_t m_measured = 0;
};

} // namespace hidet::tune
