// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/signature.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/graph/plan/extent.h"
#include "compiler/schedule/implementation.h"
#include "lang/base/text.h"
#include "lang/base/text_hash.h"

namespace hidet::graph {

namespace {

// Constants of a few bytes may become part of the program; larger ones are arguments.
constexpr std::int64_t max_inlined_bytes = 64;

std::string bytes_text(const lang::Tensor& tensor) {
    const std::int64_t bytes = tensor.count() * item_bytes(tensor.dtype);
    if (!tensor.has_data() || bytes > max_inlined_bytes)
        return "";
    return hex_digits({reinterpret_cast<const char*>(tensor.read()), static_cast<std::size_t>(bytes)});
}

class Writer {
public:
    Writer(const Graph& graph, const Group& group) : m_graph(graph), m_group(group) {}

    GroupSignature run() {
        for (std::size_t i = 0; i < m_group.nodes.size(); ++i)
            m_place.emplace(m_group.nodes[i].index, i);
        for (std::size_t i = 0; i < m_group.nodes.size(); ++i)
            write(m_group.nodes[i], m_group.roles[i]);
        for (const Group& part : m_group.parts)
            put("a part of ", part.nodes.size(), "\n");
        for (const Updated& each : m_group.in_place)
            put(number_of(each.result), " in the place of ", number_of(each.input), "\n");
        return std::move(m_out);
    }

private:
    void write(NodeId id, Role role) {
        const Node& node = m_graph.node(id);
        m_out.nodes.push_back(id);
        put(node.op->name, id == m_group.anchor ? "*" : role == Role::Epilogue ? ">" : "<");
        // An operator of the user's: what it computes is in the task alone.
        if (node.is_any_of({OpId::OpaqueOperator, OpId::UserOperator}))
            put("{", task_text(*node.task), "}");
        for (const auto& [name, value] : node.attributes.items())
            write(id, name, value);
        for (const ValueId input : node.inputs)
            write_input(input);
        for (const ValueId output : node.outputs)
            write_output(output);
        put("\n");
    }
    void write(NodeId id, const std::string& name, const Attribute& value) {
        put(" ", name, "=", text_of(value));
        // The text of these does not say all that they hold.
        if (std::holds_alternative<lang::TensorRef>(value) ||
            std::holds_alternative<std::shared_ptr<const Graph>>(value))
            put("#", id.index);
    }
    void write_input(ValueId id) {
        const Value& value = m_graph.value(id);
        put(" ", number_of(id), ":", text_of(value.spec));
        if (value.is_constant())
            put(value.data->has_data() ? "=" : "=?", bytes_text(*value.data));
    }
    void write_output(ValueId id) {
        const Value& value = m_graph.value(id);
        const bool is_read_outside = m_graph.is_output(id) || std::ranges::any_of(value.uses, [&](const Use& use) {
                                         return !m_place.contains(use.node.index);
                                     });
        put(" ->", number_of(id), ":", text_of(value.spec), is_read_outside ? "!" : "");
    }
    std::size_t number_of(ValueId id) {
        const auto [found, is_new] = m_numbers.emplace(id.index, m_out.values.size());
        if (is_new)
            m_out.values.push_back(id);
        return found->second;
    }
    template <class... Parts>
    void put(const Parts&... parts) {
        m_out.text += cat(parts...);
    }

    const Graph& m_graph;
    const Group& m_group;
    std::unordered_map<std::uint32_t, std::size_t> m_place;
    std::unordered_map<std::uint32_t, std::size_t> m_numbers;
    GroupSignature m_out;
};

} // namespace

std::string task_text(const Task& task) {
    return cat(text_of(task), task.implementation ? task.implementation->key() : "");
}

GroupSignature signature_of(const Graph& graph, const Group& group) {
    return Writer(graph, group).run();
}

} // namespace hidet::graph
