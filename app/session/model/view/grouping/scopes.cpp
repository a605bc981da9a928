// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/grouping/scopes.h"

#include <algorithm>
#include <map>

namespace hidet::session::grouping {

using namespace graph;

namespace {

constexpr std::uint32_t kUnknown = UINT32_MAX;
constexpr std::size_t kDeepest = 32; // scopes within each other

bool is_number(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "/encoder/layer.0/attention/MatMul", "encoder.layer.0.attention/node_12" and "encoder.layer.0.attention.weight": encoder,
// layer.0, attention. What follows the last separator names the thing itself.
std::vector<std::string> path_of(std::string_view name, char separator) {
    const std::size_t last = name.rfind(separator);
    std::string_view rest = last == std::string_view::npos ? std::string_view() : name.substr(0, last);
    std::vector<std::string> parts;
    while (!rest.empty() && parts.size() < kDeepest) {
        const std::size_t end = rest.find_first_of("/.");
        const std::string_view part = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        if (part.empty())
            continue;
        if (is_number(part) && !parts.empty())
            parts.back() += "." + std::string(part);
        else
            parts.emplace_back(part);
    }
    return parts;
}

class Finder {
public:
    Finder(const Graph& graph, const std::vector<NodeId>& order) : m_graph(graph), m_order(order) {}

    Scopes find() {
        m_result.scopes.push_back({0, ""});
        m_result.of_node.assign(m_graph.node_slots(), kUnknown);
        for (NodeId id : m_order)
            m_result.of_node[id.index] = named(id);
        fill_between();
        return std::move(m_result);
    }

private:
    std::uint32_t enter(const std::vector<std::string>& path) {
        std::uint32_t scope = 0;
        for (const std::string& part : path) {
            const auto [known, is_new] =
                m_known.try_emplace({scope, part}, static_cast<std::uint32_t>(m_result.scopes.size()));
            if (is_new)
                m_result.scopes.push_back({scope, part});
            scope = known->second;
        }
        return scope;
    }
    std::uint32_t named(NodeId id) {
        const Node& node = m_graph.node(id);
        if (node.name.find('/') != std::string::npos)
            return enter(path_of(node.name, '/'));
        for (ValueId input : node.inputs) {
            if (!input.valid() || !m_graph.value(input).is_constant())
                continue;
            const std::string& name = m_graph.value(input).name;
            if (name.find('.') != std::string::npos && name.find("::") == std::string::npos)
                return enter(path_of(name, '.'));
        }
        return kUnknown;
    }

    // What is known of the last producer before, and of the first reader after, each from its nearest known operator.
    void fill_between() {
        const std::size_t count = m_order.size();
        std::vector<std::uint32_t> place(m_graph.node_slots(), 0);
        for (std::uint32_t i = 0; i < count; ++i)
            place[m_order[i].index] = i;
        std::vector<std::uint32_t> above(m_result.of_node), below(m_result.of_node);
        for (NodeId id : m_order) {
            if (above[id.index] != kUnknown)
                continue;
            std::uint32_t last = 0;
            for (ValueId input : m_graph.node(id).inputs) {
                if (!input.valid() || !m_graph.value(input).producer.valid())
                    continue;
                const NodeId from = m_graph.value(input).producer;
                if (above[from.index] != kUnknown && (above[id.index] == kUnknown || place[from.index] >= last)) {
                    last = place[from.index];
                    above[id.index] = above[from.index];
                }
            }
        }
        for (std::size_t i = count; i-- > 0;) {
            const NodeId id = m_order[i];
            if (below[id.index] != kUnknown)
                continue;
            std::uint32_t first = UINT32_MAX;
            for (ValueId output : m_graph.node(id).outputs)
                for (const Use& use : m_graph.value(output).uses)
                    if (below[use.node.index] != kUnknown && place[use.node.index] < first) {
                        first = place[use.node.index];
                        below[id.index] = below[use.node.index];
                    }
        }
        for (NodeId id : m_order) {
            std::uint32_t& scope = m_result.of_node[id.index];
            if (scope != kUnknown)
                continue;
            const std::uint32_t a = above[id.index], b = below[id.index];
            const std::uint32_t between = a == kUnknown || b == kUnknown ? 0 : m_result.common(a, b);
            const std::uint32_t behind = around_producers(id);
            scope = between != 0 && depth(behind) <= depth(between) + 1 ? between : behind;
        }
    }
    std::uint32_t around_producers(NodeId id) const {
        std::uint32_t scope = kUnknown;
        for (ValueId input : m_graph.node(id).inputs) {
            if (!input.valid() || m_graph.value(input).is_constant())
                continue;
            if (!m_graph.value(input).producer.valid())
                return 0; // an input of the model
            const std::uint32_t other = m_result.of_node[m_graph.value(input).producer.index];
            scope = scope == kUnknown ? other : m_result.common(scope, other);
        }
        return scope == kUnknown ? 0 : scope;
    }
    std::size_t depth(std::uint32_t scope) const {
        std::size_t count = 0;
        for (; scope != 0; scope = m_result.scopes[scope].parent)
            ++count;
        return count;
    }

    const Graph& m_graph;
    const std::vector<NodeId>& m_order;
    Scopes m_result;
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> m_known;
};

} // namespace

std::uint32_t Scopes::common(std::uint32_t a, std::uint32_t b) const {
    while (a != b) // parents have smaller numbers
        (a > b ? a : b) = scopes[std::max(a, b)].parent;
    return a;
}

Scopes scopes_of(const Graph& graph, const std::vector<NodeId>& order) {
    return Finder(graph, order).find();
}

} // namespace hidet::session::grouping
