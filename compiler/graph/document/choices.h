// SPDX-License-Identifier: Apache-2.0
// The choices file: what the user decided about a model, by the stable keys of its operators. JSON, one decision a line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/graph/document/json_places.h"
#include "compiler/graph/passes/pass.h"
#include "lang/base/result.h"

namespace hidet::graph {

struct Choices {
    std::string precision;                   // of the whole model; empty: nobody decided
    std::vector<FusionChoices::Edge> fusion; // forbid or force
    std::vector<NodeChoice> rewrites;        // a rule that shall not apply at an operator
    std::vector<NodeChoice> precisions;
    std::vector<NodeChoice> templates;
    std::vector<NodeChoice> placements; // where processes share the model
    std::vector<std::string> off;       // rules and passes
    std::vector<std::string> on;
};

// "choices-broken"; `broken` gets what of the text is wrong, where that is not all of it.
Result<Choices> read_choices(std::string_view text, std::optional<TextRange>* broken = nullptr);
std::string write_choices(const Choices& choices);
void apply_choices(const Choices& choices, GraphOptions& options); // added to what stands there

std::vector<std::string> names_of_passes_and_rules(); // what `off` and `on` may name

// A choice that changes nothing, and what in the file says it.
struct ChoiceProblem {
    std::string text;
    std::string section;     // "fusion"
    std::size_t index = 0;   // of the choice in it; "precision" is no list
    std::string member;      // "producer"; empty: the choice as a whole
    bool is_mistake = false; // it names what no model has: a rule, a dtype; else a key that this model does not have
    bool is_unknown = false; // the key was never one of the graph
    TextRange place_in(std::string_view file) const;
};

// An instrument that looks whether each choice meets an operator where it is heeded: a fusion when groups are formed, a
// rewrite when rules are applied, a precision when they are chosen.
class ChoiceWatch : public GraphInstrument {
public:
    ChoiceWatch(const Choices& choices, const GraphOptions& options, const Graph& imported);
    void before(const GraphPassInfo& pass, const Graph& graph) override;
    void after(const GraphPassInfo& pass, const Graph& graph, const PassRecord& record) override;
    std::vector<ChoiceProblem> problems(const Optimised& optimised) const; // in the order of the file

private:
    using Keys = std::unordered_set<std::string>;
    struct Edge { // of a fusion choice, when groups were formed
        NodeId producer, consumer;
        bool is_there = false;
    };
    struct Checker;
    void see_fusions(const Graph& graph);
    void see_precisions(const Graph& graph);
    void see_templates(const Graph& graph);
    void see_placements(const Graph& graph);

    const Choices& m_choices;
    std::vector<std::string> m_rules; // all there are, the user's among them
    Keys m_ever;                      // keys of any graph between the passes
    Keys m_rewriting;                 // of those that rules were applied to
    std::vector<Edge> m_edges;
    std::vector<NodeId> m_precise;        // by precision choice
    std::vector<std::string> m_imprecise; // by precision choice: why it is none for the operator; empty: it is one
    std::vector<NodeId> m_scheduled;      // by template choice, when groups were formed
    std::vector<NodeId> m_placed;         // by placement choice, when the model was divided
    const bool m_is_shared;               // by processes
    const std::vector<std::string> m_templates; // all there are
    std::unordered_set<std::uint32_t> m_converted;
    std::unordered_map<std::string, std::string> m_replaced; // keys of operators that are gone: by which rule
};

// Those that a choice has in the graph and in every branch and loop in it, which go through the passes once more for that.
std::vector<ChoiceProblem> problems_with_bodies(const ChoiceWatch& watch, const Optimised& optimised,
                                                const Graph& graph, const Choices& choices,
                                                const GraphOptions& options);

} // namespace hidet::graph
