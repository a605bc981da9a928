// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/model_carry.h"

#include <unordered_set>

#include "app/session/model/compare/graph_match.h"

namespace hidet::ui {

namespace {

enum class Named : std::uint8_t { Node, Value };

// Of what was not there before.
drawing::Key freshKey(std::uint64_t generation, Named what, std::uint32_t id) {
    std::uint64_t key = (generation << 33 | std::uint64_t(what) << 32 | id) + 0x9E3779B97F4A7C15ull;
    key = (key ^ key >> 30) * 0xBF58476D1CE4E5B9ull;
    key = (key ^ key >> 27) * 0x94D049BB133111EBull;
    return key ^ key >> 31;
}

class Carrying {
public:
    Carrying(const CarryRequest& request, const session::ModelSnapshot& now) : m_request(request), m_now(now) {}

    ModelCarry run() {
        if (m_request.before && !m_request.before->graphs.empty() && !m_now.graphs.empty())
            match();
        makeKeys();
        return std::move(m_out);
    }

private:
    void match() {
        const session::ModelSnapshot& before = *m_request.before;
        const int last = int(before.graphs.size()) - 1;
        const int shown = m_request.shown < 0 ? last : m_request.shown;
        const int there = shown == last ? -1 : graphOfPass(m_now, before.graphs[std::size_t(shown)]->pass);
        // What is looked at is the surest; whatever else is selected or marked is of the import or of the last graph.
        if (there >= 0)
            matchGraphs(shown, there);
        else if (shown == last)
            matchGraphs(last, int(m_now.graphs.size()) - 1);
        matchGraphs(0, 0);
        matchGraphs(last, int(m_now.graphs.size()) - 1);
    }
    void matchGraphs(int left, int right) {
        const session::ModelGraph &was = *m_request.before->graphs[std::size_t(left)],
                                  &is = *m_now.graphs[std::size_t(right)];
        const session::GraphMatching found = session::match_graphs(was, is, m_request.stopped);
        for (const session::GraphPair& pair : found.nodes)
            if (pair.left != session::no_id && pair.right != session::no_id)
                add(m_out.nodes, m_takenNodes, pair.left, pair.right);
        for (const auto& [from, to] : found.value_of_left)
            add(m_out.values, m_takenValues, from, to);
    }
    // One to one: what has a partner keeps it.
    static void add(std::unordered_map<std::uint32_t, std::uint32_t>& map, std::unordered_set<std::uint32_t>& taken,
                    std::uint32_t from, std::uint32_t to) {
        if (!map.contains(from) && taken.insert(to).second)
            map.emplace(from, to);
    }

    void makeKeys() {
        const auto keys = std::make_shared<BoxKeys>();
        if (m_request.keys) {
            const auto carry = [](const auto& ids, const auto& before, auto& now) {
                for (const auto& [from, to] : ids)
                    if (const auto key = before.find(from); key != before.end())
                        now.emplace(to, key->second);
            };
            carry(m_out.nodes, m_request.keys->nodes, keys->nodes);
            carry(m_out.values, m_request.keys->values, keys->values);
        } else {
            for (const auto& [from, to] : m_out.nodes)
                keys->nodes.emplace(to, session::key_of_box(session::BoxKind::Operator, from));
        }
        for (const auto& graph : m_now.graphs) {
            for (const auto& node : graph->nodes)
                keys->nodes.try_emplace(node->id, freshKey(m_request.generation, Named::Node, node->id));
            for (const auto* values : {&graph->inputs, &graph->outputs})
                for (const std::uint32_t value : *values)
                    keys->values.try_emplace(value, freshKey(m_request.generation, Named::Value, value));
        }
        m_out.keys = keys;
    }

    const CarryRequest& m_request;
    const session::ModelSnapshot& m_now;
    std::unordered_set<std::uint32_t> m_takenNodes, m_takenValues;
    ModelCarry m_out;
};

} // namespace

int graphOfPass(const session::ModelSnapshot& snapshot, const std::string& pass) {
    for (std::size_t i = 0; i < snapshot.graphs.size(); ++i)
        if (snapshot.graphs[i]->pass == pass)
            return int(i);
    return -1;
}

ModelCarry carryOver(const CarryRequest& request, const session::ModelSnapshot& now) {
    return Carrying(request, now).run();
}

} // namespace hidet::ui
