// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/graph_index.h"

#include <algorithm>

#include "compiler/graph/text/print_graph.h"

namespace hidet::session {

namespace {

std::vector<std::uint32_t> nodes_by_line(const std::string& text, const std::vector<graph::PrintedNode>& places) {
    std::vector<std::uint32_t> nodes;
    auto next = places.begin();
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const bool is_operator = next != places.end() && next->begin < end;
        nodes.push_back(is_operator ? next->node.index : no_id);
        while (next != places.end() && next->begin < end)
            ++next;
        begin = end + 1;
    }
    return nodes;
}

} // namespace

const GraphNode* ModelGraph::node(std::uint32_t id) const {
    const std::uint32_t place = index ? at_or_none(index->place_of_node, id) : no_id;
    return place == no_id ? nullptr : nodes[place].get();
}

const GraphValue* ModelGraph::value(std::uint32_t id) const {
    const std::uint32_t place = index ? at_or_none(index->place_of_value, id) : no_id;
    return place == no_id ? nullptr : values[place].get();
}

std::uint32_t ModelGraph::kernel_of(std::uint32_t node) const {
    return index ? at_or_none(index->kernel_of_node, node) : no_id;
}

const GraphMatch* ModelGraph::match_of(std::uint32_t node) const {
    const std::uint32_t match = index ? at_or_none(index->match_of_node, node) : no_id;
    return match == no_id ? nullptr : &matches[match];
}

const GraphText& ModelGraph::printed() const {
    static const GraphText nothing;
    if (!index)
        return nothing;
    std::call_once(index->print, [&] {
        std::vector<graph::PrintedNode> places;
        graph::PrintOptions options;
        options.places = &places;
        options.known = &index->hashes->hashes;
        const std::lock_guard lock(index->hashes->mutex);
        index->printed.text = graph::print_graph(*index->graph, options);
        index->printed.nodes = nodes_by_line(index->printed.text, places);
    });
    return index->printed;
}

} // namespace hidet::session
