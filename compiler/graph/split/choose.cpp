// SPDX-License-Identifier: Apache-2.0
// A dynamic program over the nodes in their order. What the rest of the graph can see of a choice is in which placements the
// values exist that it still reads, so of all prefixes with the same ones the fastest is kept. A value that was exchanged once
// exists in the new placement, too, and the next reader has it for nothing. Few values are alive at a time, and of those
// fewer are in more than one placement; where there are more prefixes than `most_prefixes`, the slowest ones are dropped.
//
// Constants are placed for nothing, as each process reads its part of the file.
#include "compiler/graph/split/choose.h"

#include <algorithm>
#include <set>

#include "compiler/graph/split/costs.h"

namespace hidet::graph {

namespace {

constexpr std::size_t most_prefixes = 64;

// Operators: exchanges as they are. Batch: it is divided whatever that takes, and exchanges are only kept few. BatchAlone:
// without any, so that what comes of the parts is put together at the end alone.
enum class Sharing : std::uint8_t { Operators, Batch, BatchAlone };

struct Taken { // the last choice of a prefix
    std::uint32_t before = 0;
    std::uint32_t way = 0;
};

using Forms = std::set<Placement>;

struct Prefix {
    double seconds = 0;
    std::map<ValueId, Forms> alive; // that exist in more than the whole form, or in another one
    Taken taken;
};

struct Wanted {
    Sharing sharing = Sharing::Operators;
    AskedPlaces asked = {};
};

class Choosing {
public:
    Choosing(const Graph& graph, const Costs& costs, std::int64_t count, const Wanted& wanted)
        : m_graph(graph), m_costs(costs), m_wanted(wanted), m_all_ways(graph, count), m_order(graph.topological()) {
        for (std::size_t place = 0; place < m_order.size(); ++place)
            for (const ValueId input : graph.node(m_order[place]).inputs)
                m_last_read[input] = place;
        for (const ValueId output : graph.outputs())
            m_last_read[output] = m_order.size();
    }

    Chosen run() {
        Chosen chosen;
        std::vector<Prefix> prefixes(1);
        for (std::size_t place = 0; place < m_order.size(); ++place) {
            const std::vector<Way> ways = ways_of(m_order[place]);
            chosen.more[m_order[place]] = ways.size() > 1;
            prefixes = extended(prefixes, ways, place);
            if (prefixes.empty() && m_wanted.sharing == Sharing::BatchAlone)
                return {};
            if (prefixes.empty())
                throw OpError("operator '", name_of(m_order[place]), "' cannot be placed '",
                              m_wanted.asked.at(m_order[place]), "': no exchange makes its operands so");
        }
        for (Prefix& prefix : prefixes)
            for (const ValueId output : m_graph.outputs())
                if (m_wanted.sharing != Sharing::BatchAlone)
                    provide(prefix, output, whole);
        Taken taken = std::ranges::min_element(prefixes, {}, &Prefix::seconds)->taken;
        for (std::size_t place = m_order.size(); place-- > 0; taken = m_taken[taken.before])
            chosen.ways[m_order[place]] = ways_of(m_order[place])[taken.way];
        return chosen;
    }

private:
    std::string name_of(NodeId id) const {
        const Node& node = m_graph.node(id);
        return node.name.empty() ? m_graph.value(node.outputs[0]).shown_name() : node.name;
    }
    bool is_allowed(const Node& node, const Way& way) const {
        if (m_wanted.sharing == Sharing::Operators)
            return true;
        bool has_whole_constants = way.result != partial && !has_sections(way.result);
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            has_whole_constants &= way.inputs[i] == whole || !m_graph.value(node.inputs[i]).is_constant();
        return has_whole_constants;
    }
    std::vector<Way> ways_of(NodeId id) const {
        const Node& node = m_graph.node(id);
        std::vector<Way> ways = m_all_ways.of(node);
        std::erase_if(ways, [&](const Way& way) { return !is_allowed(node, way); });
        const auto asked = m_wanted.asked.find(id);
        if (asked == m_wanted.asked.end())
            return ways;
        std::string known;
        std::vector<Way> found;
        for (const Way& way : ways) {
            Placement plain = way.result;
            plain.sections = {};
            const std::string text = text_of(plain);
            if (text == asked->second)
                found.push_back(way);
            if (known.find(text) == std::string::npos)
                known += cat(known.empty() ? "" : ", ", text);
        }
        if (found.empty())
            throw OpError("operator '", name_of(id), "' cannot be placed '", asked->second, "', but: ", known);
        return found;
    }
    std::vector<Prefix> extended(const std::vector<Prefix>& prefixes, const std::vector<Way>& ways, std::size_t place) {
        std::map<std::map<ValueId, Forms>, Prefix> best;
        for (const Prefix& prefix : prefixes) {
            const auto before = static_cast<std::uint32_t>(m_taken.size());
            m_taken.push_back(prefix.taken);
            for (std::uint32_t i = 0; i < ways.size(); ++i) {
                Prefix next = prefix;
                if (!compute(next, m_graph.node(m_order[place]), ways[i]))
                    continue;
                forget(next, place);
                next.taken = {before, i};
                const auto [known, is_new] = best.try_emplace(next.alive, next);
                if (!is_new && next.seconds < known->second.seconds)
                    known->second = std::move(next);
            }
        }
        std::vector<Prefix> out;
        for (auto& [alive, prefix] : best)
            out.push_back(std::move(prefix));
        std::ranges::stable_sort(out, {}, &Prefix::seconds);
        out.resize(std::min(out.size(), most_prefixes));
        return out;
    }
    bool compute(Prefix& prefix, const Node& node, const Way& way) const {
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            if (!provide(prefix, node.inputs[i], way.inputs[i]))
                return false;
        prefix.seconds += m_costs.compute(node, way);
        if (way.is_shared())
            prefix.alive[node.outputs[0]] = {way.result};
        return true;
    }
    // False: no exchange makes that of what there is.
    bool provide(Prefix& prefix, ValueId value, const Placement& wanted) const {
        if (m_graph.value(value).is_constant())
            return wanted != partial;
        const auto known = prefix.alive.find(value);
        Forms forms = known == prefix.alive.end() ? Forms{whole} : known->second;
        if (forms.contains(wanted))
            return true;
        const bool is_there = std::ranges::any_of(forms, [](const Placement& each) { return !has_sections(each); });
        if (wanted == partial || has_sections(wanted) || !is_there) // sections are neither taken apart nor put together
            return false;
        if (!forms.contains(whole) && m_wanted.sharing == Sharing::BatchAlone)
            return false;
        if (!forms.contains(whole)) {
            prefix.seconds += forms.contains(partial) ? m_costs.reduce(value) : m_costs.gather(value);
            forms.insert(whole);
        }
        const bool is_batch = !m_graph.value(value).producer.valid() && wanted.axis == 0;
        if (m_wanted.sharing != Sharing::Operators && wanted != whole && !is_batch)
            return false;
        if (forms.insert(wanted).second)
            prefix.seconds += m_costs.slice(value, wanted.axis);
        prefix.alive[value] = std::move(forms);
        return true;
    }
    void forget(Prefix& prefix, std::size_t place) const {
        std::erase_if(prefix.alive, [&](const auto& each) {
            const auto last = m_last_read.find(each.first);
            return last == m_last_read.end() || last->second <= place || each.second == Forms{whole};
        });
    }

    const Graph& m_graph;
    const Costs& m_costs;
    const Wanted& m_wanted;
    const WaysOfGraph m_all_ways;
    const std::vector<NodeId> m_order;
    std::vector<Taken> m_taken;                 // of all prefixes that were extended
    std::map<ValueId, std::size_t> m_last_read; // place of a node, or behind all of them
};

} // namespace

static Chosen choose(const Graph& graph, const artifact::TargetSpec& target, std::int64_t count, const Wanted& wanted) {
    const double exchange_weight = wanted.sharing == Sharing::Operators ? 1 : 1e-6;
    const Costs costs(graph, target, count, exchange_weight);
    return Choosing(graph, costs, count, wanted).run();
}

Chosen choose_ways(const Graph& graph, const artifact::TargetSpec& target, std::int64_t count,
                   const AskedPlaces& asked) {
    return choose(graph, target, count, {Sharing::Operators, asked});
}

Chosen choose_batch(const Graph& graph, const artifact::TargetSpec& target, std::int64_t count) {
    return choose(graph, target, count, {Sharing::Batch});
}

Chosen choose_batch_alone(const Graph& graph, const artifact::TargetSpec& target, std::int64_t count) {
    return choose(graph, target, count, {Sharing::BatchAlone});
}

} // namespace hidet::graph
