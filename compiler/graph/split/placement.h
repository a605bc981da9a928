// SPDX-License-Identifier: Apache-2.0
// How a tensor is placed on processes that share a model.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

// Whole: every process has all of it. Split: each has a part along an axis, in the order of the processes. Partial: each has a
// tensor of the full shape, and it is their sum.
struct Placement {
    enum class Kind : std::uint8_t { Whole, Split, Partial };
    Kind kind = Kind::Whole;
    std::size_t axis = 0; // of Split
    auto operator<=>(const Placement&) const = default;
};
inline constexpr Placement whole{};
inline constexpr Placement partial{Placement::Kind::Partial, 0};
constexpr Placement split_along(std::size_t axis) {
    return {Placement::Kind::Split, axis};
}
std::string text_of(const Placement& placement); // "split along 1"

// One way in which all processes together compute an operator of one result, or of several that are whole.
struct Way {
    std::vector<Placement> inputs;
    Placement result;
    bool is_shared() const { return result != whole; } // each computes a part of it
};

// The first one has everything whole. Only extents that are numbers, and multiples of `count`, are split.
std::vector<Way> ways_of(const Graph& graph, const Node& node, std::int64_t count);
bool can_share(OpId op); // ways_of() knows more than the first one

} // namespace hidet::graph
