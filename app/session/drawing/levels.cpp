// SPDX-License-Identifier: Apache-2.0
#include "app/session/drawing/levels.h"

#include <algorithm>

namespace hidet::drawing {

namespace {

struct EdgeKey {
    std::uint32_t level, from, output, to, input;
    bool operator==(const EdgeKey&) const = default;
};
struct HashEdgeKey {
    std::size_t operator()(const EdgeKey& key) const {
        std::uint64_t hash = key.level;
        for (std::uint32_t part : {key.from, key.output, key.to, key.input})
            hash = (hash ^ part) * 0x9E3779B97F4A7C15ull, hash ^= hash >> 29;
        return static_cast<std::size_t>(hash);
    }
};

class Taker {
public:
    explicit Taker(const GroupView& view) : m_view(view) {}

    Levels take() {
        find_shown();
        fill_levels();
        number_values();
        for (std::uint32_t i = 0; i < m_view.edges.size(); ++i)
            add_edge(i);
        return std::move(m_result);
    }

private:
    void find_shown() {
        const std::size_t count = m_view.groups.size();
        m_closed.assign(count, kNoGroup);
        m_depth.assign(count, 0);
        m_result.levels.resize(count);
        m_result.inputs.resize(count);
        m_result.outputs.resize(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            const ViewGroup& group = m_view.groups[i];
            if (i > 0) {
                m_closed[i] = m_closed[group.parent];
                m_depth[i] = m_depth[group.parent] + 1;
            }
            if (m_closed[i] == kNoGroup && i > 0 && !group.is_open)
                m_closed[i] = i;
            m_result.levels[i].is_shown = m_closed[i] == kNoGroup;
        }
    }

    // What is in a group stands in the order of nodes; a group where its first node is.
    void fill_levels() {
        std::vector<std::uint32_t> first(m_view.groups.size(), UINT32_MAX);
        for (std::uint32_t i = 0; i < m_view.nodes.size(); ++i)
            first[m_view.nodes[i].group] = std::min(first[m_view.nodes[i].group], i);
        for (std::size_t i = m_view.groups.size(); i-- > 1;)
            first[m_view.groups[i].parent] = std::min(first[m_view.groups[i].parent], first[i]);
        struct Entry {
            std::uint32_t first;
            Item item;
        };
        std::vector<Entry> entries;
        for (std::uint32_t i = 0; i < m_view.nodes.size(); ++i)
            if (m_closed[m_view.nodes[i].group] == kNoGroup)
                entries.push_back({i, {false, i}});
        for (std::uint32_t i = 1; i < m_view.groups.size(); ++i)
            if (m_closed[m_view.groups[i].parent] == kNoGroup)
                entries.push_back({first[i], {true, i}});
        std::stable_sort(entries.begin(), entries.end(),
                         [](const Entry& a, const Entry& b) { return a.first < b.first; });
        m_result.node_at.assign(m_view.nodes.size(), UINT32_MAX);
        m_result.group_at.assign(m_view.groups.size(), UINT32_MAX);
        for (const Entry& entry : entries) {
            Level& level = m_result.levels[parent_of(entry.item)];
            at(entry.item) = static_cast<std::uint32_t>(level.items.size());
            level.items.push_back(entry.item);
            level.graph.nodes.push_back(flat_node(entry.item));
        }
    }
    FlatNode flat_node(Item item) const {
        FlatNode node;
        if (item.is_group) {
            node.size = m_view.groups[item.index].closed;
            node.has_free_ports = true;
            return node;
        }
        const ViewNode& shown = m_view.nodes[item.index];
        node.size = shown.size;
        node.inputs = shown.inputs;
        node.outputs = shown.outputs;
        return node;
    }

    // Outputs of nodes from 0 on.
    void number_values() {
        std::uint32_t next = 0;
        for (const ViewNode& node : m_view.nodes) {
            m_first_value.push_back(next);
            next += std::max(node.outputs, 1u);
        }
    }

    std::uint32_t parent_of(Item item) const {
        return item.is_group ? m_view.groups[item.index].parent : m_view.nodes[item.index].group;
    }
    std::uint32_t& at(Item item) {
        return item.is_group ? m_result.group_at[item.index] : m_result.node_at[item.index];
    }
    Item shown(std::uint32_t node) const {
        const std::uint32_t closed = m_closed[m_view.nodes[node].group];
        return closed == kNoGroup ? Item{false, node} : Item{true, closed};
    }

    std::uint32_t output_port(Item item, std::uint32_t value, const FlatEdge& edge) {
        return item.is_group ? m_result.outputs[item.index].port(value) : edge.output;
    }
    std::uint32_t input_port(Item item, std::uint32_t value, const FlatEdge& edge) {
        return item.is_group ? m_result.inputs[item.index].port(value) : edge.input;
    }
    // The port's own box within the group.
    std::uint32_t boundary(std::uint32_t group, std::uint32_t port, bool is_input) {
        Level& level = m_result.levels[group];
        std::vector<std::uint32_t>& boxes = is_input ? level.inputs : level.outputs;
        if (port == boxes.size()) {
            FlatNode node;
            node.pin = is_input ? Pin::Top : Pin::Bottom;
            boxes.push_back(static_cast<std::uint32_t>(level.graph.nodes.size()));
            level.graph.nodes.push_back(node);
        }
        return boxes[port];
    }

    void add_edge(std::uint32_t id) {
        const FlatEdge& edge = m_view.edges[id];
        Item from = shown(edge.from), to = shown(edge.to);
        if (from == to)
            return;
        const std::uint32_t value = m_first_value[edge.from] + edge.output;
        // Equal shown edges have equal pieces.
        const EdgeKey whole{from.is_group, from.index, value, to.index * 2 + to.is_group, to.is_group ? 0 : edge.input};
        const auto [known, is_new] = m_shown.try_emplace(whole, static_cast<std::uint32_t>(m_result.edges.size()));
        if (!is_new) {
            ++m_result.edges[known->second].count;
            return;
        }
        m_result.edges.push_back({from, to, id});
        std::vector<Piece>& pieces = m_result.pieces.emplace_back();
        std::vector<Piece> last; // the way down into the target's groups, from the inside out
        std::uint32_t a = parent_of(from), b = parent_of(to);
        while (a != b) {
            if (m_depth[a] >= m_depth[b]) {
                const std::uint32_t port = m_result.outputs[a].port(value);
                const std::uint32_t side = boundary(a, port, false);
                pieces.push_back(piece(a, {at(from), side, output_port(from, value, edge), 0}, id));
                from = {true, a};
                a = m_view.groups[a].parent;
            } else {
                const std::uint32_t port = m_result.inputs[b].port(value);
                const std::uint32_t side = boundary(b, port, true);
                last.push_back(piece(b, {side, at(to), 0, input_port(to, value, edge)}, id));
                to = {true, b};
                b = m_view.groups[b].parent;
            }
        }
        pieces.push_back(piece(a, {at(from), at(to), output_port(from, value, edge), input_port(to, value, edge)}, id));
        pieces.insert(pieces.end(), last.rbegin(), last.rend());
    }
    Piece piece(std::uint32_t level, FlatEdge edge, std::uint32_t id) {
        Level& in = m_result.levels[level];
        const EdgeKey key{level, edge.from, edge.output, edge.to, edge.input};
        const auto [known, is_new] = m_pieces.try_emplace(key, static_cast<std::uint32_t>(in.graph.edges.size()));
        if (is_new) {
            in.graph.edges.push_back(edge);
            in.view_edge.push_back(id);
        }
        return {level, known->second};
    }

    const GroupView& m_view;
    Levels m_result;
    std::vector<std::uint32_t> m_closed; // the outermost closed group around everything in a group, or none
    std::vector<std::uint32_t> m_depth;
    std::vector<std::uint32_t> m_first_value; // of every node
    std::unordered_map<EdgeKey, std::uint32_t, HashEdgeKey> m_shown, m_pieces;
};

} // namespace

Levels take_apart(const GroupView& view) {
    return Taker(view).take();
}

} // namespace hidet::drawing
