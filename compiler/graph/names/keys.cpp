// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/names/keys.h"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "compiler/graph/names/value_names.h"
#include "lang/base/text_hash.h"

namespace hidet::graph {

namespace {

using Hash = std::uint64_t;
constexpr int most_rounds = 48;

Hash hash_of(std::string_view text) {
    return XXH3_64bits(text.data(), text.size());
}
Hash mixed(Hash a, Hash b) {
    const Hash both[] = {a, b};
    return XXH3_64bits(both, sizeof both);
}

std::string hexadecimal(Hash hash) {
    return hex_digits(hash >> 28, 9);
}

// How often each hash occurs, to find the ones that are alone.
class Counter {
public:
    explicit Counter(std::vector<Hash> hashes) : m_sorted(std::move(hashes)) { std::ranges::sort(m_sorted); }
    bool is_alone(Hash hash) const {
        const auto first = std::ranges::lower_bound(m_sorted, hash);
        return first + 1 == m_sorted.end() || *(first + 1) != hash;
    }

private:
    std::vector<Hash> m_sorted;
};

class Neighbourhoods {
public:
    Neighbourhoods(const Graph& graph, const std::vector<NodeId>& order) : m_graph(graph), m_order(order) {
        m_hashes.resize(graph.node_slots());
        for (NodeId node : order)
            m_hashes[node.index] = local(node);
    }
    Hash of(NodeId node) const { return m_hashes[node.index]; }

    // One step further around every node.
    void widen() {
        std::vector<Hash> next = m_hashes;
        for (NodeId node : m_order) {
            Hash hash = m_hashes[node.index];
            for (ValueId input : m_graph.node(node).inputs) {
                const Value& value = m_graph.value(input);
                hash = mixed(hash, value.producer.valid() ? mixed(m_hashes[value.producer.index], value.output) : 1);
            }
            Hash readers = 0; // in any order
            for (ValueId output : m_graph.node(node).outputs)
                for (const Use& use : m_graph.value(output).uses)
                    readers += mixed(m_hashes[use.node.index], use.input);
            next[node.index] = mixed(hash, readers);
        }
        m_hashes = std::move(next);
    }

private:
    Hash local(NodeId id) const {
        const Node& node = m_graph.node(id);
        std::string text = node.op->name;
        for (const auto& [name, value] : node.attributes.items())
            text += "\n" + name + "=" + text_of(value);
        for (ValueId input : node.inputs)
            text += "\n" + described(m_graph.value(input));
        for (ValueId output : node.outputs)
            text += "\n> " + text_of(m_graph.value(output).spec) + (m_graph.is_output(output) ? " result" : "");
        return hash_of(text);
    }
    static std::string described(const Value& value) {
        std::string text = text_of(value.spec);
        if (value.is_constant())
            text += " constant";
        if (!value.producer.valid() || is_lasting_name(value.name))
            text += is_lasting_name(value.name) ? " " + value.name : "";
        return text;
    }

    const Graph& m_graph;
    const std::vector<NodeId>& m_order;
    std::vector<Hash> m_hashes; // by node
};

} // namespace

NodeKeys::NodeKeys(const Graph& graph) : m_keys(graph.node_slots()) {
    const std::vector<NodeId> order = graph.topological();
    const auto take = [&](NodeId node, const std::string& key) {
        if (!m_nodes.emplace(key, node).second)
            return false;
        m_keys[node.index] = key;
        return true;
    };
    std::vector<NodeId> nameless;
    for (NodeId id : order) {
        const Node& node = graph.node(id);
        const std::string& result = graph.value(node.outputs.front()).name;
        const bool is_named =
            (is_lasting_name(node.name) && take(id, node.name)) || (is_lasting_name(result) && take(id, result));
        if (!is_named)
            nameless.push_back(id);
    }

    Neighbourhoods around(graph, order);
    for (int round = 0; !nameless.empty() && round < most_rounds; ++round) {
        std::vector<Hash> hashes = transformed(order, [&](NodeId node) { return around.of(node); });
        const Counter counter(std::move(hashes));
        std::erase_if(nameless, [&](NodeId node) {
            const Hash hash = around.of(node);
            return counter.is_alone(hash) &&
                   take(node, std::string(graph.node(node).op->name) + "~" + hexadecimal(hash));
        });
        around.widen();
    }
    std::unordered_map<std::string, int> counts;
    for (NodeId node : nameless) {
        const std::string stem = std::string(graph.node(node).op->name) + "~" + hexadecimal(around.of(node));
        while (!take(node, stem + "#" + std::to_string(++counts[stem])))
            ;
    }
}

NodeId NodeKeys::find(std::string_view key) const {
    const auto found = m_nodes.find(std::string(key));
    return found == m_nodes.end() ? NodeId() : found->second;
}

std::vector<std::string> NodeKeys::all() const {
    std::vector<std::string> keys;
    for (const std::string& key : m_keys)
        if (!key.empty())
            keys.push_back(key);
    return keys;
}

} // namespace hidet::graph
