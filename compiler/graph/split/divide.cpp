// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/split/divide.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include "compiler/graph/split/sections.h"

namespace hidet::graph {

namespace {

std::vector<std::size_t> sections_in(const Placement& placement, std::int64_t extent) {
    if (!has_sections(placement))
        return {static_cast<std::size_t>(extent)};
    std::vector<std::size_t> out;
    for (const std::int64_t each : placement.sections)
        if (each != 0)
            out.push_back(static_cast<std::size_t>(each));
    return out;
}

// The part of a constant along an axis, of each section one behind the other, in memory of its own.
lang::TensorRef part_of(const lang::Tensor& tensor, const Placement& placement, const Share& share) {
    const std::size_t axis = placement.axis;
    lang::TensorRef part(new lang::Tensor(tensor));
    part->shape[axis] /= share.count;
    part->offset = 0;
    if (!tensor.has_data()) // the model is only looked at
        return part;
    const auto item = static_cast<std::size_t>(ir::bytes_of(tensor.dtype));
    part->storage =
        std::make_shared<lang::Storage>(std::max<std::size_t>(1, static_cast<std::size_t>(part->count()) * item));
    std::size_t outer = 1, row = item;
    for (std::size_t d = 0; d < tensor.shape.size(); ++d)
        (d < axis ? outer : row) *= static_cast<std::size_t>(part->shape[d]);
    const std::size_t one = row / static_cast<std::size_t>(part->shape[axis]);
    const std::vector<std::size_t> sections = sections_in(placement, tensor.shape[axis]);
    const std::byte* from = tensor.read();
    std::byte* to = part->data();
    for (std::size_t i = 0; i < outer && row > 0; ++i)
        for (const std::size_t section : sections) {
            const std::size_t bytes = section / static_cast<std::size_t>(share.count) * one;
            std::memcpy(to, from + static_cast<std::size_t>(share.rank) * bytes, bytes);
            to += bytes;
            from += section * one;
        }
    return part;
}

class Dividing {
public:
    Dividing(Graph& graph, const Chosen& chosen, const Share& share)
        : m_graph(graph), m_chosen(chosen), m_share(share) {}

    Divided run() {
        for (const NodeId id : m_graph.topological())
            divide(id);
        m_origin = {};
        std::vector<ValueId> outputs;
        for (const ValueId output : m_graph.outputs())
            outputs.push_back(named(output));
        m_graph.set_outputs(std::move(outputs));
        m_graph.drop_unused();
        return std::move(m_divided);
    }

private:
    void divide(NodeId id) {
        const Way& way = m_chosen.ways.at(id);
        const Node node = m_graph.node(id); // slots move
        m_origin = {node.name, node.site, {id}, rule_of_parts};
        m_made = &m_divided.made[id];
        std::vector<ValueId> inputs;
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            inputs.push_back(placed(node.inputs[i], way.inputs[i]));
        if (node.op->exchanges)
            return exchange_again(id, inputs[0]);
        if (inputs == node.inputs)
            return;
        const std::vector<ValueId> outputs =
            add(*node.op, std::move(inputs), attributes_of_part(m_graph, node, way, m_share.count));
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            m_placed[{node.outputs[i], way.result}] = outputs[i];
            m_is_replaced.insert(node.outputs[i]);
        }
    }
    // What a division before this one has made stays, behind what came to stand before it.
    void exchange_again(NodeId id, ValueId given) {
        if (m_graph.node(id).inputs[0] != given)
            m_graph.set_input(id, 0, given);
        if (m_graph.node(id).inputs.size() > 1)
            m_graph.set_input(id, 1, m_exchanged.valid() ? m_exchanged : given);
        m_exchanged = m_graph.node(id).outputs[0];
    }
    std::vector<ValueId> add(const OpInfo& op, std::vector<ValueId> inputs, Attributes attributes) {
        std::vector<ValueId> outputs = m_graph.add(op, std::move(inputs), std::move(attributes), m_origin);
        if (m_made)
            m_made->push_back(m_graph.value(outputs[0]).producer);
        return outputs;
    }
    ValueId add_one(const OpInfo& op, ValueId input, Attributes attributes) {
        return add(op, {input}, std::move(attributes)).front();
    }

    ValueId placed(ValueId value, const Placement& wanted) {
        if (const auto known = m_placed.find({value, wanted}); known != m_placed.end())
            return known->second;
        const bool is_as_it_was = wanted == whole && !m_is_replaced.contains(value);
        const ValueId made = is_as_it_was ? value : made_of(value, wanted);
        m_placed[{value, wanted}] = made;
        return made;
    }
    ValueId made_of(ValueId value, const Placement& wanted) {
        if (m_graph.value(value).is_constant())
            return part_of_constant(value, wanted);
        if (wanted == whole) {
            const auto form = m_placed.lower_bound({value, whole});
            return form->first.second == partial ? reduced(form->second)
                                                 : gathered(form->second, form->first.second.axis);
        }
        return sliced(placed(value, whole), wanted.axis);
    }
    ValueId part_of_constant(ValueId value, const Placement& placement) {
        return m_graph.add_constant(part_of(*m_graph.value(value).data, placement, m_share), m_graph.value(value).name);
    }
    ValueId sliced(ValueId value, std::size_t axis) {
        return add_one(op_info::StridedSlice(), value, attributes_of_slice(m_graph, value, axis, m_share));
    }
    ValueId exchanged(const OpInfo& op, ValueId value, Attributes attributes) {
        std::vector<ValueId> inputs = {value};
        if (m_exchanged.valid())
            inputs.push_back(m_exchanged);
        else if (m_share.group != 0)
            inputs.push_back(value); // another division puts what comes before it there
        attributes.set("group", m_share.group);
        attributes.set("size", m_share.count);
        return m_exchanged = add(op, std::move(inputs), std::move(attributes)).front();
    }
    ValueId reduced(ValueId value) {
        Attributes attributes;
        attributes.set("reduction", std::string("sum"));
        return exchanged(op_info::AllReduce(), value, std::move(attributes));
    }
    // Parts come one behind the other: their axis is moved to its place.
    ValueId gathered(ValueId part, std::size_t axis) {
        const Shape shape = m_graph.value(part).spec.shape;
        const ValueId parts = exchanged(op_info::AllGather(), part, {});
        if (axis == 0)
            return parts;
        Shape apart = shape, joined = shape;
        apart.insert(apart.begin(), dim(m_share.count));
        joined[axis] = dim(constant_of(shape[axis]).value() * m_share.count);
        Ints order(apart.size());
        std::iota(order.begin(), order.end(), 0);
        std::rotate(order.begin(), order.begin() + 1, order.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
        const ValueId moved = add_one(op_info::PermuteDims(), reshaped(parts, std::move(apart)), {{"axes", order}});
        return reshaped(moved, std::move(joined));
    }
    ValueId reshaped(ValueId value, Shape shape) {
        return add_one(op_info::Reshape(), value, {{"shape", std::move(shape)}});
    }
    // A result of the graph keeps its name.
    ValueId named(ValueId output) {
        m_made = nullptr;
        m_origin.rule = rule_of_parts;
        const ValueId made = placed(output, whole);
        if (made != output) {
            m_graph.value(made).name = m_graph.value(output).name;
            m_graph.value(output).name.clear();
        }
        return made;
    }

    Graph& m_graph;
    const Chosen& m_chosen;
    const Share m_share;
    std::map<std::pair<ValueId, Placement>, ValueId> m_placed; // what a value is in a placement
    std::set<ValueId> m_is_replaced;                           // its node computes no more
    ValueId m_exchanged;                                       // what the last exchange made
    NodeOrigin m_origin;
    std::vector<NodeId>* m_made = nullptr;
    Divided m_divided;
};

} // namespace

Attributes attributes_of_part(const Graph& graph, const Node& node, const Way& way, std::int64_t count) {
    Attributes attributes = node.attributes;
    if (way.result.kind == Placement::Kind::Split && node.is_any_of({OpId::Reshape, OpId::Broadcast})) {
        Shape shape = graph.value(node.outputs[0]).spec.shape;
        shape[way.result.axis] = dim(constant_of(shape[way.result.axis]).value() / count);
        attributes.set("shape", std::move(shape));
    }
    if (node.is(OpId::StridedSlice) && has_sections(way.inputs[0]))
        if (const auto taken = one_slice_of(graph, node)) {
            Shape starts = extents_of(node, "starts"), ends = extents_of(node, "ends");
            starts[taken->row] = dim(taken->start / count);
            ends[taken->row] = dim(taken->end / count);
            attributes.set("starts", std::move(starts));
            attributes.set("ends", std::move(ends));
        }
    return attributes;
}

Attributes attributes_of_slice(const Graph& graph, ValueId value, std::size_t axis, const Share& share) {
    const std::int64_t extent = constant_of(graph.value(value).spec.shape[axis]).value() / share.count;
    Attributes attributes;
    attributes.set("starts", Shape{dim(share.rank * extent)});
    attributes.set("ends", Shape{dim((share.rank + 1) * extent)});
    attributes.set("axes", Ints{static_cast<std::int64_t>(axis)});
    attributes.set("strides", Ints{1});
    return attributes;
}

Divided both(Divided first, Divided second) {
    for (auto& [before, after] : first.made) {
        std::vector<NodeId> now;
        for (const NodeId each : after) {
            auto later = second.made.extract(each);
            if (later.empty() || later.mapped().empty())
                now.push_back(each);
            else
                now.insert(now.end(), later.mapped().begin(), later.mapped().end());
        }
        after = std::move(now);
    }
    for (auto& [before, after] : second.made) // of what the first one has left alone
        if (std::vector<NodeId>& known = first.made[before]; known.empty())
            known = std::move(after);
    return first;
}

Divided divide(Graph& graph, const Chosen& chosen, const Share& share) {
    return Dividing(graph, chosen, share).run();
}

} // namespace hidet::graph
