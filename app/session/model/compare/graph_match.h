// SPDX-License-Identifier: Apache-2.0
// Two graphs side by side: which operator of one is which of the other, and what differs between the two.
//
// Names alone do not say it: another exporter gives others, and an inserted layer shifts all that are numbered. So operators
// are matched by what they are and what is around them, as trees of programs are (Falleri, Morandat, Blanc, Martinez,
// Monperrus: Fine-grained and accurate source code differencing, 2014): what is equal with all that it depends on, or with all
// that depends on it, is certain if it is unique; from there along edges, equal operators first; then what has changed. What
// looks alike is told apart by refining colours (Weisfeiler, Leman: The reduction of a graph to canonical form, 1968), where
// every certain pair is a colour of its own. Names decide where structure does not: both ways are tried, names first and
// structure first, and the one that leaves fewer differences is taken.
//
// The elements of weights are not looked at, only their types and shapes.
#pragma once

#include <atomic>
#include <unordered_map>

#include "app/session/model/view/model_view.h"

namespace hidet::session {

enum class PairState : std::uint8_t { Same, Changed, New, Gone };

struct GraphPair { // of operators, or of inputs or outputs of the models
    std::uint32_t left = no_id, right = no_id;
    PairState state = PairState::Same;
    // Changed: its results alone differ, in type or extents, as those of its operands do.
    bool is_inherited = false;
    std::vector<std::string> differences; // "kernel_shape [3, 3] -> [5, 5]"
};

struct GraphMatching {
    std::vector<GraphPair> nodes;           // in the order of the right graph, what is gone after what it followed
    std::vector<GraphPair> inputs, outputs; // values, the same
    std::size_t same = 0, changed = 0, inherited = 0, added = 0, gone = 0; // of nodes; inherited: of those changed
    std::unordered_map<std::uint32_t, std::uint32_t> pair_of_left, pair_of_right;   // node -> place in `nodes`
    std::unordered_map<std::uint32_t, std::uint32_t> value_of_left, value_of_right; // value -> value of the other side

    std::uint32_t right_of(std::uint32_t left_node) const; // no_id: it is gone
    std::uint32_t left_of(std::uint32_t right_node) const; // no_id: it is new
};

// Takes time in proportion to the size of the graphs. Set `cancelled` ends it soon; the result is empty then.
GraphMatching match_graphs(const ModelGraph& left, const ModelGraph& right,
                           const std::atomic<bool>* cancelled = nullptr);

// "3 changed, 1 new, 2 gone", or "no differences".
std::string summary_of(const GraphMatching& matching);

} // namespace hidet::session
