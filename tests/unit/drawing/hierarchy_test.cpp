// SPDX-License-Identifier: Apache-2.0
// What a drawing of nested groups promises, when it is made and when something is opened or added.
#include "app/session/drawing/hierarchy.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <map>
#include <string>

#include "lang/base/text.h"
#include "tests/unit/drawing/drawings.h"

using namespace hidet;
using namespace hidet::drawing;
using namespace hidet::test;

namespace {

ViewGroup group(Key key, std::uint32_t parent, bool is_open) {
    return {key, parent, is_open, {90, 32}, {70, 20}};
}

GroupView view_of(const FlatGraph& flat) {
    GroupView view;
    view.groups.push_back(group(1000000, 0, true));
    for (std::uint32_t i = 0; i < flat.nodes.size(); ++i) {
        const FlatNode& node = flat.nodes[i];
        view.nodes.push_back({i + 1, node.size, node.inputs, node.outputs, 0});
    }
    view.edges = flat.edges;
    return view;
}

// Groups of neighbours in groups of neighbours; some of nodes that are no neighbours, so that cycles arise.
GroupView random_view(std::uint64_t seed) {
    Random random(seed);
    GroupView view = view_of(random_graph(seed, 20 + random.below(80), 10 * random.below(6)));
    const std::uint32_t outer = 2 + random.below(4), inner = 2 + random.below(3);
    for (std::uint32_t i = 0; i < outer; ++i)
        view.groups.push_back(group(2000000 + i, 0, random.below(4) > 0));
    for (std::uint32_t i = 0; i < outer * inner; ++i)
        view.groups.push_back(group(3000000 + i, 1 + i / inner, random.below(2) == 0));
    const std::uint32_t count = static_cast<std::uint32_t>(view.nodes.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t at = random.below(12) == 0 ? random.below(count) : i;
        const std::uint32_t small = at * outer * inner / count;
        view.nodes[i].group = random.below(5) == 0 ? 1 + small / inner : 1 + outer + small;
        if (random.below(15) == 0)
            view.nodes[i].group = 0;
    }
    return view;
}

bool is_within(const Box& inner, const Box& outer) {
    return inner.at.x >= outer.at.x - 1e-6 && inner.at.y >= outer.at.y - 1e-6 &&
           inner.at.x + inner.size.width <= outer.at.x + outer.size.width + 1.1 &&
           inner.at.y + inner.size.height <= outer.at.y + outer.size.height + 1e-6;
}
bool overlap(const Box& a, const Box& b) {
    return a.at.x < b.at.x + b.size.width - 1e-6 && b.at.x < a.at.x + a.size.width - 1e-6 &&
           a.at.y < b.at.y + b.size.height - 1e-6 && b.at.y < a.at.y + a.size.height - 1e-6;
}
const Box& box_of(const ViewDrawing& layout, Item item) {
    return item.is_group ? layout.groups[item.index] : layout.nodes[item.index];
}
bool passes(Point a, Point b, const Box& box) {
    const double left = std::min(a.x, b.x) - 0.3, right = std::max(a.x, b.x) + 0.3;
    return left < box.at.x + box.size.width - 0.6 && box.at.x + 0.6 < right &&
           a.y < box.at.y + box.size.height - 1e-6 && box.at.y < b.y - 1e-6;
}

std::string fault_of_boxes(const GroupView& view, const ViewDrawing& layout) {
    std::vector<Box> shown;
    for (std::uint32_t i = 0; i < view.nodes.size(); ++i) {
        if (!layout.nodes[i].is_shown)
            continue;
        shown.push_back(layout.nodes[i]);
        if (layout.nodes[i].level != view.nodes[i].group ||
            !is_within(layout.nodes[i], layout.groups[view.nodes[i].group]))
            return "node " + std::to_string(i) + " is not within its group";
    }
    for (std::uint32_t i = 1; i < view.groups.size(); ++i) {
        if (!layout.groups[i].is_shown)
            continue;
        shown.push_back(layout.groups[i]);
        if (!is_within(layout.groups[i], layout.groups[view.groups[i].parent]))
            return "group " + std::to_string(i) + " is not within its parent";
    }
    for (const Stub& stub : layout.stubs)
        shown.push_back(stub.box);
    for (std::size_t a = 0; a < shown.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (shown[a].level == shown[b].level && overlap(shown[a], shown[b]))
                return "boxes overlap in group " + std::to_string(shown[a].level);
    return {};
}

std::string fault_of_edges(const GroupView& view, const ViewDrawing& layout) {
    for (const ShownEdge& edge : layout.edges) {
        const std::string name = "edge " + std::to_string(edge.edge);
        const auto route = layout.route(edge);
        if (edge.is_cut)
            continue;
        const Box &from = box_of(layout, edge.from), &to = box_of(layout, edge.to);
        if (!from.is_shown || !to.is_shown || route.size() < 2)
            return name + " is not between shown boxes";
        if (std::abs(route.front().y - from.at.y - from.size.height) > 1e-6 ||
            std::abs(route.back().y - to.at.y) > 1e-6)
            return name + " does not reach from box to box";
        for (std::size_t k = 1; k < route.size(); ++k) {
            if (route[k].y < route[k - 1].y - 1e-6)
                return name + " goes up";
            for (std::uint32_t n = 0; n < view.nodes.size(); ++n)
                if (layout.nodes[n].is_shown && passes(route[k - 1], route[k], layout.nodes[n]))
                    return name + " passes through node " + std::to_string(n);
        }
    }
    return {};
}

TEST_CASE("random views: boxes lie in their groups, edges go down from box to box") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const GroupView view = random_view(seed);
        DrawingMemory memory;
        const ViewDrawing layout = lay_out(view, {}, memory);
        std::string fault = fault_of_boxes(view, layout);
        if (fault.empty())
            fault = fault_of_edges(view, layout);
        if (!fault.empty())
            FAIL("seed ", std::to_string(seed), ": ", fault);
    }
}

// A chain of `blocks` groups of four nodes.
GroupView chain_of_groups(std::uint32_t blocks, bool is_open) {
    std::string edges;
    for (std::uint32_t i = 0; i + 1 < 4 * blocks; ++i)
        edges += std::to_string(i) + ">" + std::to_string(i + 1) + " ";
    GroupView view = view_of(graph_of(edges));
    for (std::uint32_t i = 0; i < blocks; ++i)
        view.groups.push_back(group(2000000 + i, 0, is_open));
    for (std::uint32_t i = 0; i < view.nodes.size(); ++i)
        view.nodes[i].group = 1 + i / 4;
    return view;
}

TEST_CASE("opening a group lays out it and what is around it, once") {
    GroupView view = chain_of_groups(12, false);
    DrawingMemory memory;
    REQUIRE(lay_out(view, {}, memory).laid_out == 1u);
    view.groups[5].is_open = true;
    REQUIRE(lay_out(view, {}, memory).laid_out == 2u);
    view.groups[7].is_open = true;
    REQUIRE(lay_out(view, {}, memory).laid_out == 1u); // the same as what is in the other one
    view.groups[7].is_open = false;
    REQUIRE(lay_out(view, {}, memory).laid_out == 0u);
}

TEST_CASE("the header of an opened or closed group stays where it was") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        GroupView view = random_view(seed);
        DrawingMemory memory;
        const ViewDrawing before = lay_out(view, {}, memory);
        for (std::uint32_t i = 1; i < view.groups.size(); ++i) {
            if (!before.groups[i].is_shown)
                continue;
            view.groups[i].is_open = !view.groups[i].is_open;
            const Anchor anchor{{true, i}, before.groups[i].at};
            const ViewDrawing after = lay_out(view, {}, memory, &anchor);
            REQUIRE(std::abs(after.groups[i].at.x + after.shift.x - anchor.at.x) < 1e-9);
            REQUIRE(std::abs(after.groups[i].at.y + after.shift.y - anchor.at.y) < 1e-9);
            view.groups[i].is_open = !view.groups[i].is_open;
        }
    }
}

// Nodes of one layer from left to right.
std::map<double, std::vector<Key>> rows(const GroupView& view, const ViewDrawing& layout, std::size_t count) {
    std::map<double, std::vector<std::pair<double, Key>>> sorted;
    for (std::size_t i = 0; i < count; ++i) {
        const Box& box = layout.nodes[i];
        sorted[std::round(box.at.y + box.size.height / 2)].push_back({box.at.x, view.nodes[i].key});
    }
    std::map<double, std::vector<Key>> result;
    for (auto& [y, row] : sorted) {
        std::sort(row.begin(), row.end());
        for (const auto& [x, key] : row)
            result[y].push_back(key);
    }
    return result;
}

TEST_CASE("a new node does not change the order or the layers of the others") {
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        FlatGraph flat = random_graph(seed, 40, 40);
        for (FlatNode& node : flat.nodes)
            node.size.height = 28;
        GroupView view = view_of(flat);
        ViewOptions options;
        options.longest = options.most_consumers = 0;
        options.flat.keeps_layers = true;
        DrawingMemory memory;
        const ViewDrawing before = lay_out(view, options, memory);
        Random random(seed);
        const std::uint32_t count = static_cast<std::uint32_t>(view.nodes.size());
        view.nodes.push_back({count + 1, {50, 28}, 1, 1, 0});
        view.edges.push_back({random.below(count), count, 0, 0});
        const ViewDrawing after = lay_out(view, options, memory);
        REQUIRE(fault_of_boxes(view, after) == "");
        const auto first = rows(view, before, count), second = rows(view, after, count);
        // A row below all others may be new.
        REQUIRE(first == second);
    }
}

TEST_CASE("a value with many consumers is cut into stubs") {
    std::string edges = "0>1 ";
    for (int i = 2; i < 22; ++i)
        edges += std::to_string(i - 1) + ">" + std::to_string(i) + " 0>" + std::to_string(i) + " ";
    const GroupView view = view_of(graph_of(edges));
    DrawingMemory memory;
    const ViewDrawing layout = lay_out(view, {}, memory);
    REQUIRE(fault_of_boxes(view, layout) == "");
    REQUIRE(layout.crossings == 0u);
    REQUIRE(std::count_if(layout.stubs.begin(), layout.stubs.end(), [](const Stub& s) { return s.is_source; }) == 1);
    REQUIRE(std::count_if(layout.edges.begin(), layout.edges.end(), [](const ShownEdge& e) { return e.is_cut; }) == 21);
    ViewOptions options;
    options.most_consumers = 0;
    REQUIRE(lay_out(view, options, memory).stubs.size() == 0u);
}

TEST_CASE("a chain stands straight where all else that it reads is cut") {
    std::string edges = "0>1 ";
    for (int i = 2; i < 42; ++i)
        edges += cat(i - 1, ">", i, " 0>", i, " ");
    const GroupView view = view_of(graph_of(edges));
    DrawingMemory memory;
    const ViewDrawing layout = lay_out(view, {}, memory);
    REQUIRE(!layout.stubs.empty());
    const auto middle = [&](std::size_t i) { return layout.nodes[i].at.x + layout.nodes[i].size.width / 2; };
    for (std::size_t i = 2; i < 42; ++i)
        REQUIRE(std::abs(middle(i) - middle(1)) <= 1);
}

TEST_CASE("a way leads to every stub") {
    std::string edges = "0>1 ";
    for (int i = 2; i < 22; ++i)
        edges += std::to_string(i - 1) + ">" + std::to_string(i) + " 0>" + std::to_string(i) + " ";
    GroupView view = view_of(graph_of(edges));
    view.groups.push_back(group(7, 0, true));
    for (std::uint32_t i = 1; i < 22; ++i)
        view.nodes[i].group = 1;
    DrawingMemory memory;
    const ViewDrawing layout = lay_out(view, {}, memory);
    REQUIRE(!layout.stubs.empty());
    for (const Stub& stub : layout.stubs) {
        const auto way = layout.route(stub);
        REQUIRE(way.size() >= 2);
        const Point end = stub.is_source ? way.back() : way.front();
        const double side = stub.is_source ? stub.box.at.y : stub.box.at.y + stub.box.size.height;
        REQUIRE(std::abs(end.y - side) < 1e-6);
        REQUIRE((end.x > stub.box.at.x && end.x < stub.box.at.x + stub.box.size.width));
    }
    // The value comes into the group once, and from there to stubs: no line leads over what was cut.
    for (const std::uint32_t gap : layout.gaps)
        REQUIRE((gap > 0 && gap < layout.points.size()));
}

TEST_CASE("an open group is no higher than it must be") {
    GroupView view = view_of(graph_of("0>1 1>2 2>3 3>4"));
    view.groups.push_back(group(7, 0, true));
    for (std::uint32_t i = 1; i < 4; ++i)
        view.nodes[i].group = 1;
    DrawingMemory memory;
    const ViewOptions options;
    const ViewDrawing layout = lay_out(view, options, memory);
    const Box &hull = layout.groups[1], &first = layout.nodes[1], &last = layout.nodes[3];
    REQUIRE(first.at.y - hull.at.y == view.groups[1].header.height + options.flat.pin_gap);
    REQUIRE(hull.at.y + hull.size.height - last.at.y - last.size.height == options.flat.pin_gap);
    // Without ports there is the padding.
    GroupView alone = view_of(graph_of("0>1"));
    alone.groups.push_back(group(7, 0, true));
    alone.nodes[0].group = alone.nodes[1].group = 1;
    const ViewDrawing padded = lay_out(alone, options, memory);
    REQUIRE(padded.nodes[0].at.y == alone.groups[1].header.height + options.padding);
}

TEST_CASE("groups that read each other are cut apart") {
    // Closed, the two groups read each other.
    GroupView view = view_of(graph_of("0>1 1>2 2>3 0>3"));
    view.groups.push_back(group(7, 0, false));
    view.groups.push_back(group(8, 0, false));
    for (std::uint32_t i = 0; i < 4; ++i)
        view.nodes[i].group = 1 + i % 2;
    DrawingMemory memory;
    const ViewDrawing layout = lay_out(view, {}, memory);
    REQUIRE(fault_of_boxes(view, layout) == "");
    REQUIRE(fault_of_edges(view, layout) == "");
    REQUIRE(layout.stubs.size() == 2u);
    REQUIRE(!layout.nodes[0].is_shown);
}

TEST_CASE("edges of one value into a closed group are one") {
    GroupView view = view_of(graph_of("0>1 0>2 0>3"));
    view.groups.push_back(group(7, 0, false));
    for (std::uint32_t i = 1; i < 4; ++i)
        view.nodes[i].group = 1;
    DrawingMemory memory;
    const ViewDrawing layout = lay_out(view, {}, memory);
    REQUIRE(layout.edges.size() == 1u);
    REQUIRE(layout.edges[0].count == 3u);
}

} // namespace

TEST_CASE("the same view is drawn the same way") {
    const GroupView view = random_view(4);
    DrawingMemory first, second;
    REQUIRE(lay_out(view, {}, first).points == lay_out(view, {}, second).points);
}

TEST_CASE("an empty view has no size") {
    DrawingMemory memory;
    GroupView view;
    REQUIRE(lay_out(view, {}, memory).size.width == 0.0);
    view.groups.push_back(group(1, 0, true));
    REQUIRE(lay_out(view, {}, memory).size.width == 0.0);
}

TEST_CASE("a cancelled layout says so") {
    const std::atomic<bool> cancelled = true;
    ViewOptions options;
    options.flat.cancelled = &cancelled;
    DrawingMemory memory;
    REQUIRE(lay_out(random_view(2), options, memory).is_cancelled);
}
