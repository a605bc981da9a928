// SPDX-License-Identifier: Apache-2.0
// What the attention operators of all domains are made of: heads, positions, which keys a query sees, the products around a
// softmax, rotations. They are spelled out in operators of the graph, in the form in which the rule recognise-attention
// knows them.
#pragma once

#include <functional>
#include <optional>

#include "compiler/graph/onnx/node_call.h"

namespace hidet::graph::onnx {

// x [batch, length, heads * size] as [batch, heads, length, size], and back. OpError that calls x `what` where it is another.
Val split_heads(NodeCall& node, const Val& x, std::int64_t heads, const std::string& what);
Val merge_heads(NodeCall& node, const Val& x);

// Positions in the sequence, i64: of keys [keys], of queries [queries, 1] or [batch, 1, queries, 1].
struct Positions {
    Val queries;
    Val keys;
};
Val key_positions(NodeCall& node, const Dim& keys);
Val query_positions(NodeCall& node, const Dim& first, const Dim& queries);
// The numbers as they are, looked at as other indices are: of places 0 .. extent - 1.
Val as_places(NodeCall& node, const Val& numbers, const Dim& extent);
Val query_positions(NodeCall& node, const Val& first, const Dim& queries); // first: integers [batch], of each sequence

// Which keys a query sees, bool, to be broadcast to [batch, heads, queries, keys]; null: all.
Val sees_both(NodeCall& node, const Val& a, const Val& b); // what both let it see
Val sees_no_later(NodeCall& node, const Positions& at);
Val sees_window(NodeCall& node, const Positions& at, std::int64_t left,
                std::int64_t right);                                 // -1: no bound on that side
Val sees_first(NodeCall& node, const Val& keys, const Val& lengths); // key positions; integers [batch]: so many keys

enum class ScoreStage : std::uint8_t { Product, Capped, Biased, Shares };

struct Attention {
    Val q, k, v; // [batch, heads, length, size]; there are as many heads of k and v, or a divisor of those of q
    double scale = 1;
    double softcap = 0; // 0: none
    Val bias;           // is added to the scores, to be broadcast to [batch, heads, queries, keys]; null: none
    Val visible;        // as above
    bool may_see_nothing = false; // some query may see no key: its result is zero
    std::optional<ir::DType> softmax_dtype;
    std::optional<ScoreStage> wanted; // scores that are a result too
    // What the model makes of scores and of their softmax, [batch, heads, queries, keys] of softmax_dtype; empty: nothing.
    std::function<Val(const Val&)> change_scores;
    std::function<Val(const Val&)> change_shares;
};
struct Attended {
    Val y;      // [batch, heads, queries, size of v], of q's type
    Val scores; // [batch, heads, queries, keys], of q's type; null: not wanted
};
Attended attend(NodeCall& node, const Attention& attention);

// x [batch, heads, length, size], whose first 2 r elements are pairs that are turned by angles: neighbours if interleaved,
// else an element and the one r after it. Cosines and sines are broadcast to [batch, heads, length, r].
Val rotate(NodeCall& node, const Val& x, const Val& cosines, const Val& sines, bool is_interleaved);

} // namespace hidet::graph::onnx
