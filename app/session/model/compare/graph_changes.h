// SPDX-License-Identifier: Apache-2.0
// What passes have made of a model's operators, between any two of its graphs and at any level of folding: a group says how
// many of the operators in it are new, gone or changed, whether one looks into it or not.
//
// Nodes have one id for ever, so nothing is matched: a node that both graphs have is the same one. One that is gone has no
// place in the later graph; it counts where those are that were made of it, or else where its module is.
#pragma once

#include <string_view>
#include <unordered_map>

#include "app/session/model/compare/graph_match.h"

namespace hidet::session {

struct ChangeCounts {
    std::size_t added = 0, gone = 0, changed = 0;
    bool any() const { return added + gone + changed > 0; }
    void count(PairState state);
    ChangeCounts& operator+=(const ChangeCounts& other);
    friend bool operator==(const ChangeCounts&, const ChangeCounts&) = default;
};
std::string counts_text(const ChangeCounts& counts); // "+3 -2 ~1"; empty: none

struct GraphChanges {
    std::unordered_map<std::uint32_t, PairState> states; // of nodes of the later graph: New or Changed
    std::vector<std::uint32_t> gone;                     // nodes of the earlier graph, in its order
    // Of a node that is gone, the nodes of the later graph that were made of it; of one that is new the other way.
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> partners;
    ChangeCounts total;

    PairState state_of(std::uint32_t node) const; // of the later graph
};
// Of two of the snapshot's graphs, by their numbers.
GraphChanges changes_between(const ModelSnapshot& snapshot, std::size_t from, std::size_t to);

struct FoldedChanges {
    std::vector<ChangeCounts> groups; // by place in boxes.groups, with all that is in them at any depth
    std::vector<std::uint32_t> home;  // of each of changes.gone: the innermost group that it counts in
};
// `boxes` are those of the later graph. An earlier graph that is folded alike says where modules are that nothing is left of.
FoldedChanges folded(const GraphChanges& changes, const GraphBoxes& boxes, const GraphBoxes* earlier = nullptr);

// ---- as rows of a tree -----------------------------------------------------------------------------------------------

struct ChangeRow {
    std::uint32_t depth = 0;
    std::string change; // "group", "new", "gone", "changed"
    std::string name;
    std::string op;                    // of an operator
    std::uint32_t count = 1;           // of blocks in a group of equal ones
    ChangeCounts counts;               // of a group
    std::vector<std::string> partners; // names: what a new operator was made of, what became of one that is gone
    std::string rule;                  // that made it
};

struct ModelChangesRequest : ModelRequest {
    std::string from = "import"; // a graph of the snapshot, by its pass; empty: the one before
    std::string to;              // empty: the last
    int depth = -1;              // groups deeper than that stay closed; negative: none does
    bool by_kernel = false;
};
struct ModelChanges : Outcome {
    std::string from, to; // titles
    std::size_t from_nodes = 0, to_nodes = 0;
    ChangeCounts total;
    std::vector<ChangeRow> rows; // what does not differ is left out
};
ModelChanges model_changes(const ModelChangesRequest& request);
std::string changes_text(const ModelChanges& changes);

} // namespace hidet::session
