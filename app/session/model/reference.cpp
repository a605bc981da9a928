// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/reference.h"

#include <algorithm>

#include "lang/tensor/elements.h"

namespace hidet::session {

using namespace graph;

namespace {

ir::DType doubled(ir::DType dtype) {
    return ir::is_float(dtype) ? ir::DType::F64 : dtype;
}

Attribute doubled(const Attribute& attribute) {
    if (const auto* dtype = std::get_if<ir::DType>(&attribute))
        return doubled(*dtype);
    if (const auto* tensor = std::get_if<lang::TensorRef>(&attribute))
        return session::doubled(*tensor);
    return attribute;
}

class Doubler {
public:
    explicit Doubler(const Graph& from) : m_from(from) {}

    DoubledGraph run() {
        for (const ValueId input : m_from.inputs) {
            const Value& value = m_from.value(input);
            m_out.values[input.index] =
                m_out.graph.add_input(value.name, {doubled(value.spec.dtype), value.spec.shape});
        }
        for (const NodeId id : m_from.topological())
            add(id);
        std::vector<ValueId> outputs;
        for (const ValueId output : m_from.outputs())
            outputs.push_back(map(output));
        m_out.graph.set_outputs(std::move(outputs));
        return std::move(m_out);
    }

private:
    ValueId map(ValueId id) {
        const auto found = m_out.values.find(id.index);
        if (found != m_out.values.end())
            return found->second;
        const Value& value = m_from.value(id);
        HIDET_CHECK(value.is_constant(), value.name);
        return m_out.values[id.index] = m_out.graph.add_constant(session::doubled(value.data), value.name);
    }
    ValueId cast(ValueId id, ir::DType dtype) {
        if (m_out.graph.value(id).spec.dtype == dtype)
            return id;
        return m_out.graph.add_one(op_info::Cast(), {id}, {{"dtype", dtype}});
    }
    void add(NodeId id) {
        const Node& node = m_from.node(id);
        std::vector<ValueId> inputs;
        for (const ValueId input : node.inputs)
            inputs.push_back(map(input));
        Attributes attributes;
        for (const auto& [name, value] : node.attributes.items())
            attributes.set(name, doubled(value));
        graph::NodeOrigin origin;
        origin.name = node.name;
        if (node.is(OpId::OpaqueOperator))
            throw OpError("'" + node.get<std::string>("name") +
                          "' is opaque: it has kernels and no definition, so there is nothing to compare a run with");
        // What these make is said by their attributes and by the graphs in them.
        if (node.is_any_of({OpId::OnnxNode, OpId::OnnxIf, OpId::OnnxLoop}))
            return add_as_it_is(node, inputs, origin);
        try {
            set_results(node, m_out.graph.add(*node.op, inputs, attributes, origin));
        } catch (const OpError&) { // an operator that takes no float64
            add_as_it_is(node, inputs, origin);
        }
    }
    void add_as_it_is(const Node& node, std::vector<ValueId> inputs, const graph::NodeOrigin& origin) {
        for (std::size_t i = 0; i < inputs.size(); ++i)
            inputs[i] = cast(inputs[i], m_from.value(node.inputs[i]).spec.dtype);
        std::vector<ValueId> results = m_out.graph.add(*node.op, inputs, node.attributes, origin);
        for (ValueId& result : results)
            result = cast(result, doubled(m_out.graph.value(result).spec.dtype));
        set_results(node, results);
    }
    void set_results(const Node& node, const std::vector<ValueId>& results) {
        for (std::size_t i = 0; i < results.size(); ++i)
            m_out.values[node.outputs[i].index] = results[i];
    }

    const Graph& m_from;
    DoubledGraph m_out;
};

// The last of the imported nodes that a node stands for: what it computes is what that one computed.
class Ancestors {
public:
    Ancestors(const Graph& imported, const Graph& optimised) : m_imported(imported), m_optimised(optimised) {
        const std::vector<NodeId> order = imported.topological();
        m_places.assign(imported.node_slots(), -1);
        for (std::size_t i = 0; i < order.size(); ++i)
            m_places[order[i].index] = static_cast<std::int64_t>(i);
    }
    NodeId last(NodeId id) const {
        if (id.index < m_imported.node_slots())
            return id;
        NodeId best;
        for (const NodeId replaced : m_optimised.node(id).replaces)
            if (replaced.index < id.index)
                if (const NodeId found = last(replaced); found.valid() && (!best.valid() || place(found) > place(best)))
                    best = found;
        return best;
    }

private:
    std::int64_t place(NodeId id) const { return m_places[id.index]; }

    const Graph& m_imported;
    const Graph& m_optimised;
    std::vector<std::int64_t> m_places;
};

} // namespace

DoubledGraph doubled(const Graph& graph) {
    return Doubler(graph).run();
}

lang::TensorRef doubled(const lang::TensorRef& tensor) {
    if (!tensor || !ir::is_float(tensor->dtype) || tensor->dtype == ir::DType::F64)
        return tensor;
    lang::TensorRef wide(new lang::Tensor(*tensor));
    wide->dtype = ir::DType::F64;
    wide->offset = 0;
    wide->storage =
        std::make_shared<lang::Storage>(static_cast<std::size_t>(std::max<std::int64_t>(tensor->count(), 1)) * 8);
    lang::write_doubles(*wide, lang::read_doubles(*tensor));
    return wide;
}

std::map<std::uint32_t, ValueId> counterparts(const Graph& imported, const Graph& optimised) {
    const Ancestors ancestors(imported, optimised);
    std::map<std::uint32_t, ValueId> out;
    for (const NodeId id : optimised.topological()) {
        const NodeId origin = ancestors.last(id);
        if (!origin.valid())
            continue;
        const Node& node = optimised.node(id);
        const Node& old = imported.node(origin);
        if (node.outputs.size() != old.outputs.size())
            continue;
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const Value& made = optimised.value(node.outputs[i]);
            const Value& said = imported.value(old.outputs[i]);
            // What a rule puts in the place of a value has its name; what it makes on the way may be anything.
            const bool is_same = id == origin || (!said.name.empty() && made.name == said.name);
            if (is_same && same_shape(made.spec.shape, said.spec.shape))
                out[node.outputs[i].index] = old.outputs[i];
        }
    }
    return out;
}

} // namespace hidet::session
