// SPDX-License-Identifier: Apache-2.0
// A drawing of nested groups. An open group shows what is in it, a closed one is a box; every open group is a flat graph of
// its own (flat.h), laid out from the inside out and kept, so that opening one changes it and those around it alone.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "app/session/drawing/flat.h"

namespace hidet::drawing {

// Keys are the caller's: what has the same key in two views is the same thing.
using Key = std::uint64_t;

struct ViewNode {
    Key key = 0;
    Size size;
    std::uint32_t inputs = 1;
    std::uint32_t outputs = 1;
    std::uint32_t group = 0;
};

struct ViewGroup {
    Key key = 0;
    std::uint32_t parent = 0; // before the group itself
    bool is_open = true;
    Size closed; // as a box
    Size header; // of an open one: its height, and the width that it needs
};

struct GroupView {
    std::vector<ViewNode> nodes;   // producers first
    std::vector<ViewGroup> groups; // the first one is everything; it has no header
    std::vector<FlatEdge> edges;   // between nodes
};

struct ViewOptions {
    FlatOptions flat;
    double padding = 12;               // within the sides of an open group, where there are no ports
    std::uint32_t longest = 40;        // layers that an edge may span before it is cut; 0: any
    std::uint32_t most_consumers = 12; // of a value in one group before its edges are cut; 0: any
    Size stub = {64, 16};              // the tag at the end of a cut edge
};

// A node or a group.
struct Item {
    bool is_group = false;
    std::uint32_t index = 0;
    bool operator==(const Item&) const = default;
};

struct Box {
    Point at;
    Size size;
    std::uint32_t level = 0; // the open group that it is in
    bool is_shown = false;
};

// A value on its way from one shown item to another. Edges that look the same are one.
struct ShownEdge {
    Item from, to;
    std::uint32_t edge = 0;  // the first of them, of the view
    std::uint32_t count = 1; // how many
    std::uint32_t first_point = 0, points = 0;
    bool is_cut = false; // somewhere on its way there are two stubs instead
};

// Where a cut edge ends or goes on.
struct Stub {
    Box box;
    Item item;                                 // that it hangs on
    std::uint32_t edge = 0;                    // the first edge of the view that it stands for
    bool is_source = false;                    // below its producer
    std::uint32_t first_point = 0, points = 0; // the way between the two
};

struct ViewDrawing {
    Size size;
    Point shift; // to be added to all places, so that the anchor stays where it was
    std::vector<Box> nodes, groups;
    std::vector<ShownEdge> edges;
    std::vector<Point> points;
    std::vector<std::uint32_t> gaps; // points of cut edges to which no line leads from the one before; ascending
    std::vector<Stub> stubs;
    std::uint64_t crossings = 0;
    std::uint32_t laid_out = 0; // groups that were not in the memory
    bool is_cancelled = false;  // the rest is empty

    std::span<const Point> route(const ShownEdge& edge) const {
        return std::span(points).subspan(edge.first_point, edge.points);
    }
    std::span<const Point> route(const Stub& stub) const {
        return std::span(points).subspan(stub.first_point, stub.points);
    }
};

// Layouts of groups, by all that they depend on, and where everything in a group was the last time.
class DrawingMemory {
public:
    struct Entry {
        FlatDrawing layout;
        std::uint64_t used = 0;
    };
    const FlatDrawing* find(std::uint64_t hash);
    void keep(std::uint64_t hash, FlatDrawing layout);
    void forget_unused(); // what the last few layouts did not need

    std::unordered_map<Key, std::unordered_map<Key, Previous>> places; // by group, then by what is in it
    std::uint64_t round = 0;

private:
    std::unordered_map<std::uint64_t, Entry> m_entries;
};

// What stays in its place on the screen: the header that was clicked.
struct Anchor {
    Item item;
    Point at; // its upper left corner in the drawing before, shifted
};

// Edges of a node to itself are not drawn.
ViewDrawing lay_out(const GroupView& view, const ViewOptions& options, DrawingMemory& memory,
                    const Anchor* anchor = nullptr);

} // namespace hidet::drawing
