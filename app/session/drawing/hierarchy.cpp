// SPDX-License-Identifier: Apache-2.0
// From the inside out: a group's layout says how large its box is and where its ports are, which is all that the group
// around it needs. Then from the outside in: places become those of the whole drawing.
#include "app/session/drawing/hierarchy.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/session/drawing/levels.h"
#include "app/session/drawing/stubs.h"

namespace hidet::drawing {

namespace {

constexpr std::uint64_t kRounds = 8; // that a layout is kept without being used

class Hash {
public:
    void add(unsigned long long value) {
        m_state = (m_state ^ value) * 0x9E3779B97F4A7C15ull;
        m_state ^= m_state >> 32;
    }
    void add(double value) { add(std::bit_cast<unsigned long long>(value)); }
    std::uint64_t value() const { return m_state; }

private:
    std::uint64_t m_state = 0x243F6A8885A308D3ull;
};

std::uint64_t hash_of(const FlatGraph& graph, const FlatOptions& options) {
    Hash hash;
    for (double length : {options.layer_gap, options.pin_gap, options.node_gap, options.edge_gap})
        hash.add(length);
    hash.add(static_cast<unsigned long long>(options.ports) + 4ull * options.has_trunks + 8ull * options.keeps_layers +
             16ull * options.effort);
    hash.add(static_cast<unsigned long long>(graph.nodes.size()));
    for (const FlatNode& node : graph.nodes) {
        hash.add(node.size.width);
        hash.add(node.size.height);
        hash.add(static_cast<unsigned long long>(node.inputs) << 32 | node.outputs);
        hash.add(static_cast<unsigned long long>(node.pin) + 4ull * node.has_free_ports);
        for (const std::vector<double>* at : {&node.input_at, &node.output_at})
            for (double place : *at)
                hash.add(place);
    }
    for (const FlatEdge& edge : graph.edges) {
        hash.add(static_cast<unsigned long long>(edge.from) << 32 | edge.to);
        hash.add(static_cast<unsigned long long>(edge.output) << 32 | edge.input);
    }
    return hash.value();
}

class ViewPlacer {
public:
    ViewPlacer(const GroupView& view, const ViewOptions& options, DrawingMemory& memory)
        : m_view(view), m_options(options), m_memory(memory), m_levels(take_apart(view)) {}

    ViewDrawing run(const Anchor* anchor) {
        ++m_memory.round;
        m_placed.resize(m_view.groups.size());
        for (std::uint32_t i = static_cast<std::uint32_t>(m_view.groups.size()); i-- > 0;) {
            if (!m_levels.levels[i].is_shown || place_group(i))
                continue;
            ViewDrawing cancelled;
            cancelled.is_cancelled = true;
            return cancelled;
        }
        m_memory.forget_unused();
        spread();
        for (std::uint32_t i = 0; i < m_levels.edges.size(); ++i)
            route(i);
        if (anchor) {
            const Box& box =
                anchor->item.is_group ? m_layout.groups[anchor->item.index] : m_layout.nodes[anchor->item.index];
            if (box.is_shown)
                m_layout.shift = {anchor->at.x - box.at.x, anchor->at.y - box.at.y};
        }
        return std::move(m_layout);
    }

private:
    struct Placed {
        CutGraph cut;
        std::vector<std::uint32_t> cut_edge_of; // flat edge -> edge of the cut graph, or none
        FlatDrawing layout;
        Point inner; // of the layout in the group's box
        Size box;
    };

    Key key_of(Item item) const { return item.is_group ? m_view.groups[item.index].key : m_view.nodes[item.index].key; }

    bool place_group(std::uint32_t group) {
        Level& level = m_levels.levels[group];
        for (std::uint32_t i = 0; i < level.items.size(); ++i)
            if (level.items[i].is_group)
                describe_group(level.items[i].index, level.graph.nodes[i]);
        Placed& placed = m_placed[group];
        const CutLimits limits{m_options.longest, m_options.most_consumers};
        const std::vector<char> is_cut = edges_to_cut(level.graph, limits, m_options.flat);
        placed.cut = cut(level.graph, is_cut, m_options.stub);
        placed.cut_edge_of.assign(level.graph.edges.size(), UINT32_MAX);
        for (std::uint32_t i = 0; i < placed.cut.edge_of.size(); ++i)
            if (!is_cut[placed.cut.edge_of[i]])
                placed.cut_edge_of[placed.cut.edge_of[i]] = i;
        if (!find_layout(group, level, placed))
            return false;
        m_layout.crossings += placed.layout.crossings;
        measure(group, placed);
        return true;
    }

    // Ports of an open group are where its layout has them.
    void describe_group(std::uint32_t group, FlatNode& node) {
        node.inputs = static_cast<std::uint32_t>(m_levels.inputs[group].values.size());
        node.outputs = static_cast<std::uint32_t>(m_levels.outputs[group].values.size());
        const Level& inside = m_levels.levels[group];
        if (!inside.is_shown)
            return;
        const Placed& placed = m_placed[group];
        node.size = placed.box;
        node.has_free_ports = false;
        for (std::uint32_t port : inside.inputs)
            node.input_at.push_back(placed.inner.x + placed.layout.nodes[port].x);
        for (std::uint32_t port : inside.outputs)
            node.output_at.push_back(placed.inner.x + placed.layout.nodes[port].x);
    }

    bool find_layout(std::uint32_t group, const Level& level, Placed& placed) {
        const std::uint64_t hash = hash_of(placed.cut.graph, m_options.flat);
        if (const FlatDrawing* known = m_memory.find(hash)) {
            placed.layout = *known;
        } else {
            const auto places = m_memory.places.find(m_view.groups[group].key);
            if (places != m_memory.places.end())
                for (std::uint32_t i = 0; i < level.items.size(); ++i)
                    if (const auto at = places->second.find(key_of(level.items[i])); at != places->second.end())
                        placed.cut.graph.nodes[i].previous = at->second;
            placed.layout = lay_out(placed.cut.graph, m_options.flat);
            if (placed.layout.is_cancelled)
                return false;
            ++m_layout.laid_out;
            m_memory.keep(hash, placed.layout);
        }
        std::unordered_map<Key, Previous>& places = m_memory.places[m_view.groups[group].key];
        places.clear();
        for (std::uint32_t i = 0; i < level.items.size(); ++i)
            places[key_of(level.items[i])] = {placed.layout.nodes[i].x + level.graph.nodes[i].size.width / 2,
                                              placed.layout.layers[i]};
        return true;
    }

    // Widths are whole numbers, so that ports inside and outside are at the same place.
    void measure(std::uint32_t group, Placed& placed) const {
        if (group == 0) {
            placed.box = placed.layout.size;
            return;
        }
        const Size header = m_view.groups[group].header;
        const double inner = std::ceil(placed.layout.size.width), pad = m_options.padding;
        placed.box.width = std::max(inner + 2 * pad, std::ceil(header.width));
        const auto [above, below] = padding_of(placed, m_levels.levels[group]);
        placed.box.height = header.height + placed.layout.size.height + above + below;
        placed.inner = {std::floor((placed.box.width - inner) / 2), header.height + above};
    }
    // Above and below what is in a group: nothing where a layer of ports is on the side itself.
    std::pair<double, double> padding_of(const Placed& placed, const Level& level) const {
        const std::vector<std::uint32_t>& layers = placed.layout.layers;
        const std::uint32_t last = layers.empty() ? 0 : *std::max_element(layers.begin(), layers.end());
        bool is_first_free = !level.inputs.empty(), is_last_free = !level.outputs.empty();
        for (std::size_t i = 0; i < layers.size(); ++i) {
            if (placed.cut.graph.nodes[i].pin != Pin::None)
                continue;
            is_first_free &= layers[i] > 0;
            is_last_free &= layers[i] < last;
        }
        return {is_first_free ? 0 : m_options.padding, is_last_free ? 0 : m_options.padding};
    }

    // From the outside in.
    void spread() {
        m_layout.nodes.resize(m_view.nodes.size());
        m_layout.groups.resize(m_view.groups.size());
        m_origin.resize(m_view.groups.size());
        m_layout.size = m_placed[0].box;
        m_layout.groups[0] = {{0, 0}, m_placed[0].box, 0, true};
        for (std::uint32_t i = 0; i < m_view.groups.size(); ++i) {
            const Level& level = m_levels.levels[i];
            if (!level.is_shown)
                continue;
            const Placed& placed = m_placed[i];
            const Point corner = m_layout.groups[i].at;
            m_origin[i] = {corner.x + placed.inner.x, corner.y + placed.inner.y};
            const auto box_of = [&](std::uint32_t flat) {
                const Point at = placed.layout.nodes[flat];
                return Box{{m_origin[i].x + at.x, m_origin[i].y + at.y}, placed.cut.graph.nodes[flat].size, i, true};
            };
            for (std::uint32_t k = 0; k < level.items.size(); ++k) {
                const Item item = level.items[k];
                (item.is_group ? m_layout.groups : m_layout.nodes)[item.index] = box_of(k);
            }
            std::vector<std::uint32_t> stub_edge(placed.cut.stubs.size());
            for (std::uint32_t k = 0; k < placed.cut.graph.edges.size(); ++k)
                for (std::uint32_t end : {placed.cut.graph.edges[k].from, placed.cut.graph.edges[k].to})
                    if (end >= placed.cut.first_stub)
                        stub_edge[end - placed.cut.first_stub] = k;
            for (std::uint32_t k = 0; k < placed.cut.stubs.size(); ++k) {
                add_stub(level, placed.cut.stubs[k], box_of(placed.cut.first_stub + k), i);
                m_layout.stubs.back().first_point = static_cast<std::uint32_t>(m_layout.points.size());
                add_points(placed.layout.route(stub_edge[k]), i, m_layout.stubs.back().first_point);
                m_layout.stubs.back().points =
                    static_cast<std::uint32_t>(m_layout.points.size()) - m_layout.stubs.back().first_point;
            }
        }
    }
    void add_stub(const Level& level, const StubNode& stub, const Box& box, std::uint32_t group) {
        // A port at the side of a group stands for the group.
        const Item item = stub.node < level.items.size() ? level.items[stub.node] : Item{true, group};
        m_layout.stubs.push_back({box, item, level.view_edge[stub.edge], stub.is_source});
    }

    void route(std::uint32_t id) {
        ShownEdge edge = m_levels.edges[id];
        edge.first_point = static_cast<std::uint32_t>(m_layout.points.size());
        std::uint32_t first = edge.first_point; // since the last cut
        for (const Piece& piece : m_levels.pieces[id]) {
            const Placed& placed = m_placed[piece.level];
            const std::uint32_t flat = placed.cut_edge_of[piece.edge];
            if (flat == UINT32_MAX) {
                edge.is_cut = true;
                first = static_cast<std::uint32_t>(m_layout.points.size());
                continue;
            }
            if (first > edge.first_point && first == m_layout.points.size())
                m_layout.gaps.push_back(first);
            add_points(placed.layout.route(flat), piece.level, first);
        }
        edge.points = static_cast<std::uint32_t>(m_layout.points.size()) - edge.first_point;
        m_layout.edges.push_back(edge);
    }

    // A point that is there already is not added, from `first` on.
    void add_points(std::span<const Point> route, std::uint32_t group, std::uint32_t first) {
        for (Point point : route) {
            const Point at{m_origin[group].x + point.x, m_origin[group].y + point.y};
            if (m_layout.points.size() == first || !(m_layout.points.back() == at))
                m_layout.points.push_back(at);
        }
    }

    const GroupView& m_view;
    const ViewOptions& m_options;
    DrawingMemory& m_memory;
    Levels m_levels;
    std::vector<Placed> m_placed; // by group
    std::vector<Point> m_origin;  // of the layout of every open group
    ViewDrawing m_layout;
};

} // namespace

const FlatDrawing* DrawingMemory::find(std::uint64_t hash) {
    const auto found = m_entries.find(hash);
    if (found == m_entries.end())
        return nullptr;
    found->second.used = round;
    return &found->second.layout;
}

void DrawingMemory::keep(std::uint64_t hash, FlatDrawing layout) {
    m_entries[hash] = {std::move(layout), round};
}

void DrawingMemory::forget_unused() {
    std::erase_if(m_entries, [this](const auto& entry) { return entry.second.used + kRounds < round; });
}

ViewDrawing lay_out(const GroupView& view, const ViewOptions& options, DrawingMemory& memory, const Anchor* anchor) {
    return view.groups.empty() ? ViewDrawing() : ViewPlacer(view, options, memory).run(anchor);
}

} // namespace hidet::drawing
