// SPDX-License-Identifier: Apache-2.0
// A view taken apart: for every open group the flat graph of what is in it. A value that passes the side of a group gets a
// port there: a box without size, pinned to the top or bottom inside, and a port of the group's box outside.
#pragma once

#include <optional>

#include "app/session/drawing/hierarchy.h"
#include "app/session/drawing/stubs.h"

namespace hidet::drawing {

constexpr std::uint32_t kNoGroup = UINT32_MAX;

// Values that pass the sides of a group, in the order in which edges of the view bring them up.
struct GroupPorts {
    std::unordered_map<std::uint32_t, std::uint32_t> numbers; // value -> port
    std::vector<std::uint32_t> values;
    std::uint32_t port(std::uint32_t value) {
        const auto [at, is_new] = numbers.try_emplace(value, static_cast<std::uint32_t>(values.size()));
        if (is_new)
            values.push_back(value);
        return at->second;
    }
};

struct Level {
    bool is_shown = false;
    std::vector<Item> items;            // nodes of the flat graph from 0 on; then come the ports
    std::vector<std::uint32_t> inputs;  // flat node of every port at the top
    std::vector<std::uint32_t> outputs; // at the bottom
    FlatGraph graph;
    std::vector<std::uint32_t> view_edge; // of every flat edge: the first one that runs here
};

// One piece of a shown edge: a flat edge of a level.
struct Piece {
    std::uint32_t level = 0;
    std::uint32_t edge = 0;
};

struct Levels {
    std::vector<Level> levels;                    // by group
    std::vector<GroupPorts> inputs, outputs;      // by group
    std::vector<std::uint32_t> node_at, group_at; // their flat nodes, in the level that shows them
    std::vector<ShownEdge> edges;
    std::vector<std::vector<Piece>> pieces; // of shown edges, from the source to the target

    // Sizes and ports of groups are filled in when they are known; those of nodes are.
};

Levels take_apart(const GroupView& view);

} // namespace hidet::drawing
