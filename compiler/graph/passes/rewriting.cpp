// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "compiler/graph/core/data.h"
#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/passes/rewrite.h"
#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

// Weights are folded whatever their size; this bounds what a rule can make grow.
constexpr std::int64_t most_folded_elements = std::int64_t(1) << 28;

bool is_same_kind(const TensorSpec& a, const TensorSpec& b) {
    return a.dtype == b.dtype && !differ(a.shape, b.shape);
}

} // namespace

NodeId Rewriting::made_by(ValueId value, OpId op) const {
    const NodeId producer = graph.value(value).producer;
    return producer.valid() && is(producer, op) ? producer : NodeId();
}

bool Rewriting::is_constant(ValueId value) const {
    const Value& each = graph.value(value);
    return each.data && each.data->has_data() && lang::holds_numbers(each.spec.dtype);
}

std::optional<double> Rewriting::scalar(ValueId value) const {
    if (!is_constant(value) || graph.value(value).data->count() != 1)
        return std::nullopt;
    return lang::element_double(*graph.value(value).data, 0);
}

bool Rewriting::only_reader(ValueId value, NodeId reader) const {
    return !graph.is_output(value) &&
           std::ranges::all_of(graph.value(value).uses, [&](const Use& use) { return use.node == reader; });
}

std::int64_t Rewriting::element_count_of(ValueId constant) const {
    return graph.value(constant).data->count();
}

ValueId Rewriting::add(OpId op, std::vector<ValueId> inputs, Attributes attributes) {
    return add_all(op, std::move(inputs), std::move(attributes)).front();
}

std::vector<ValueId> Rewriting::add_all(OpId id, std::vector<ValueId> inputs, Attributes attributes) {
    const OpInfo& op = info_of(id);
    if (!inputs.empty() && std::ranges::all_of(inputs, [&](ValueId input) { return is_constant(input); })) {
        OpCall call(op, {}, attributes);
        Tensors data;
        for (ValueId input : inputs) {
            call.inputs.push_back(spec(input));
            data.push_back(graph.value(input).data);
        }
        if (const auto folded = fold(call, data, most_folded_elements)) {
            return transformed(*folded, [&](const lang::TensorRef& each) { return constant(each); });
        }
    }
    NodeOrigin origin;
    origin.site = graph.node(m_root).site;
    origin.rule = m_rule;
    std::vector<ValueId> results = graph.add(op, std::move(inputs), std::move(attributes), std::move(origin));
    m_made.push_back(graph.value(results.front()).producer);
    return results;
}

ValueId Rewriting::constant(lang::TensorRef data) {
    return graph.add_constant(std::move(data));
}

ValueId Rewriting::number(double value, ir::DType dtype) {
    return constant(scalar_tensor(dtype, value));
}

void Rewriting::replace(ValueId old, ValueId by) {
    if (!is_same_kind(spec(old), spec(by)))
        throw OpError("it replaces ", text_of(spec(old)), " by ", text_of(spec(by)));
    if (graph.is_output(old) && !graph.value(by).name.empty())
        throw KeepsName("a result of the graph keeps its name");
    m_old_values.push_back(old);
    m_new_values.push_back(by);
}

void Rewriting::begin(std::string rule, NodeId root) {
    m_rule = std::move(rule);
    m_root = root;
    m_made.clear();
    m_old_values.clear();
    m_new_values.clear();
    m_note.clear();
}

Match Rewriting::finish() {
    Match match{m_rule, {m_root}, {}, std::move(m_note)};
    for (std::size_t i = 0; i < m_old_values.size(); ++i)
        take_place(m_old_values[i], m_new_values[i]);
    for (ValueId old : m_old_values) {
        if (!graph.value(old).producer.valid())
            continue;
        const std::vector<NodeId> dropped = graph.drop_if_unused(graph.value(old).producer);
        match.before.insert(match.before.end(), dropped.begin(), dropped.end());
    }
    give_up(); // of what it made, what nobody reads
    std::erase_if(match.before, [&](NodeId node) { return std::ranges::find(m_made, node) != m_made.end(); });
    std::ranges::sort(match.before);
    match.before.erase(std::ranges::unique(match.before).begin(), match.before.end());
    for (NodeId made : m_made) {
        if (!graph.is_live(made))
            continue;
        graph.node(made).replaces = match.before;
        match.after.push_back(made);
    }
    name_result(match.after);
    return match;
}

// One tensor that is replaced depends on its inputs alone, so a way back to it leads over what the rule made. With several,
// it may lead over anything between them.
void Rewriting::check_for_cycles() const {
    const bool anywhere = m_old_values.size() > 1;
    for (std::size_t first = 0; first < m_old_values.size(); ++first) {
        std::vector<ValueId> waiting = {m_new_values[first]};
        std::unordered_set<std::uint32_t> seen;
        while (!waiting.empty()) {
            const ValueId id = waiting.back();
            waiting.pop_back();
            if (!seen.insert(id.index).second)
                continue;
            const auto old = std::ranges::find(m_old_values, id);
            if (old != m_old_values.end()) {
                const auto at = static_cast<std::size_t>(old - m_old_values.begin());
                if (at == first)
                    throw OpError("what it puts in the place of a tensor is computed from that tensor");
                waiting.push_back(m_new_values[at]); // its readers read this
                continue;
            }
            const NodeId producer = graph.value(id).producer;
            if (!producer.valid() || (!anywhere && std::ranges::find(m_made, producer) == m_made.end()))
                continue;
            const std::vector<ValueId>& inputs = graph.node(producer).inputs;
            waiting.insert(waiting.end(), inputs.begin(), inputs.end());
        }
    }
}

void Rewriting::take_place(ValueId old, ValueId by) {
    Value& result = graph.value(by);
    if (result.name.empty())
        result.name = std::exchange(graph.value(old).name, {});
    graph.replace(old, by);
}

// What a rule made is known by the name of its root from now on.
void Rewriting::name_result(const std::vector<NodeId>& made) {
    for (ValueId by : m_new_values) {
        const NodeId producer = graph.value(by).producer;
        if (!producer.valid() || std::ranges::find(made, producer) == made.end() || !graph.node(producer).name.empty())
            continue;
        graph.node(producer).name = graph.node(m_root).name;
        return;
    }
}

void Rewriting::give_up() {
    for (auto each = m_made.rbegin(); each != m_made.rend(); ++each)
        graph.drop_if_unused(*each);
}

} // namespace hidet::graph
