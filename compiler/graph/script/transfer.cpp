// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/transfer.h"

#include "compiler/graph/script/methods.h"
#include "lang/base/text.h"
#include "lang/host/evaluator.h"
#include "lang/host/tensors/tensor_data.h"

namespace hidet::graph {

namespace {

using lang::ValueKind;
using HostValue = lang::Value;

bool has_numbers(const Value& value) {
    return value.data && value.data->has_data() && lang::holds_numbers(value.spec.dtype);
}

} // namespace

ValueId Transfer::traced_id(ValueId id) {
    if (const auto found = m_traced.find(id.index); found != m_traced.end())
        return found->second;
    const Value& value = m_graph.value(id);
    const ValueId traced =
        has_numbers(value) ? m_graphs.constant(value.data) : m_graphs.traced.add_input("", value.spec, value.device);
    if (has_numbers(value))
        m_known_constants[value.data.get()] = id;
    m_traced[id.index] = traced;
    m_known[traced.index] = id;
    return traced;
}

HostValue Transfer::shown(ValueId id) {
    const ValueId traced = traced_id(id);
    const Value& value = m_graph.value(id);
    return has_numbers(value) ? HostValue::tensor(value.data) : m_graphs.symbolic(traced);
}

void Transfer::show(NodeId id) {
    const Node& node = m_graph.node(id);
    std::vector<ValueId> inputs = transformed(node.inputs, [&](ValueId input) { return traced_id(input); });
    const auto outputs =
        m_graphs.traced.add(*node.op, std::move(inputs), node.attributes, {node.name, node.site, {}, {}});
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        m_traced[node.outputs[i].index] = outputs[i];
        m_known[outputs[i].index] = node.outputs[i];
    }
}

HostValue Transfer::operator_shown(NodeId node) {
    show(node);
    const ValueId first = m_traced.at(m_graph.node(node).outputs[0].index);
    return operator_value(m_graphs, m_graphs.traced.value(first).producer);
}

ValueId Transfer::copied(ValueId traced, Span span) {
    const Graph& from = m_graphs.traced;
    std::vector<ValueId> waiting = {traced};
    while (!waiting.empty()) {
        const ValueId id = waiting.back();
        if (m_known.contains(id.index)) {
            waiting.pop_back();
            continue;
        }
        const Value& value = from.value(id);
        if (value.is_constant()) {
            m_known[id.index] = m_graph.add_constant(value.data, value.name);
            continue;
        }
        if (!value.producer.valid())
            fail(DiagId::OperatorRefused, span,
                 cat("the result depends on a symbolic tensor ", text_of(value.spec), " that is not of this graph"));
        const Node& node = from.node(value.producer);
        const std::size_t before = waiting.size();
        std::vector<ValueId> inputs;
        for (ValueId input : node.inputs) {
            if (const auto known = m_known.find(input.index); known != m_known.end())
                inputs.push_back(known->second);
            else
                waiting.push_back(input);
        }
        if (waiting.size() > before)
            continue;
        const std::vector<ValueId> outputs = m_add(node, std::move(inputs));
        for (std::size_t i = 0; i < outputs.size(); ++i)
            m_known[node.outputs[i].index] = outputs[i];
    }
    return m_known.at(traced.index);
}

ValueId Transfer::taken(const HostValue& tensor, Span span) {
    if (const auto* symbolic = tensor.extension<SymbolicTensor>())
        return copied(symbolic->id, span);
    if (!tensor.is(ValueKind::Tensor))
        fail(DiagId::BadType, span, cat("the result is made of tensors, not of '", lang::type_name(tensor), "'"));
    const lang::TensorRef& data = tensor.as_tensor();
    if (const auto known = m_known_constants.find(data.get()); known != m_known_constants.end())
        return known->second;
    if (!data->has_data())
        fail(DiagId::OperatorRefused, span, "the result is a tensor without data");
    return copied(m_graphs.constant(data), span);
}

std::vector<ValueId> Transfer::all_taken(lang::Evaluator& evaluator, const HostValue& tensors, Span span) {
    std::vector<ValueId> ids;
    if (!tensors.is(ValueKind::List) && !tensors.is(ValueKind::Tuple))
        return {taken(tensors, span)};
    for (const HostValue& each : evaluator.iterate(tensors, span))
        ids.push_back(taken(each, span));
    return ids;
}

} // namespace hidet::graph
