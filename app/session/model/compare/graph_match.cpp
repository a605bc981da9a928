// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/compare/graph_match.h"

#include <algorithm>
#include <map>

#include "app/session/model/compare/match_side.h"
#include "app/session/model/compare/matcher.h"
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

// What differs between two operators that are partners, in words.
class MatchWords {
public:
    // Partners are by place, of the left side and of the right one.
    MatchWords(const MatchSide& left, const MatchSide& right, const std::vector<std::uint32_t>& of_left,
               const std::vector<std::uint32_t>& of_right)
        : m_left(left), m_right(right), m_of_left(of_left), m_of_right(of_right) {}

    // The state, whether it is inherited, and the words; the places have partners in each other.
    void fill(GraphPair& pair, std::uint32_t left, std::uint32_t right) const {
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

private:
    void say(GraphPair& pair, const std::string& what, const std::string& left, const std::string& right) const {
        if (left != right)
            pair.differences.push_back(cat(what, " ", left, " -> ", right));
    }

    void compare_attributes(GraphPair& pair, const GraphNode& left, const GraphNode& right) const {
        std::map<std::string, std::pair<std::string, std::string>> both;
        for (const auto& [name, value] : left.attributes)
            both.try_emplace(name, "none", "none").first->second.first = value;
        for (const auto& [name, value] : right.attributes)
            both.try_emplace(name, "none", "none").first->second.second = value;
        for (const auto& [name, values] : both)
            say(pair, name, values.first, values.second);
    }

    void compare_operands(GraphPair& pair, const MatchNode& left, const MatchNode& right) const {
        if (left.operands.size() != right.operands.size())
            return say(pair, "operands", cat(left.operands.size()), cat(right.operands.size()));
        std::vector<std::size_t> order(left.operands.size());
        const auto is_order_equal = [&](bool swapped) {
            for (std::size_t i = 0; i < left.operands.size(); ++i) {
                const MatchOperand &a = left.operands[i],
                                   &b = right.operands[swapped ? left.operands.size() - 1 - i : i];
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

    void compare_operand(GraphPair& pair, std::size_t port, const MatchNode& left, const MatchNode& right) const {
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

    void compare_spec(GraphPair& pair, const std::string& what, const GraphValue* left, const GraphValue* right) const {
        if (!left || !right || (left->dtype == right->dtype && left->shape == right->shape))
            return;
        if (left->dtype == right->dtype)
            return say(pair, what, left->shape, right->shape);
        if (left->shape == right->shape)
            return say(pair, what, left->dtype, right->dtype);
        say(pair, what, left->dtype + left->shape, right->dtype + right->shape);
    }

    // What is new or gone between the two is a row of its own: only operands that come from elsewhere count.
    bool is_wired_alike(const MatchOperand& left, const MatchOperand& right) const {
        const std::uint32_t partner = m_of_left[left.producer];
        if (partner == right.producer)
            return left.output == right.output;
        return partner == no_id || m_of_right[right.producer] == no_id;
    }

    const MatchSide& m_left;
    const MatchSide& m_right;
    const std::vector<std::uint32_t>& m_of_left;
    const std::vector<std::uint32_t>& m_of_right;
};

struct Partners { // by place
    std::vector<std::uint32_t> of_left, of_right;
};

// As few differences as there can be: the sides differ by as many operators at least.
bool is_least(const Matcher& matcher, const ModelGraph& left, const ModelGraph& right) {
    const auto [less, more] = std::minmax({left.nodes.size(), right.nodes.size()});
    return matcher.cost() <= more - less;
}

Partners find_partners(const ModelGraph& left_graph, const ModelGraph& right_graph, const MatchSide& left,
                       const MatchSide& right, const std::atomic<bool>* cancelled) {
    Matcher matcher(left, right, cancelled);
    matcher.run(MatchOrder::NamesFirst);
    Partners out{matcher.of_left(), matcher.of_right()};
    const std::size_t cost = matcher.cost();
    if (is_least(matcher, left_graph, right_graph))
        return out;
    matcher.run(MatchOrder::StructureFirst);
    if (matcher.cost() < cost)
        out = {matcher.of_left(), matcher.of_right()};
    return out;
}

class MatchingMaker {
public:
    MatchingMaker(const MatchSide& left, const MatchSide& right, const Partners& partners)
        : m_left(left), m_right(right), m_partners(partners),
          m_words(left, right, m_partners.of_left, m_partners.of_right) {}

    GraphMatching make() {
        list(m_out.inputs, 0, m_left.first_node, 0, m_right.first_node);
        list(m_out.nodes, m_left.first_node, m_left.first_output, m_right.first_node, m_right.first_output);
        list(m_out.outputs, m_left.first_output, m_left.nodes.size(), m_right.first_output, m_right.nodes.size());
        count();
        match_values();
        return std::move(m_out);
    }

private:
    static std::uint32_t id_of(const MatchNode& node) {
        return node.node ? node.node->id : node.value ? node.value->id : no_id;
    }

    // Those of the right side in their order; what is gone stands behind what it followed on the left.
    void list(std::vector<GraphPair>& out, std::size_t left_begin, std::size_t left_end, std::size_t right_begin,
              std::size_t right_end) const {
        std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> gone_after; // by place on the right; no_id: first
        std::uint32_t last = no_id;
        for (auto a = static_cast<std::uint32_t>(left_begin); a < left_end; ++a) {
            if (m_partners.of_left[a] == no_id)
                gone_after[last].push_back(a);
            else
                last = m_partners.of_left[a];
        }
        const auto add_gone = [&](std::uint32_t after) {
            if (const auto at = gone_after.find(after); at != gone_after.end())
                for (const std::uint32_t a : at->second)
                    out.push_back({id_of(m_left.nodes[a]), no_id, PairState::Gone, false, {}});
        };
        add_gone(no_id);
        for (auto b = static_cast<std::uint32_t>(right_begin); b < right_end; ++b) {
            const std::uint32_t a = m_partners.of_right[b];
            GraphPair& pair = out.emplace_back();
            pair.right = id_of(m_right.nodes[b]);
            pair.state = PairState::New;
            if (a != no_id) {
                pair.left = id_of(m_left.nodes[a]);
                m_words.fill(pair, a, b);
            }
            add_gone(b);
        }
    }

    void count() {
        for (std::uint32_t at = 0; at < m_out.nodes.size(); ++at) {
            const GraphPair& pair = m_out.nodes[at];
            m_out.same += pair.state == PairState::Same;
            m_out.changed += pair.state == PairState::Changed;
            m_out.inherited += pair.is_inherited;
            m_out.added += pair.state == PairState::New;
            m_out.gone += pair.state == PairState::Gone;
            if (pair.left != no_id)
                m_out.pair_of_left[pair.left] = at;
            if (pair.right != no_id)
                m_out.pair_of_right[pair.right] = at;
        }
    }

    // Results by their order, then constants and the rest by where they are read.
    void match_values() {
        const auto pair_up = [&](std::uint32_t left, std::uint32_t right) {
            if (left == no_id || right == no_id || m_out.value_of_left.contains(left) ||
                m_out.value_of_right.contains(right))
                return;
            m_out.value_of_left[left] = right;
            m_out.value_of_right[right] = left;
        };
        const auto of_each_pair = [&](const auto& act) {
            for (std::uint32_t a = 0; a < m_partners.of_left.size(); ++a)
                if (const std::uint32_t b = m_partners.of_left[a]; b != no_id)
                    act(m_left.nodes[a], m_right.nodes[b]);
        };
        of_each_pair([&](const MatchNode& a, const MatchNode& b) {
            if (!a.node && !b.node && a.operands.empty() && b.operands.empty())
                pair_up(id_of(a), id_of(b));
            for (std::size_t i = 0; a.node && b.node && i < std::min(a.node->outputs.size(), b.node->outputs.size());
                 ++i)
                pair_up(a.node->outputs[i], b.node->outputs[i]);
        });
        of_each_pair([&](const MatchNode& a, const MatchNode& b) {
            for (std::size_t i = 0; a.node && b.node && i < std::min(a.operands.size(), b.operands.size()); ++i)
                if (a.operands[i].producer == no_id && b.operands[i].producer == no_id)
                    pair_up(a.node->inputs[i], b.node->inputs[i]);
        });
    }

    const MatchSide& m_left;
    const MatchSide& m_right;
    const Partners& m_partners;
    MatchWords m_words;
    GraphMatching m_out;
};

} // namespace

std::uint32_t GraphMatching::right_of(std::uint32_t left_node) const {
    const auto at = pair_of_left.find(left_node);
    return at == pair_of_left.end() ? no_id : nodes[at->second].right;
}

std::uint32_t GraphMatching::left_of(std::uint32_t right_node) const {
    const auto at = pair_of_right.find(right_node);
    return at == pair_of_right.end() ? no_id : nodes[at->second].left;
}

GraphMatching match_graphs(const ModelGraph& left, const ModelGraph& right, const std::atomic<bool>* cancelled) {
    MatchTexts texts;
    const MatchSide left_side = match_side(left, texts), right_side = match_side(right, texts);
    const Partners partners = find_partners(left, right, left_side, right_side, cancelled);
    if (cancelled && *cancelled)
        return {};
    return MatchingMaker(left_side, right_side, partners).make();
}

std::string summary_of(const GraphMatching& matching) {
    std::vector<std::string> parts;
    if (matching.changed > 0)
        parts.push_back(cat(matching.changed, " changed"));
    if (matching.added > 0)
        parts.push_back(cat(matching.added, " new"));
    if (matching.gone > 0)
        parts.push_back(cat(matching.gone, " gone"));
    return parts.empty() ? "no differences" : join(parts, ", ");
}

} // namespace hidet::session
