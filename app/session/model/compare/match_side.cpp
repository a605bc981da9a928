// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/compare/match_side.h"

#include <algorithm>

#include "compiler/graph/core/op.h"
namespace hidet::session {

std::uint32_t MatchTexts::of(std::string_view text) {
    return m_numbers.try_emplace(std::string(text), static_cast<std::uint32_t>(m_numbers.size() + 1)).first->second;
}

namespace {

bool commutes(std::string_view op) {
    using enum graph::OpId;
    constexpr graph::OpId commuting[] = {Add,       BitwiseAnd, BitwiseOr, BitwiseXor, Equal,   LogicalAnd,
                                         LogicalOr, LogicalXor, Max,       Min,        Multiply};
    return std::ranges::any_of(commuting, [&](graph::OpId id) { return op == name_of(id); });
}

// "/encoder/layer.0/dense/MatMul" is in "/encoder/layer.0/dense".
std::string_view scope_of(std::string_view name) {
    const std::size_t end = name.find_last_of("/.");
    return end == std::string_view::npos ? std::string_view() : name.substr(0, end);
}

class SideMaker {
public:
    SideMaker(const ModelGraph& graph, MatchTexts& texts) : m_graph(graph), m_texts(texts) {}

    MatchSide make() {
        for (const auto& value : m_graph.values)
            m_out.values[value->id] = value.get();
        m_out.nodes.reserve(m_graph.inputs.size() + m_graph.nodes.size() + m_graph.outputs.size());
        for (const std::uint32_t id : m_graph.inputs)
            add_end("(input)", id);
        m_out.first_node = m_out.nodes.size();
        for (const auto& node : m_graph.nodes)
            add(*node);
        m_out.first_output = m_out.nodes.size();
        for (const std::uint32_t id : m_graph.outputs)
            add_end("(output)", id);
        for (std::uint32_t at = 0; at < m_out.nodes.size(); ++at)
            link(at);
        return std::move(m_out);
    }

private:
    std::uint64_t spec_of(const GraphValue* value) {
        return value ? mixed(m_texts.of(value->dtype), m_texts.of(value->shape)) : 0;
    }

    void add_end(std::string_view kind, std::uint32_t id) {
        MatchNode& out = m_out.nodes.emplace_back();
        out.value = m_out.value(id);
        out.op = m_texts.of(kind);
        out.label = out.op;
        out.name = out.key = out.value ? m_texts.of(out.value->name) : 0;
        out.results = spec_of(out.value);
        if (kind == "(input)")
            m_producer[id] = {static_cast<std::uint32_t>(m_out.nodes.size() - 1), 0};
    }

    void add(const GraphNode& node) {
        MatchNode& out = m_out.nodes.emplace_back();
        out.node = &node;
        out.op = m_texts.of(node.op);
        out.name = m_texts.of(node.name);
        out.key = m_texts.of(node.key);
        if (const std::string_view scope = scope_of(node.name); !scope.empty())
            out.scope = m_texts.of(scope);
        out.commutes = commutes(node.op);
        out.label = label_of(node, out.commutes);
        for (std::uint32_t i = 0; i < node.outputs.size(); ++i) {
            out.results = mixed(out.results, spec_of(m_out.value(node.outputs[i])));
            m_producer[node.outputs[i]] = {static_cast<std::uint32_t>(m_out.nodes.size() - 1), i};
        }
    }

    std::uint64_t label_of(const GraphNode& node, bool commutes) {
        std::uint64_t out = m_texts.of(node.op);
        auto attributes = node.attributes;
        std::ranges::sort(attributes);
        for (const auto& [name, value] : attributes)
            out = mixed(mixed(out, m_texts.of(name)), m_texts.of(value));
        std::vector<std::uint64_t> operands;
        for (const std::uint32_t id : node.inputs) {
            const GraphValue* value = m_out.value(id);
            const bool is_constant = value && value->is_constant;
            operands.push_back(is_constant ? mixed(m_texts.of(value->shape), m_texts.of(setting_of(*value)))
                                           : (value ? 1 : 0));
        }
        if (commutes)
            std::ranges::sort(operands);
        for (const std::uint64_t operand : operands)
            out = mixed(out, operand);
        return out;
    }

    void link(std::uint32_t at) {
        MatchNode& node = m_out.nodes[at];
        if (node.node)
            for (const std::uint32_t id : node.node->inputs)
                node.operands.push_back(operand(id));
        else if (at >= m_out.first_output && node.value)
            node.operands.push_back(operand(node.value->id));
        for (std::uint32_t port = 0; port < node.operands.size(); ++port)
            if (const auto [producer, output] = node.operands[port]; producer != no_id)
                m_out.nodes[producer].uses.push_back({at, node.commutes ? 0 : port, output});
    }
    MatchOperand operand(std::uint32_t value) const {
        const auto at = m_producer.find(value);
        return at == m_producer.end() ? MatchOperand{} : at->second;
    }

    const ModelGraph& m_graph;
    MatchTexts& m_texts;
    MatchSide m_out;
    std::unordered_map<std::uint32_t, MatchOperand> m_producer; // of a value
};

} // namespace

std::string_view setting_of(const GraphValue& constant) {
    const std::string_view dtype = constant.dtype, contents = constant.contents;
    const bool is_weight =
        dtype.find("float") != std::string_view::npos && contents.find(',') != std::string_view::npos;
    return is_weight ? std::string_view() : contents;
}

MatchSide match_side(const ModelGraph& graph, MatchTexts& texts) {
    return SideMaker(graph, texts).make();
}

} // namespace hidet::session
