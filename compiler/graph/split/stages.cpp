// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/split/stages.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "compiler/graph/core/extent_edges.h"
#include "compiler/graph/split/costs.h"
#include "lang/base/quantity.h"

namespace hidet::graph {

namespace {

constexpr double most_slower = 0.05; // than the best cuts, for fewer bytes that are sent
constexpr double unlimited = std::numeric_limits<double>::infinity();

std::string shown_name_of(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    return node.name.empty() ? graph.value(node.outputs[0]).shown_name() : node.name;
}

// What another stage cannot know before it is sent.
void check_extents(const Graph& graph) {
    for (const NodeId id : graph.topological())
        if (const Node& node = graph.node(id); !defined_symbols(graph, node).empty())
            throw OpError("a pipeline has no operator such as '", shown_name_of(graph, id), "', ", node.op->name,
                          ": how large its result is, is known when it runs");
}

std::int64_t batch_of(const Stages& stages, NodeId id) {
    const auto found = stages.batches.find(id);
    return found == stages.batches.end() ? 0 : found->second;
}

void note_sent(Stages& stages, const Graph& graph) {
    std::vector<NodeId> order = graph.topological();
    std::ranges::stable_sort(order, {}, [&](const NodeId id) { return batch_of(stages, id); });
    stages.sent.assign(static_cast<std::size_t>(stages.count - 1), {});
    for (const NodeId id : order)
        for (const ValueId value : graph.node(id).outputs) {
            int last = stages.of.at(id);
            for (const Use& use : graph.value(value).uses)
                last = std::max(last, stages.of.at(use.node));
            for (int stage = stages.of.at(id); stage < last; ++stage)
                stages.sent[static_cast<std::size_t>(stage)].push_back(value);
        }
}

// A dynamic program over the nodes in their order: of the nodes up to each place, in one stage, in two, and so on.
class Cutting {
public:
    Cutting(const Graph& graph, const artifact::TargetSpec& target, int count)
        : m_graph(graph), m_order(graph.topological()), m_costs(graph, target, count), m_count(count) {
        if (m_order.size() < static_cast<std::size_t>(count))
            throw OpError("a pipeline has an operator for each stage or more: ", count, " stages, and ", m_order.size(),
                          m_order.size() == 1 ? " operator" : " operators");
        add_costs();
    }

    Stages run() {
        const double least = rows().back().back().seconds;
        m_limit = least * (1 + most_slower);
        const std::vector<std::vector<Best>> best = rows();
        Stages stages{m_count, {}, {}, {}};
        std::size_t end = m_order.size();
        for (int stage = m_count - 1; stage >= 0; --stage) {
            const std::size_t begin = best[static_cast<std::size_t>(stage)][end].begin;
            for (std::size_t place = begin; place < end; ++place)
                stages.of[m_order[place]] = stage;
            end = begin;
        }
        note_sent(stages, m_graph);
        return stages;
    }

private:
    struct Best {
        double seconds = unlimited; // of the largest stage
        double bytes = 0;           // that are sent
        std::size_t begin = 0;      // of the last stage
    };
    bool is_better(const Best& one, const Best& other) const {
        const auto key = [&](const Best& of) {
            const bool is_limited = m_limit != unlimited;
            return std::tuple(of.seconds == unlimited, is_limited ? of.bytes : of.seconds, of.seconds);
        };
        return one.seconds <= m_limit && key(one) < key(other);
    }

    void add_costs() {
        m_seconds.push_back(0);
        std::map<NodeId, std::size_t> places;
        for (const NodeId id : m_order) {
            places[id] = m_seconds.size() - 1;
            m_seconds.push_back(m_seconds.back() + m_costs.compute_whole(m_graph.node(id)));
        }
        m_crossing.assign(m_order.size() + 1, 0);
        for (const NodeId id : m_order)
            for (const ValueId value : m_graph.node(id).outputs) {
                std::size_t last = places[id];
                for (const Use& use : m_graph.value(value).uses)
                    last = std::max(last, places.at(use.node));
                for (std::size_t cut = places[id] + 1; cut <= last; ++cut)
                    m_crossing[cut] += m_costs.bytes(value, whole);
            }
    }
    Best with_stage(const Best& before, std::size_t begin, std::size_t end) const {
        const double sent = m_crossing[end], took = m_seconds[end] - m_seconds[begin];
        const double seconds = took + (end == m_order.size() ? 0 : m_costs.send(sent));
        return {begin == 0 ? seconds : std::max(before.seconds, seconds), before.bytes + sent, begin};
    }
    std::vector<std::vector<Best>> rows() const {
        std::vector<std::vector<Best>> rows(static_cast<std::size_t>(m_count));
        for (std::size_t stage = 0; stage < rows.size(); ++stage) {
            rows[stage].resize(m_order.size() + 1);
            for (std::size_t end = stage + 1; end <= m_order.size(); ++end)
                rows[stage][end] =
                    stage == 0 ? best_of(Best(), with_stage({}, 0, end)) : last_stage(rows[stage - 1], stage, end);
        }
        return rows;
    }
    Best best_of(const Best& known, const Best& other) const { return is_better(other, known) ? other : known; }
    Best last_stage(const std::vector<Best>& before, std::size_t stage, std::size_t end) const {
        Best best;
        for (std::size_t begin = end - 1; begin >= stage; --begin) {
            const double took = m_seconds[end] - m_seconds[begin];
            if (took > m_limit || (m_limit == unlimited && took > best.seconds)) // and so are all longer ones
                break;
            best = best_of(best, with_stage(before[begin], begin, end));
        }
        return best;
    }

    const Graph& m_graph;
    const std::vector<NodeId> m_order;
    const Costs m_costs;
    const int m_count;
    double m_limit = unlimited;     // of the seconds of a stage
    std::vector<double> m_seconds;  // of all nodes before a place
    std::vector<double> m_crossing; // bytes that are sent where a stage ends before it
};

// Sends are broadcasts in groups of two, which all processes with a part in them make in one order: of each part of the batch
// what comes from the stage before and what goes to the one behind, and then the results.
class Keeping {
public:
    Keeping(Graph& graph, const Stages& stages, const StagePlace& place)
        : m_graph(graph), m_stages(stages), m_place(place) {}

    Divided run() {
        const std::vector<ValueId> results = m_graph.outputs();
        std::int64_t last = 0;
        for (const auto& [node, batch] : m_stages.batches)
            last = std::max(last, batch);
        for (std::int64_t batch = 0; batch <= last; ++batch) {
            for (const ValueId value : exchanged_by(m_place.stage - 1, batch))
                receive(value);
            for (const ValueId value : exchanged_by(m_place.stage, batch))
                broadcast(value, here(value), {m_place.group_behind, 2, 0});
        }
        std::vector<ValueId> outputs;
        for (const ValueId result : results)
            outputs.push_back(shared(result));
        m_graph.set_outputs(std::move(outputs));
        m_graph.drop_unused();
        return std::move(m_divided);
    }

private:
    struct Broadcast {
        std::int64_t group = 0, size = 1, from = 0;
    };

    // What a stage sends of a part of the batch.
    std::vector<ValueId> exchanged_by(int stage, std::int64_t batch) const {
        std::vector<ValueId> out;
        if (stage >= 0 && stage + 1 < m_stages.count)
            for (const ValueId value : m_stages.sent[static_cast<std::size_t>(stage)])
                if (batch_of(m_stages, m_graph.value(value).producer) == batch)
                    out.push_back(value);
        return out;
    }
    int stage_of(ValueId value) const { return m_stages.of.at(m_graph.value(value).producer); }
    NodeOrigin origin_of(ValueId value) const {
        const NodeId maker = m_graph.value(value).producer;
        return {m_graph.node(maker).name, m_graph.node(maker).site, {maker}, rule_of_parts};
    }
    // The value, or something like it where another stage makes it.
    ValueId here(ValueId value) {
        if (stage_of(value) == m_place.stage)
            return value;
        ValueId& known = m_here[value];
        if (!known.valid())
            known = add(op_info::Full(), value, {},
                        {{"shape", m_graph.value(value).spec.shape},
                         {"dtype", m_graph.value(value).spec.dtype},
                         {"device", std::string(m_graph.value(value).device == Device::Cuda ? "cuda" : "cpu")}});
        return known;
    }
    ValueId add(const OpInfo& op, ValueId for_value, std::vector<ValueId> inputs, Attributes attributes) {
        const ValueId made = m_graph.add_one(op, std::move(inputs), std::move(attributes), origin_of(for_value));
        m_divided.made[m_graph.value(for_value).producer].push_back(m_graph.value(made).producer);
        return made;
    }
    ValueId broadcast(ValueId value, ValueId given, const Broadcast& how) {
        std::vector<ValueId> inputs = {given};
        if (m_exchanged.valid())
            inputs.push_back(m_exchanged);
        return m_exchanged = add(op_info::BroadcastFrom(), value, std::move(inputs),
                                 {{"src", how.from}, {"group", how.group}, {"size", how.size}});
    }
    void receive(ValueId value) {
        const ValueId received = broadcast(value, here(value), {m_place.group_before, 2, 0});
        m_here[value] = received;
        const std::vector<Use> uses = m_graph.value(value).uses;
        for (const Use& use : uses)
            if (const auto stage = m_stages.of.find(use.node);
                stage != m_stages.of.end() && stage->second == m_place.stage)
                m_graph.set_input(use.node, use.input, received);
    }
    // A result, which keeps its name.
    ValueId shared(ValueId result) {
        if (!m_graph.value(result).producer.valid())
            return result;
        ValueId& known = m_shared[result];
        if (known.valid())
            return known;
        known = broadcast(result, here(result), {0, m_stages.count, stage_of(result)});
        m_graph.value(known).name = m_graph.value(result).name;
        m_graph.value(result).name.clear();
        return known;
    }

    Graph& m_graph;
    const Stages& m_stages;
    const StagePlace m_place;
    std::map<ValueId, ValueId> m_here, m_shared; // of values of other stages, and of results
    ValueId m_exchanged;                         // what the last exchange made
    Divided m_divided;
};

} // namespace

Stages choose_stages(const Graph& graph, const artifact::TargetSpec& target, int count) {
    check_extents(graph);
    return Cutting(graph, target, count).run();
}

void follow(Stages& stages, const Graph& graph, const Batches& batches) {
    if (batches.of.empty())
        return;
    stages.batches = batches.of;
    for (const auto& [made, before] : batches.replaced)
        stages.of[made] = stages.of.at(before);
    note_sent(stages, graph);
}

std::string text_of(const Stages& stages, const Graph& graph, NodeId node) {
    const int stage = stages.of.at(node);
    double bytes = 0;
    int last = stage;
    for (const ValueId value : graph.node(node).outputs)
        for (int each = stage; each + 1 < stages.count; ++each) {
            const std::vector<ValueId>& sent = stages.sent[static_cast<std::size_t>(each)];
            if (std::ranges::find(sent, value) == sent.end())
                break;
            bytes += each == stage ? bytes_of(graph, value) : 0;
            last = std::max(last, each + 1);
        }
    if (last == stage)
        return cat("stage ", stage);
    return cat("stage ", stage, ", sends ", bytes_text(bytes), " to stage ", stage + 1,
               last > stage + 1 ? cat(", and on to ", last) : "");
}

Divided keep_stage(Graph& graph, const Stages& stages, const StagePlace& place) {
    return Keeping(graph, stages, place).run();
}

} // namespace hidet::graph
