// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/passes/pattern.h"

#include <algorithm>

namespace hidet::graph {

// Binds tensors of the pattern to values of the graph, from the root outward. Operands of a pattern are tried in the order
// in which they stand; where a second result has several candidates, the first that fits is taken.
class Pattern::Matcher {
public:
    Matcher(const Pattern& pattern, const Rewriting& rewriting) : m_pattern(pattern), m_rewriting(rewriting) {
        m_matched.tensors.resize(pattern.m_tensors.size());
        m_matched.nodes.resize(pattern.m_tensors.size());
    }

    bool run(NodeId root) {
        if (m_pattern.m_outputs.empty() || !bind_node(m_pattern.m_outputs[0], root))
            return false;
        for (std::size_t output : m_pattern.m_outputs)
            if (!m_matched.nodes[output].valid() && !m_matched.tensors[output].valid() && !find_other(output))
                return false;
        return inner_values_are_free();
    }
    Matched take() { return std::move(m_matched); }

private:
    bool bind(std::size_t index, ValueId value) {
        if (m_matched.tensors[index].valid())
            return m_matched.tensors[index] == value;
        const Each& each = m_pattern.m_tensors[index];
        if (!each.ops.empty()) {
            const Value& held = m_rewriting.graph.value(value);
            return held.producer.valid() && held.output == 0 && bind_node(index, held.producer);
        }
        const bool is_constant = m_rewriting.graph.value(value).is_constant();
        if ((each.kind == TensorKind::Constant && !is_constant) || (each.kind == TensorKind::Symbolic && is_constant))
            return false;
        m_matched.tensors[index] = value;
        return true;
    }
    bool bind_node(std::size_t index, NodeId id) {
        const Each& each = m_pattern.m_tensors[index];
        const Node& node = m_rewriting.graph.node(id);
        const bool is_one = std::ranges::find(each.ops, node.op->id) != each.ops.end();
        if (!is_one || node.inputs.size() != each.inputs.size() || !has_attributes(node, each.attributes))
            return false;
        const Matched before = m_matched;
        m_matched.tensors[index] = node.outputs[0];
        m_matched.nodes[index] = id;
        for (std::size_t i = 0; i < each.inputs.size(); ++i)
            if (!bind(each.inputs[i], node.inputs[i])) {
                m_matched = before;
                return false;
            }
        return true;
    }
    static bool has_attributes(const Node& node, const Attributes& wanted) {
        return std::ranges::all_of(wanted.items(), [&](const auto& item) {
            const Attribute* found = node.attributes.find(item.first);
            return found && same_attribute(*found, item.second);
        });
    }
    // A result that the root does not depend on: a reader of a tensor that is bound already.
    bool find_other(std::size_t output) {
        const Each& each = m_pattern.m_tensors[output];
        for (std::size_t i = 0; i < each.inputs.size(); ++i) {
            if (!m_matched.tensors[each.inputs[i]].valid())
                continue;
            for (const Use& use : m_rewriting.graph.value(m_matched.tensors[each.inputs[i]]).uses)
                if (use.input == i && std::ranges::find(m_matched.nodes, use.node) == m_matched.nodes.end() &&
                    bind_node(output, use.node))
                    return true;
        }
        return false;
    }
    bool inner_values_are_free() const {
        for (std::size_t i = 0; i < m_pattern.m_tensors.size(); ++i) {
            if (!m_matched.nodes[i].valid() || std::ranges::find(m_pattern.m_outputs, i) != m_pattern.m_outputs.end())
                continue;
            const ValueId value = m_matched.tensors[i];
            const bool is_read_inside = std::ranges::all_of(m_rewriting.graph.value(value).uses, [&](const Use& use) {
                return std::ranges::find(m_matched.nodes, use.node) != m_matched.nodes.end();
            });
            if (!is_read_inside || m_rewriting.graph.is_output(value))
                return false;
        }
        return true;
    }

    const Pattern& m_pattern;
    const Rewriting& m_rewriting;
    Matched m_matched;
};

std::size_t Pattern::tensor(TensorKind kind) {
    m_tensors.push_back({kind, {}, {}, {}});
    return m_tensors.size() - 1;
}

std::size_t Pattern::op(std::vector<OpId> ops, std::vector<std::size_t> inputs, Attributes attributes) {
    m_tensors.push_back({TensorKind::Any, std::move(ops), std::move(inputs), std::move(attributes)});
    return m_tensors.size() - 1;
}

std::vector<OpId> Pattern::roots() const {
    return m_outputs.empty() ? std::vector<OpId>() : m_tensors[m_outputs[0]].ops;
}

std::optional<Pattern::Matched> Pattern::match(const Rewriting& rewriting, NodeId root) const {
    Matcher matcher(*this, rewriting);
    return matcher.run(root) ? std::optional(matcher.take()) : std::nullopt;
}

bool PatternRule::apply(Rewriting& rewriting, NodeId root) {
    const auto matched = m_source.match(rewriting, root);
    if (!matched)
        return false;
    const auto replacements = m_target(rewriting, *matched);
    if (!replacements || replacements->size() != m_source.outputs().size())
        return false;
    for (std::size_t i = 0; i < replacements->size(); ++i)
        rewriting.replace(matched->tensors[m_source.outputs()[i]], (*replacements)[i]);
    return true;
}

} // namespace hidet::graph
