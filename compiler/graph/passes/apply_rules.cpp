// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <deque>
#include <unordered_set>

#include "compiler/graph/names/keys.h"
#include "compiler/graph/passes/rewrite.h"

namespace hidet::graph {

namespace {

// Patterns reach no further from their root than this many operators.
constexpr int reach = 10;
constexpr std::size_t most_applications_per_node = 20;
// Rules of users may undo each other for ever.
constexpr std::size_t most_of_user_rule = 1000;
constexpr std::size_t most_of_user_rule_per_node = 4;

class Engine {
public:
    Engine(PassState& state, const std::vector<RuleInfo>& rules, const std::vector<UserRule*>& user_rules)
        : m_state(state), m_graph(state.graph), m_rewriting(state.graph, state.options) {
        for (UserRule* rule : user_rules)
            if (!state.is_off(rule->name()))
                add(rule->roots(), {rule->name(), nullptr, rule});
        for (const RuleInfo& rule : rules)
            if (!state.is_off(rule.name, !rule.is_on))
                add(rule.roots, {rule.name, rule.apply, nullptr});
        find_forbidden();
    }

    void run() {
        for (NodeId node : m_graph.topological())
            push(node);
        m_nodes = m_waiting.size();
        const std::size_t most = most_applications_per_node * (m_graph.node_slots() + 100);
        std::size_t steps = 0;
        while (!m_waiting.empty() && m_state.record.matches.size() < most) {
            if ((++steps & 63) == 0 && m_state.is_cancelled())
                return;
            const NodeId node = m_waiting.front();
            m_waiting.pop_front();
            m_is_waiting[node.index] = false;
            if (m_graph.is_live(node))
                try_rules(node);
        }
    }

private:
    struct Rule {
        std::string name;
        bool (*apply)(Rewriting&, NodeId);
        UserRule* user;
        std::size_t applications = 0;
    };

    void add(const std::vector<OpId>& roots, Rule rule) {
        const std::size_t index = m_rules.size();
        m_rules.push_back(std::move(rule));
        for (std::size_t op = 0; op < op_count; ++op)
            if (roots.empty() || std::ranges::find(roots, static_cast<OpId>(op)) != roots.end())
                m_by_op[op].push_back(index);
    }

    void find_forbidden() {
        const std::vector<NodeChoice>& choices = m_state.options.rewrites;
        if (choices.empty())
            return;
        const NodeKeys keys(m_graph);
        for (const NodeChoice& choice : choices)
            if (const NodeId node = keys.find(choice.node); node.valid() && !choice.is_on)
                m_forbidden.insert(choice.what + "\n" + std::to_string(node.index));
    }
    bool is_forbidden(const Rule& rule, NodeId node) const {
        return !m_forbidden.empty() && m_forbidden.contains(rule.name + "\n" + std::to_string(node.index));
    }

    void push(NodeId node) {
        if (m_is_waiting.size() < m_graph.node_slots())
            m_is_waiting.resize(m_graph.node_slots());
        if (m_is_waiting[node.index])
            return;
        m_is_waiting[node.index] = true;
        m_waiting.push_back(node);
    }

    void try_rules(NodeId node) {
        for (std::size_t index : m_by_op[static_cast<std::size_t>(m_graph.node(node).op->id)])
            if (!is_forbidden(m_rules[index], node) && try_rule(m_rules[index], node))
                return;
    }
    bool try_rule(Rule& rule, NodeId node) {
        m_rewriting.begin(rule.name, node);
        if (!(rule.user ? apply_user_rule(rule, node) : apply_rule(rule, node))) {
            m_rewriting.give_up();
            return false;
        }
        const std::vector<ValueId> results = m_rewriting.replaced_by();
        m_state.record.matches.push_back(m_rewriting.finish());
        for (NodeId made : m_state.record.matches.back().after)
            push(made);
        push_readers(results);
        return true;
    }
    void push_readers(const std::vector<ValueId>& values) {
        std::vector<ValueId> layer = values;
        std::unordered_set<std::uint32_t> seen;
        for (int distance = 0; distance < reach && !layer.empty(); ++distance) {
            std::vector<ValueId> next;
            for (ValueId value : layer)
                for (const Use& use : m_graph.value(value).uses)
                    if (seen.insert(use.node.index).second) {
                        push(use.node);
                        const std::vector<ValueId>& outputs = m_graph.node(use.node).outputs;
                        next.insert(next.end(), outputs.begin(), outputs.end());
                    }
            layer = std::move(next);
        }
    }

    bool apply_rule(const Rule& rule, NodeId node) {
        try {
            return rule.apply(m_rewriting, node);
        } catch (const OpError&) {
            return false;
        }
    }
    // Whatever a rule of a user does, the graph is one that computes, and the passes come to an end.
    bool apply_user_rule(Rule& rule, NodeId node) {
        if (rule.applications > most_of_user_rule + most_of_user_rule_per_node * m_nodes)
            return false;
        std::string refusal;
        try {
            if (!rule.user->apply(m_rewriting, node))
                return false;
            m_rewriting.check_for_cycles();
        } catch (const KeepsName&) {
            return false;
        } catch (const OpError& error) {
            refusal = error.what();
        }
        if (refusal.empty() && ++rule.applications <= most_of_user_rule + most_of_user_rule_per_node * m_nodes)
            return true;
        if (refusal.empty())
            refusal = "it has applied " + std::to_string(rule.applications) + " times, to a graph of " +
                      std::to_string(m_nodes) + (m_nodes == 1 ? " operator" : " operators") + ", and would go on";
        m_rewriting.give_up();
        rule.user->refused(refusal);
        return false;
    }

    PassState& m_state;
    Graph& m_graph;
    Rewriting m_rewriting;
    std::size_t m_nodes = 0; // when it began
    std::vector<Rule> m_rules;
    std::array<std::vector<std::size_t>, op_count + 1> m_by_op; // by OpId: rules
    std::unordered_set<std::string> m_forbidden;
    std::deque<NodeId> m_waiting;
    std::vector<bool> m_is_waiting; // by node
};

} // namespace

void apply_rules(PassState& state, const std::vector<RuleInfo>& rules, const std::vector<UserRule*>& user_rules) {
    Engine(state, rules, user_rules).run();
}

} // namespace hidet::graph
