// SPDX-License-Identifier: Apache-2.0
// A whole model: values (tensors) and nodes (operators applied to values).
//
// A graph is one value that can be copied; passes edit it in place. Nodes and values have ids that are given once and never
// again, so what a pass made of what can be said for ever: a node that a pass makes lists the nodes it stands for
// (`replaces`) and the rule. Editing one node costs the number of its edges, never a walk of the graph, and dead nodes stay
// as empty slots: ids are indices. Order of ids is no order of execution; topological() is.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/graph/core/op.h"
#include "lang/base/source.h"

namespace hidet::graph {

template <class Tag>
struct Id {
    std::uint32_t index = UINT32_MAX;
    bool valid() const { return index != UINT32_MAX; }
    auto operator<=>(const Id&) const = default;
};
using ValueId = Id<struct ValueTag>;
using NodeId = Id<struct NodeTag>;

struct Use {
    NodeId node;
    std::uint32_t input = 0;
    auto operator<=>(const Use&) const = default;
};

struct Value {
    TensorSpec spec;
    Device device = Device::Cpu;
    std::string name;         // as the model has it; may be empty
    std::string called;       // an input by the script that traces it: for people, and part of no key
    NodeId producer;          // invalid: an input of the graph, or a constant
    std::uint32_t output = 0; // of the producer
    lang::TensorRef data;     // constants only
    std::vector<Use> uses;    // of live nodes; one per reading input
    bool is_constant() const { return data != nullptr; }
    const std::string& shown_name() const { return name.empty() ? called : name; }
};

// What a node stands for. One that an importer or a script made has a name or a site and replaces nothing. The origins of IR
// (lang/base/origin.h) say less: bytes of the script and a pass, since the IR that a pass took is gone.
struct NodeOrigin {
    std::string name;             // "/layer1/conv1/Conv" in the model; may be empty
    Span site;                    // of the call in a script
    std::vector<NodeId> replaces; // what a pass made it from
    std::string rule;             // and by which of its rules: "fold-scale-into-conv"
};

struct Node : NodeOrigin {
    const OpInfo* op = nullptr; // null: a slot whose node is gone
    std::vector<ValueId> inputs;
    Attributes attributes;
    std::vector<ValueId> outputs;
    std::shared_ptr<const Task> task; // null for host operators

    bool is(OpId id) const { return op && op->id == id; }
    bool is_any_of(std::initializer_list<OpId> ids) const { return op && graph::is_any_of(op->id, ids); }
    // An attribute as given, else its default. One that has neither is a bug of ours.
    template <class T>
    const T& get(std::string_view name) const {
        const Attribute* found = attribute_of(*op, attributes, name);
        HIDET_CHECK(found, std::string(name));
        return as<T>(name, *found);
    }
};

// What a graph is made of, for who reads one back: ids are indices, slots that are gone are empty. Uses and producers of
// values are worked out.
struct GraphParts {
    std::vector<Value> values;
    std::vector<Node> nodes;
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
};

// A result that a run leaves in the memory of an input: positions among the outputs and the inputs.
struct InPlace {
    std::uint32_t result = 0, input = 0;
};

class Graph : public FreshSymbols {
public:
    std::string name;

    // The ids are in range, and every value has one maker.
    static Graph from_parts(GraphParts parts);

    ValueId add_input(const std::string& name, TensorSpec spec, Device device = Device::Cpu);
    ValueId add_constant(lang::TensorRef data, const std::string& name = {});
    // Checks the inputs, infers the outputs; OpError when the operator refuses them.
    std::vector<ValueId> add(const OpInfo& op, std::vector<ValueId> inputs, Attributes attributes = {},
                             NodeOrigin origin = {});
    ValueId add_one(const OpInfo& op, std::vector<ValueId> inputs, Attributes attributes = {}, NodeOrigin origin = {}) {
        return add(op, std::move(inputs), std::move(attributes), std::move(origin)).front();
    }

    // All readers of `old` read `by` from now on, and so do the graph's outputs.
    void replace(ValueId old, ValueId by);
    void set_input(NodeId node, std::uint32_t input, ValueId by);
    // Drops the node when nobody reads what it makes, then its producers likewise. Returns what is gone.
    std::vector<NodeId> drop_if_unused(NodeId node);
    void drop_unused(); // all of them, constants too

    const Value& value(ValueId id) const { return m_values[id.index]; }
    const Node& node(NodeId id) const { return m_nodes[id.index]; }
    Value& value(ValueId id) { return m_values[id.index]; }
    Node& node(NodeId id) { return m_nodes[id.index]; }
    bool is_live(NodeId id) const { return m_nodes[id.index].op != nullptr; }
    std::size_t value_slots() const { return m_values.size(); }
    std::size_t node_slots() const { return m_nodes.size(); }
    bool is_output(ValueId id) const;
    OpCall call_of(NodeId id) const;

    std::vector<ValueId> inputs;
    std::vector<InPlace> in_place;
    const std::vector<ValueId>& outputs() const { return m_outputs; }
    void set_outputs(std::vector<ValueId> outputs);

    // Live nodes, producers first; among those that are free to stand anywhere, the one added first (but see waiting_order.h).
    std::vector<NodeId> topological() const;
    std::vector<std::string> symbols() const; // in the order of their names

    Dim fresh(std::string_view hint) override;

private:
    std::vector<Value> m_values;
    std::vector<Node> m_nodes;
    std::vector<ValueId> m_outputs;
    std::vector<std::uint32_t> m_output_counts; // by value: how often it is an output
    std::uint32_t m_fresh = 0;
};

} // namespace hidet::graph
