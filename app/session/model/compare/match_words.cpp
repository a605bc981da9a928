// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/compare/match_words.h"

#include <algorithm>
#include <map>

#include "lang/base/text.h"

namespace hidet::session {

namespace {

std::string name_of(const MatchNode& node) {
    if (node.node)
        return node.node->name.empty() ? node.node->op : node.node->name;
    return node.value ? node.value->name : std::string();
}

std::string source_of(const MatchSide& side, const MatchNode& node, std::size_t port) {
    if (port >= node.operands.size())
        return "none";
    if (const std::uint32_t producer = node.operands[port].producer; producer != no_id)
        return name_of(side.nodes[producer]);
    const std::uint32_t id = port < node.node->inputs.size() ? node.node->inputs[port] : no_id;
    const GraphValue* value = side.value(id);
    return value ? cat("a constant ", value->shape) : "none";
}

} // namespace

void MatchWords::say(GraphPair& pair, const std::string& what, const std::string& left,
                     const std::string& right) const {
    if (left != right)
        pair.differences.push_back(cat(what, " ", left, " -> ", right));
}

void MatchWords::compare_spec(GraphPair& pair, const std::string& what, const GraphValue* left,
                              const GraphValue* right) const {
    if (!left || !right || (left->dtype == right->dtype && left->shape == right->shape))
        return;
    if (left->dtype == right->dtype)
        return say(pair, what, left->shape, right->shape);
    if (left->shape == right->shape)
        return say(pair, what, left->dtype, right->dtype);
    say(pair, what, left->dtype + left->shape, right->dtype + right->shape);
}

void MatchWords::compare_attributes(GraphPair& pair, const GraphNode& left, const GraphNode& right) const {
    std::map<std::string, std::pair<std::string, std::string>> both;
    for (const auto& [name, value] : left.attributes)
        both.try_emplace(name, "none", "none").first->second.first = value;
    for (const auto& [name, value] : right.attributes)
        both.try_emplace(name, "none", "none").first->second.second = value;
    for (const auto& [name, values] : both)
        say(pair, name, values.first, values.second);
}

// What is new or gone between the two is a row of its own: only operands that come from elsewhere count.
bool MatchWords::is_wired_alike(const MatchOperand& left, const MatchOperand& right) const {
    const std::uint32_t partner = m_of_left[left.producer];
    if (partner == right.producer)
        return left.output == right.output;
    return partner == no_id || m_of_right[right.producer] == no_id;
}

void MatchWords::compare_operand(GraphPair& pair, std::size_t port, const MatchNode& left,
                                 const MatchNode& right) const {
    const std::uint32_t from = left.operands[port].producer, to = right.operands[port].producer;
    const std::string what = cat("operand ", port + 1);
    if (from != no_id && to != no_id) {
        if (!is_wired_alike(left.operands[port], right.operands[port]))
            say(pair, what + " from", source_of(m_left, left, port), source_of(m_right, right, port));
        return;
    }
    if (from != no_id || to != no_id)
        return say(pair, what + " from", source_of(m_left, left, port), source_of(m_right, right, port));
    const GraphValue* a = m_left.value(left.node->inputs[port]);
    const GraphValue* b = m_right.value(right.node->inputs[port]);
    if (!a || !b) {
        if (a || b)
            say(pair, what, source_of(m_left, left, port), source_of(m_right, right, port));
        return;
    }
    const std::size_t before = pair.differences.size();
    compare_spec(pair, cat("constant ", port + 1), a, b);
    const std::string from_text(setting_of(*a)), to_text(setting_of(*b));
    if (pair.differences.size() == before && !from_text.empty() && !to_text.empty())
        say(pair, cat("constant ", port + 1), from_text, to_text);
}

void MatchWords::compare_operands(GraphPair& pair, const MatchNode& left, const MatchNode& right) const {
    if (left.operands.size() != right.operands.size())
        return say(pair, "operands", cat(left.operands.size()), cat(right.operands.size()));
    std::vector<std::size_t> order(left.operands.size());
    const auto is_order_equal = [&](bool swapped) {
        for (std::size_t i = 0; i < left.operands.size(); ++i) {
            const MatchOperand &a = left.operands[i], &b = right.operands[swapped ? left.operands.size() - 1 - i : i];
            if ((a.producer == no_id) != (b.producer == no_id) || (a.producer != no_id && !is_wired_alike(a, b)))
                return false;
        }
        return true;
    };
    if (left.commutes && right.commutes && !is_order_equal(false) && is_order_equal(true)) {
        MatchNode turned = right;
        GraphNode node = *right.node;
        std::ranges::reverse(turned.operands);
        std::ranges::reverse(node.inputs);
        turned.node = &node;
        for (std::size_t port = 0; port < left.operands.size(); ++port)
            compare_operand(pair, port, left, turned);
        return;
    }
    for (std::size_t port = 0; port < left.operands.size(); ++port)
        compare_operand(pair, port, left, right);
}

void MatchWords::fill(GraphPair& pair, std::uint32_t left, std::uint32_t right) const {
    const MatchNode &a = m_left.nodes[left], &b = m_right.nodes[right];
    if (!a.node) {
        compare_spec(pair, a.operands.empty() ? "input" : "output", a.value, b.value);
        pair.state = pair.differences.empty() ? PairState::Same : PairState::Changed;
        return;
    }
    say(pair, "operator", a.node->op, b.node->op);
    if (a.op == b.op) {
        compare_attributes(pair, *a.node, *b.node);
        compare_operands(pair, a, b);
    }
    const bool is_own = !pair.differences.empty();
    const std::size_t results = std::min(a.node->outputs.size(), b.node->outputs.size());
    for (std::size_t i = 0; i < results; ++i)
        compare_spec(pair, results == 1 ? "output" : cat("output ", i + 1), m_left.value(a.node->outputs[i]),
                     m_right.value(b.node->outputs[i]));
    say(pair, "outputs", cat(a.node->outputs.size()), cat(b.node->outputs.size()));
    pair.state = pair.differences.empty() ? PairState::Same : PairState::Changed;
    pair.is_inherited = pair.state == PairState::Changed && !is_own;
}

} // namespace hidet::session
