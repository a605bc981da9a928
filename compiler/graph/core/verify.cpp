// SPDX-License-Identifier: Apache-2.0
// Three walks: over values, over nodes, and over the uses that both must agree on. Whatever they find, they go on, and follow
// no id that is out of range.
#include "compiler/graph/core/verify.h"

#include <algorithm>

#include "compiler/ir/ops.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

constexpr std::size_t most_violations = 50;

// Extents that are both known are equal. One that is a symbol in one place may be known in the other: a pass replaces a value
// by one of which it knows more.
bool agree(const TensorSpec& a, const TensorSpec& b) {
    if (a.dtype != b.dtype || a.shape.size() != b.shape.size())
        return false;
    for (std::size_t i = 0; i < a.shape.size(); ++i) {
        const auto x = constant_of(a.shape[i]);
        const auto y = constant_of(b.shape[i]);
        if (x && y && *x != *y)
            return false;
    }
    return true;
}

TensorSpec spec_of_variable(const ir::VarRef& tensor) {
    return {dtype_of(tensor), shape_of(tensor)};
}

class Verifier {
public:
    Verifier(const Graph& graph, VerifyDefinitions defines) : m_graph(graph), m_defines(defines) {}

    std::vector<std::string> run() {
        for (const ValueId input : m_graph.inputs)
            count_input(input);
        for (std::uint32_t i = 0; i < m_graph.node_slots(); ++i)
            if (m_graph.is_live({i}))
                count_edges({i});
        for (std::uint32_t i = 0; i < m_graph.value_slots(); ++i)
            check_value({i});
        for (const ValueId output : m_graph.outputs())
            check_output(output);
        if (!m_violations.empty())
            return std::move(m_violations); // what follows takes the edges for granted
        for (std::uint32_t i = 0; i < m_graph.node_slots(); ++i)
            if (m_graph.is_live({i}))
                check_node({i});
        check_order();
        return std::move(m_violations);
    }

private:
    struct Makers {
        std::uint32_t inputs = 0; // as an input of the graph
        std::uint32_t nodes = 0;
        NodeId node;              // the last one
        std::uint32_t output = 0; // of it
        std::vector<Use> uses;
    };

    // ---- reporting ----
    void require(bool holds, const std::string& where, std::string_view what) {
        if (!holds && m_violations.size() < most_violations)
            m_violations.push_back(cat(where, ": ", what));
    }
    std::string text_of_node(NodeId id) const {
        const Node& node = m_graph.node(id);
        return cat("node ", id.index, " (", node.op->name, node.name.empty() ? "" : " '" + node.name + "'", ")");
    }
    std::string text_of_value(ValueId id) const {
        const Value& value = m_graph.value(id);
        return cat("value ", id.index, value.name.empty() ? "" : " '" + value.name + "'");
    }

    // ---- edges ----
    bool is_value(ValueId id) const { return id.index < m_graph.value_slots(); }
    Makers& makers(ValueId id) {
        m_makers.resize(m_graph.value_slots());
        return m_makers[id.index];
    }
    void count_input(ValueId id) {
        require(is_value(id), "inputs", cat("there is no value ", id.index));
        if (is_value(id))
            ++makers(id).inputs;
    }
    void count_edges(NodeId id) {
        const Node& node = m_graph.node(id);
        require(!node.outputs.empty(), text_of_node(id), "it makes nothing");
        for (std::uint32_t i = 0; i < node.inputs.size(); ++i) {
            require(is_value(node.inputs[i]), text_of_node(id), cat("operand ", i, " is no value"));
            if (is_value(node.inputs[i]))
                makers(node.inputs[i]).uses.push_back({id, i});
        }
        for (std::uint32_t i = 0; i < node.outputs.size(); ++i) {
            require(is_value(node.outputs[i]), text_of_node(id), cat("result ", i, " is no value"));
            if (!is_value(node.outputs[i]))
                continue;
            Makers& made = makers(node.outputs[i]);
            ++made.nodes;
            made.node = id;
            made.output = i;
        }
        for (const NodeId replaced : node.replaces)
            require(replaced.index < m_graph.node_slots(), text_of_node(id),
                    cat("it replaces a node ", replaced.index, " that never was"));
    }

    // ---- values ----
    void check_value(ValueId id) {
        const Value& value = m_graph.value(id);
        const Makers& made = makers(id);
        const std::string where = text_of_value(id);
        const std::uint32_t count = made.inputs + made.nodes + value.is_constant();
        const bool is_read = !made.uses.empty() || m_graph.is_output(id);
        require(count <= 1, where, "it is made more than once");
        require(count == 1 || !is_read, where, "it is read, and nothing makes it");
        if (made.nodes == 1)
            require(value.producer == made.node && value.output == made.output, where, "its producer is another node");
        else
            require(count == 0 || !value.producer.valid(), where, "it is made by no node, and has a producer");
        check_uses(value, made, where);
        for (const Dim& extent : value.spec.shape) {
            require(extent && ir::scalar_of(extent->type) == ir::DType::I64, where, "an extent is no i64");
            const auto constant = extent ? constant_of(extent) : std::nullopt;
            require(!constant || *constant >= 0, where, "an extent is negative");
        }
        if (value.is_constant())
            check_data(value, where);
    }
    void check_uses(const Value& value, const Makers& made, const std::string& where) {
        std::vector<Use> said = value.uses;
        std::ranges::sort(said);
        std::vector<Use> found = made.uses;
        std::ranges::sort(found);
        require(said == found, where, "its list of uses is not what nodes read");
    }
    void check_data(const Value& value, const std::string& where) {
        const lang::Tensor& data = *value.data;
        const auto extents = constant_shape(value.spec.shape);
        require(data.dtype == value.spec.dtype, where, "its data has another type");
        require(extents && *extents == data.shape, where, "its data has another shape");
        require(data.device == value.device, where, "its data is on another device");
        if (!data.has_data() || data.count() < 0)
            return;
        const auto bits =
            static_cast<std::uint64_t>(data.count()) * static_cast<std::uint64_t>(ir::info(data.dtype).bits);
        require(data.offset + (bits + 7) / 8 <= data.storage->bytes, where, "its data has too few bytes");
    }
    void check_output(ValueId id) {
        require(is_value(id), "outputs", cat("there is no value ", id.index));
        if (!is_value(id))
            return;
        const Value& value = m_graph.value(id);
        const Makers& made = makers(id);
        require(made.inputs + made.nodes + value.is_constant() > 0, text_of_value(id), "nothing makes this result");
    }

    // ---- nodes ----
    void check_node(NodeId id) {
        const Node& node = m_graph.node(id);
        const std::string where = text_of_node(id);
        const bool is_as_its_row = check_row(node, where);
        require((node.op->define != nullptr) == (node.task != nullptr), where,
                "it has a compute definition where its operator has none, or lacks one");
        if (node.task)
            check_task(node, *node.task, where);
        if (is_as_its_row && node.task && m_defines == VerifyDefinitions::Yes)
            check_definition(id, where);
        check_devices(node, where);
    }
    bool check_row(const Node& node, const std::string& where) {
        try {
            check_arity(*node.op, node.inputs.size());
            check_attributes(*node.op, node.attributes);
            return true;
        } catch (const OpError& error) {
            require(false, where, error.what());
            return false;
        }
    }
    void check_task(const Node& node, const Task& task, const std::string& where) {
        if (task.inputs.size() != node.inputs.size() || task.outputs.size() != node.outputs.size()) {
            require(false, where, "its compute definition has another number of operands or results");
            return;
        }
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            require(agree(spec_of_variable(task.inputs[i]), m_graph.value(node.inputs[i]).spec), where,
                    cat("operand ", i, " is ", text_of(m_graph.value(node.inputs[i]).spec), ", and it is defined on ",
                        text_of(spec_of_variable(task.inputs[i]))));
        for (std::size_t i = 0; i < node.outputs.size(); ++i)
            require(agree(spec_of_variable(task.outputs[i]), m_graph.value(node.outputs[i]).spec), where,
                    cat("result ", i, " is ", text_of(m_graph.value(node.outputs[i]).spec), ", and it computes ",
                        text_of(spec_of_variable(task.outputs[i]))));
    }
    void check_definition(NodeId id, const std::string& where) {
        const Node& node = m_graph.node(id);
        try {
            const Task made = node.op->define(m_graph.call_of(id));
            bool is_same = made.outputs.size() == node.outputs.size();
            for (std::size_t i = 0; is_same && i < made.outputs.size(); ++i)
                is_same = agree(spec_of_variable(made.outputs[i]), m_graph.value(node.outputs[i]).spec);
            require(is_same, where, "its attributes and operands make other results");
        } catch (const OpError& error) {
            require(false, where, error.what());
        }
    }
    // As where the node was made: a result is on a GPU where an operand is.
    void check_devices(const Node& node, const std::string& where) {
        const auto on_gpu = [&](ValueId id) { return m_graph.value(id).device == Device::Cuda; };
        const bool is_given = std::ranges::any_of(node.inputs, on_gpu);
        for (const ValueId output : node.outputs) {
            require(!is_given || on_gpu(output), where, "a result is on the CPU, and an operand on a GPU");
            require(on_gpu(output) == on_gpu(node.outputs.front()), where, "its results are on several devices");
        }
    }
    void check_order() {
        std::size_t live = 0;
        for (std::uint32_t i = 0; i < m_graph.node_slots(); ++i)
            live += m_graph.is_live({i});
        require(m_graph.topological().size() == live, "graph", "nodes depend on each other in a circle");
    }

    const Graph& m_graph;
    const VerifyDefinitions m_defines;
    std::vector<Makers> m_makers; // by value
    std::vector<std::string> m_violations;
};

} // namespace

std::vector<std::string> verify(const Graph& graph, VerifyDefinitions defines) {
    return Verifier(graph, defines).run();
}

} // namespace hidet::graph
