// SPDX-License-Identifier: Apache-2.0
// Puts a node of CheckIndices before every operator that finds its elements by indices which data decides. Its result is
// what the operator reads, so no check is dropped as unused or comes too late. Inputs of the graph are left to the run, which
// looks at them first, unless nobody will (GraphOptions::checks_inputs); so are operators of the host, which look themselves.
#include <algorithm>

#include "compiler/graph/core/indices.h"
#include "compiler/graph/passes/passes.h"

namespace hidet::graph {

namespace {

bool is_subset(const std::vector<std::string>& names, const std::vector<std::string>& of) {
    return std::ranges::all_of(names, [&](const std::string& name) { return std::ranges::binary_search(of, name); });
}

// Sorted.
std::vector<std::string> symbols_of_inputs(const Graph& graph) {
    std::vector<std::string> all;
    for (const ValueId input : graph.inputs)
        std::ranges::move(symbols_of(graph.value(input).spec.shape), std::back_inserter(all));
    std::ranges::sort(all);
    return all;
}

// Operators whose result has elements of their first operand, and no others but 0.
bool only_moves(const Node& node) {
    return node.op->shares_memory || node.is(OpId::StridedSlice) || node.is(OpId::Broadcast) || node.is(OpId::Take) ||
           node.is(OpId::Gather) || node.is(OpId::PermuteDims) || node.is(OpId::Flip) || node.is(OpId::Tile);
}

const Value& moved_from(const Graph& graph, ValueId value) {
    while (graph.value(value).producer.valid() && only_moves(graph.node(graph.value(value).producer)))
        value = graph.node(graph.value(value).producer).inputs[0];
    return graph.value(value);
}

// Constants that fit now fit in every run, and so does what a run picks out of them: of coordinates, as they stand.
bool are_known_to_fit(const Graph& graph, ValueId operand, const Indexing& indexing) {
    const auto extents = constant_shape(indexing.extents);
    if (!extents)
        return false;
    const Value& indices =
        extents->size() == 1 && extents->front() > 0 ? moved_from(graph, operand) : graph.value(operand);
    if (!indices.is_constant() || !indices.data->has_data())
        return false;
    try {
        check_indices(*indices.data, {*extents, indexing.is_from_end, indexing.ignored}, {}, {});
        return true;
    } catch (const OpError&) {
        return false;
    }
}

class IndexChecks {
public:
    explicit IndexChecks(PassState& state)
        : m_state(state), m_graph(state.graph), m_known(symbols_of_inputs(state.graph)) {}

    void visit(NodeId id) {
        const OpInfo& op = *m_graph.node(id).op;
        if (!op.indexes || op.run)
            return;
        for (const Indexing& each : op.indexes(m_graph.call_of(id)))
            if (!is_left_out(id, each))
                check(id, each);
    }

private:
    bool is_left_out(NodeId id, const Indexing& indexing) const {
        const ValueId indices = m_graph.node(id).inputs[indexing.operand];
        const bool is_input = std::ranges::find(m_graph.inputs, given_as(m_graph, indices)) != m_graph.inputs.end();
        const NodeId producer = m_graph.value(indices).producer;
        const bool is_checked = producer.valid() && m_graph.node(producer).is(OpId::CheckIndices);
        return is_checked || (is_input && !m_state.options.checks_inputs) || indexing.extents.empty() ||
               are_known_to_fit(m_graph, indices, indexing);
    }

    void check(NodeId id, const Indexing& indexing) {
        const Node& reader = m_graph.node(id);
        const ValueId indices = reader.inputs[indexing.operand];
        std::vector<ValueId> operands = {indices};
        // An extent that the run finds out is known when its tensor is.
        if (!is_subset(symbols_of(indexing.extents), m_known))
            std::ranges::copy_if(reader.inputs, std::back_inserter(operands),
                                 [&](ValueId each) { return each != indices; });
        const std::string& name = m_graph.value(indices).name;
        Attributes attributes = {{"extents", indexing.extents},
                                 {"from_end", indexing.is_from_end},
                                 {"ignored", indexing.ignored ? Ints{*indexing.ignored} : Ints{}},
                                 {"tensor", name.empty() ? "indices" : name}};
        const ValueId checked = m_graph.add_one(op_info::CheckIndices(), std::move(operands), std::move(attributes),
                                                {{}, reader.site, {id}, "check-indices"});
        m_graph.set_input(id, static_cast<std::uint32_t>(indexing.operand), checked);
        m_state.record.matches.push_back({"check-indices", {id}, {m_graph.value(checked).producer}, {}});
    }

    PassState& m_state;
    Graph& m_graph;
    std::vector<std::string> m_known;
};

} // namespace

void check_indices(PassState& state) {
    IndexChecks checks(state);
    for (const NodeId id : state.graph.topological()) {
        if (state.is_cancelled())
            return;
        checks.visit(id);
    }
}

} // namespace hidet::graph
