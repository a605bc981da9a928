// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/graph_values.h"

#include <algorithm>

#include "app/session/model/stages.h"
#include "app/session/model/view/op_families.h"
#include "compiler/graph/document/costs.h"
#include "compiler/graph/names/keys.h"
#include "lang/base/printable.h"

namespace hidet::session {

using namespace graph;

namespace {

constexpr std::int64_t most_elements_shown = 8;
constexpr std::size_t longest_attribute = 400; // bytes; lists may have as many elements as a weight

bool has_channels_last(const Node& node) {
    return node.is_any_of({OpId::Conv2dChannelLast, OpId::MaxPool2dChannelLast, OpId::AvgPool2dChannelLast,
                           OpId::AdaptiveAvgPool2dChannelLast, OpId::NormalizeChannelLast});
}

std::string attribute_text(const Attribute& attribute) {
    if (const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
        const std::size_t count = *body ? (*body)->topological().size() : 0;
        return cat("graph of ", count, count == 1 ? " operator" : " operators");
    }
    return shortened(text_of(attribute), longest_attribute);
}

std::string contents_of(const Value& value) {
    if (!value.is_constant())
        return {};
    const std::string text = short_contents(*value.data, most_elements_shown);
    const bool is_scalar = value.spec.shape.empty() && text.size() > 2;
    return is_scalar ? text.substr(1, text.size() - 2) : text;
}

// The compiler's values never change but for their readers and names, nodes but for their inputs.
bool is_same_tensor(const Value& a, const Value& b) {
    return a.producer == b.producer && a.data == b.data && a.spec.dtype == b.spec.dtype &&
           std::ranges::equal(a.spec.shape, b.spec.shape,
                              [](const Dim& x, const Dim& y) { return x.get() == y.get(); }) &&
           a.name == b.name && a.called == b.called;
}

bool is_same_call(const Node& a, const Node& b) {
    return a.op == b.op && a.task == b.task && a.inputs == b.inputs && a.outputs == b.outputs && a.name == b.name &&
           a.rule == b.rule && a.replaces == b.replaces && a.attributes.items().size() == b.attributes.items().size();
}

class ValueReader {
public:
    ValueReader(ModelGraph& out, ModelGraph::Index& index, const ModelGraph* before, const Predictor& predictor,
                const SourceMap& sources)
        : m_out(out), m_index(index), m_graph(*index.graph), m_before(before), m_predictor(predictor),
          m_sources(sources), m_order(m_graph.topological()), m_keys(m_graph) {}

    void read() {
        m_out.inputs = indices_of(m_graph.inputs);
        m_out.outputs = indices_of(m_graph.outputs());
        note_matches();
        read_nodes();
        read_values();
        if (m_before)
            compare();
    }

private:
    void note_matches() {
        m_index.match_of_node.assign(m_out.matches.empty() ? 0 : m_graph.node_slots(), no_id);
        for (std::uint32_t i = 0; i < m_out.matches.size(); ++i)
            for (const std::uint32_t node : m_out.matches[i].after)
                if (std::ranges::find(m_out.matches[i].before, node) == m_out.matches[i].before.end())
                    m_index.match_of_node[node] = i;
    }

    // ---- nodes -------------------------------------------------------------------------------------------------------

    void read_nodes() {
        m_index.place_of_node.assign(m_graph.node_slots(), no_id);
        m_out.nodes.reserve(m_order.size());
        for (const NodeId id : m_order) {
            m_index.place_of_node[id.index] = static_cast<std::uint32_t>(m_out.nodes.size());
            std::shared_ptr<const GraphNode> shared = shared_node(id);
            m_out.nodes.push_back(shared ? std::move(shared) : new_node(id));
        }
    }
    std::shared_ptr<const GraphNode> shared_node(NodeId id) const {
        const GraphNode* known = m_before ? m_before->node(id.index) : nullptr;
        if (!known || known->key != m_keys.of(id) || !is_same_call(m_before->index->graph->node(id), m_graph.node(id)))
            return nullptr;
        return m_before->nodes[m_before->index->place_of_node[id.index]];
    }
    std::shared_ptr<const GraphNode> new_node(NodeId id) const {
        const Node& from = m_graph.node(id);
        const auto node = std::make_shared<GraphNode>();
        node->id = id.index;
        node->name = name_of(m_graph, id);
        node->key = m_keys.of(id);
        node->op = from.op->name;
        node->family = family_of(from.op->id);
        node->inputs = indices_of(from.inputs);
        node->outputs = indices_of(from.outputs);
        for (const auto& [name, value] : from.attributes.items())
            node->attributes.emplace_back(name, attribute_text(value));
        node->rule = from.rule;
        node->note = note_of(id);
        node->replaces = indices_of(from.replaces);
        node->site = place_of(from.site, m_sources);
        price(id, *node);
        return node;
    }
    std::string note_of(NodeId id) const {
        if (const std::uint32_t match = at_or_none(m_index.match_of_node, id.index); match != no_id)
            return m_out.matches[match].note;
        const GraphNode* known = m_before ? m_before->node(id.index) : nullptr;
        return known ? known->note : std::string();
    }
    void price(NodeId id, GraphNode& node) const {
        const NodeCost cost = cost_of(m_graph, id);
        node.flops = m_predictor.known(cost.flops);
        node.bytes = m_predictor.known(cost.bytes);
        const OpInfo& op = *m_graph.node(id).op;
        node.factors = factors_of(m_graph, {id});
        if (m_graph.node(id).task && !op.shares_memory)
            node.least_seconds = m_predictor.seconds(
                {m_predictor.assumed(cost.flops), m_predictor.assumed(cost.bytes), 1, node.factors});
    }

    // ---- values ------------------------------------------------------------------------------------------------------

    void read_values() {
        m_is_named.assign(m_graph.value_slots(), false);
        m_is_input.assign(m_graph.value_slots(), false);
        m_consumers.resize(m_graph.value_slots());
        for (const ValueId id : m_graph.inputs)
            m_is_named[id.index] = m_is_input[id.index] = true;
        for (const ValueId id : m_graph.outputs())
            m_is_named[id.index] = true;
        for (const NodeId id : m_order)
            name_values_of(id);
        m_index.place_of_value.assign(m_graph.value_slots(), no_id);
        for (std::uint32_t i = 0; i < m_graph.value_slots(); ++i) {
            if (!m_is_named[i])
                continue;
            m_index.place_of_value[i] = static_cast<std::uint32_t>(m_out.values.size());
            std::shared_ptr<const GraphValue> shared = shared_value({i});
            m_out.values.push_back(shared ? std::move(shared) : new_value({i}));
        }
    }
    void name_values_of(NodeId id) {
        const Node& node = m_graph.node(id);
        for (const ValueId output : node.outputs)
            m_is_named[output.index] = true;
        for (const ValueId input : node.inputs) {
            m_is_named[input.index] = true;
            std::vector<std::uint32_t>& consumers = m_consumers[input.index];
            if (consumers.empty() || consumers.back() != id.index)
                consumers.push_back(id.index);
        }
    }
    std::shared_ptr<const GraphValue> shared_value(ValueId id) const {
        const GraphValue* known = m_before ? m_before->value(id.index) : nullptr;
        if (!known || known->consumers != m_consumers[id.index] || known->is_output != m_graph.is_output(id) ||
            !is_same_tensor(m_before->index->graph->value(id), m_graph.value(id)))
            return nullptr;
        return m_before->values[m_before->index->place_of_value[id.index]];
    }
    std::shared_ptr<const GraphValue> new_value(ValueId id) {
        const Value& from = m_graph.value(id);
        const auto value = std::make_shared<GraphValue>();
        value->id = id.index;
        value->name = from.shown_name();
        value->dtype = ir::info(from.spec.dtype).name;
        value->shape = text_of(from.spec.shape);
        value->bytes = m_predictor.known(bytes_of(from.spec));
        value->producer = from.producer.index;
        value->consumers = std::move(m_consumers[id.index]);
        value->is_input = m_is_input[id.index];
        value->is_output = m_graph.is_output(id);
        value->is_constant = from.is_constant();
        value->contents = contents_of(from);
        if (from.producer.valid() && has_channels_last(m_graph.node(from.producer)))
            value->layout = "channels last";
        return value;
    }

    // ---- what the pass did -------------------------------------------------------------------------------------------

    void compare() {
        for (const auto& node : m_out.nodes) {
            const GraphNode* known = m_before->node(node->id);
            if (!known)
                m_out.added.push_back(node->id);
            else if (known != node.get() && known->inputs != node->inputs)
                m_out.rewired.push_back(node->id);
        }
        for (const auto& node : m_before->nodes)
            if (!m_graph.is_live({node->id}))
                m_out.removed.push_back(node->id);
    }

    ModelGraph& m_out;
    ModelGraph::Index& m_index;
    const Graph& m_graph;
    const ModelGraph* const m_before;
    const Predictor& m_predictor;
    const SourceMap& m_sources;
    const std::vector<NodeId> m_order;
    const NodeKeys m_keys;
    std::vector<bool> m_is_named, m_is_input;            // by value
    std::vector<std::vector<std::uint32_t>> m_consumers; // by value
};

} // namespace

void fill_graph(ModelGraph& out, ModelGraph::Index& index, std::shared_ptr<const Graph> graph, const ModelGraph* before,
                const Predictor& predictor, const SourceMap& sources) {
    index.graph = std::move(graph);
    ValueReader(out, index, before, predictor, sources).read();
}

} // namespace hidet::session
