// SPDX-License-Identifier: Apache-2.0
// How a tensor is placed on processes that share a model.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/graph/core/graph.h"

namespace hidet::graph {

// Extents one behind the other along an axis, as many as are not 0: each is divided by itself. None: the axis is one.
using Sections = std::array<std::int64_t, 8>;

// Whole: every process has all of it. Split: each has a part along an axis, in the order of the processes. Partial: each has a
// tensor of the full shape, and it is their sum.
struct Placement {
    enum class Kind : std::uint8_t { Whole, Split, Partial };
    Kind kind = Kind::Whole;
    std::size_t axis = 0; // of Split
    Sections sections = {};
    auto operator<=>(const Placement&) const = default;
};
inline constexpr Placement whole{};
inline constexpr Placement partial{Placement::Kind::Partial, 0};
constexpr Placement split_along(std::size_t axis, const Sections& sections = {}) {
    return {Placement::Kind::Split, axis, sections};
}
constexpr bool has_sections(const Placement& placement) {
    return placement.sections[0] != 0;
}
std::string text_of(const Placement& placement); // "split along 1"

// One way in which all processes together compute an operator of one result, or of several that are whole.
struct Way {
    std::vector<Placement> inputs;
    Placement result;
    bool is_shared() const { return result != whole; } // each computes a part of it
};

// Of the operators of a graph, for so many processes.
struct Sectioned;
class WaysOfGraph {
public:
    WaysOfGraph(const Graph& graph, std::int64_t count);
    ~WaysOfGraph();
    // The first one has everything whole. Only extents that are numbers, and multiples of the count, are split.
    std::vector<Way> of(const Node& node) const;

private:
    const Graph& m_graph;
    const std::int64_t m_count;
    const std::map<ValueId, Sectioned> m_sections;
};
bool can_share(OpId op); // WaysOfGraph knows more than the first one

} // namespace hidet::graph
