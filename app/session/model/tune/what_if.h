// SPDX-License-Identifier: Apache-2.0
// What choices could say of what is selected in a model, and what they would change.
#pragma once

#include "app/session/model/tune/choice_edit.h"
#include "app/session/model/view/model_view.h"

namespace hidet::session {

// --- what could be chosen; nodes are ids, `graph` is the place of one of the snapshot's graphs ---

// About the edge between the two operators; nothing while no groups are formed, or where one of them is gone by then.
std::optional<ModelChoice> fusion_of_edge(const ModelSnapshot& snapshot, std::uint32_t value, std::uint32_t consumer,
                                          bool fuse);
// Why the edge would not be fused, were that chosen beside the choices of the text; empty: it would be. Forms the groups of the
// last graph anew; any thread.
std::string why_not_fused(const ModelSnapshot& snapshot, std::string_view choices, std::uint32_t value,
                          std::uint32_t consumer);
// What keeps the rule from applying that made the node, in this graph or one before it: one choice for each operator that
// it replaced and that has a key then. Empty: no rule made it, or it replaced only what other rules had made.
std::vector<ModelChoice> choices_against_rule(const ModelSnapshot& snapshot, std::size_t graph, std::uint32_t node);
// The operator, or those that it was made of, as they are when precisions are chosen.
std::vector<ModelChoice> precisions_of_node(const ModelSnapshot& snapshot, std::size_t graph, std::uint32_t node,
                                            const std::string& dtype);
// Choices of the text about the operator, what it was made of or what became of it; of an edge those about both ends.
std::vector<ModelChoice> choices_about_node(const ModelSnapshot& snapshot, std::string_view text, std::uint32_t node);

// --- passes and rules ---

struct SwitchRow {
    std::string name;
    std::string pass; // of a rule; empty: a pass
    std::string summary;
    bool is_on_by_default = true;
    bool is_on = true;
    std::size_t matches = 0; // in this model
};
// Each pass in the order of its first run, and its rules behind it; rules that only scripts define as far as they matched.
std::vector<SwitchRow> switch_rows(const ModelSnapshot* snapshot, std::string_view choices);
std::string with_switch(std::string_view choices, const SwitchRow& row, bool is_on);

struct BlockerKind {
    std::string id;   // "several-readers"
    std::string text; // "the tensor has several readers"
};
const std::vector<BlockerKind>& blocker_kinds();

// --- what it changes ---

struct ModelChange { // after minus before
    std::int64_t nodes = 0, kernels = 0, launches = 0;
    double flops = 0, bytes = 0, seconds = 0;
    bool is_nothing() const;
};
ModelChange change_between(const ModelTotals& before, const ModelTotals& after);

// What each choice does beside all others: from the totals without it to those with all, in the order of choices_in().
// The totals are of a snapshot that was asked for in the same way. An optimisation for each choice; `found` is told from the
// same thread. Stops when the request is cancelled.
void changes_by_choice(const ModelViewRequest& request, const ModelTotals& with_all,
                       const std::function<void(const ModelChoice&, const ModelChange&)>& found);

} // namespace hidet::session
