// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/tune/what_if.h"

#include <algorithm>
#include <map>
#include <set>

#include "app/session/model/view/graph_index.h"
#include "compiler/graph/document/choices.h"
#include "compiler/graph/fuse/blockers.h"
#include "compiler/graph/passes/pass.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

// Of "subgraph-rewrite#2" the place of its second run among all runs of passes; the import comes before all.
std::size_t place_of_pass(const std::string& pass) {
    const std::size_t mark = pass.find('#');
    std::size_t times = mark == std::string::npos ? 1 : std::stoul(pass.substr(mark + 1));
    const std::string name = pass.substr(0, mark);
    const std::vector<graph::GraphPassInfo>& passes = graph::graph_passes();
    for (std::size_t i = 0; i < passes.size(); ++i)
        if (name == passes[i].name && --times == 0)
            return i + 1;
    return 0;
}

// The graph that the first run of the pass is given.
const ModelGraph* graph_before(const ModelSnapshot& snapshot, const std::string& pass) {
    const ModelGraph* out = nullptr;
    for (const auto& graph : snapshot.graphs)
        if (place_of_pass(graph->pass) < place_of_pass(pass))
            out = graph.get();
    return out;
}

bool applies_rules(const ModelGraph& graph) {
    return graph.pass.starts_with("subgraph-rewrite") || graph.pass.starts_with("resolve-variant");
}

// The node, or those of an earlier graph that it was made of.
void add_origins(const ModelSnapshot& snapshot, const ModelGraph& in, std::uint32_t node, std::set<std::uint32_t>& seen,
                 std::vector<const GraphNode*>& out) {
    if (!seen.insert(node).second)
        return;
    if (const GraphNode* found = in.node(node)) {
        out.push_back(found);
        return;
    }
    for (const auto& graph : snapshot.graphs)
        if (const GraphNode* later = graph->node(node)) {
            for (const std::uint32_t replaced : later->replaces)
                add_origins(snapshot, in, replaced, seen, out);
            return;
        }
}
std::vector<const GraphNode*> origins_of(const ModelSnapshot& snapshot, const ModelGraph& in, std::uint32_t node) {
    std::vector<const GraphNode*> out;
    std::set<std::uint32_t> seen;
    add_origins(snapshot, in, node, seen, out);
    return out;
}

bool holds(const std::vector<std::uint32_t>& list, std::uint32_t id) {
    return std::ranges::find(list, id) != list.end();
}

std::size_t matches_of_pass(const ModelSnapshot& snapshot, const std::string& pass) {
    std::size_t count = 0;
    for (const auto& graph : snapshot.graphs)
        if (graph->pass == pass || graph->pass.starts_with(pass + "#"))
            count += graph->matches.size();
    return count;
}

class Switches {
public:
    Switches(const ModelSnapshot* snapshot, std::string_view choices) : m_choices(choices_in(choices)) {
        if (!snapshot)
            return;
        for (const auto& graph : snapshot->graphs)
            for (const GraphMatch& match : graph->matches)
                ++m_matches[{graph->pass.substr(0, graph->pass.find('#')), match.rule}];
        m_snapshot = snapshot;
    }

    std::vector<SwitchRow> rows() {
        for (const graph::GraphPassInfo& pass : graph::graph_passes())
            if (m_passes.insert(pass.name).second) {
                add({pass.name,
                     {},
                     pass.summary,
                     pass.is_on,
                     true,
                     m_snapshot ? matches_of_pass(*m_snapshot, pass.name) : 0});
                add_rules(pass.name);
            }
        return std::move(m_rows);
    }

private:
    void add_rules(const std::string& pass) {
        for (const graph::RuleSummary& rule : graph::all_rules())
            if (rule.pass == pass) {
                const auto found = m_matches.find({pass, rule.name});
                add({rule.name, pass, rule.summary, rule.is_on, true, found == m_matches.end() ? 0 : found->second});
            }
        if (pass != "subgraph-rewrite" && pass != "resolve-variant")
            return;
        for (const auto& [key, count] : m_matches)
            if (key.first == pass && std::ranges::none_of(graph::all_rules(), [&](const graph::RuleSummary& rule) {
                    return rule.name == key.second;
                }))
                add({key.second, pass, "a rule of your own", true, true, count});
    }
    void add(SwitchRow row) {
        const auto says = [&](bool is_on) {
            return std::ranges::find(m_choices, ModelChoice::switched(row.name, is_on)) != m_choices.end();
        };
        row.is_on = !says(false) && (row.is_on_by_default || says(true));
        m_rows.push_back(std::move(row));
    }

    const std::vector<ModelChoice> m_choices;
    const ModelSnapshot* m_snapshot = nullptr;
    std::map<std::pair<std::string, std::string>, std::size_t> m_matches; // by pass and rule
    std::set<std::string> m_passes;
    std::vector<SwitchRow> m_rows;
};

std::int64_t difference(std::size_t before, std::size_t after) {
    return static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
}

} // namespace

std::optional<ModelChoice> fusion_of_edge(const ModelSnapshot& snapshot, std::uint32_t value, std::uint32_t consumer,
                                          bool fuse) {
    const ModelGraph* last = snapshot.last();
    if (!last || snapshot.phase < ModelPhase::Optimised)
        return {};
    const GraphValue* between = last->value(value);
    const GraphNode* reader = last->node(consumer);
    const GraphNode* producer = between ? last->node(between->producer) : nullptr;
    if (!reader || !producer || !holds(reader->inputs, value))
        return {};
    return ModelChoice::fusion(producer->key, reader->key, fuse);
}

std::string why_not_fused(const ModelSnapshot& snapshot, std::string_view choices, std::uint32_t value,
                          std::uint32_t consumer) {
    const auto asked = fusion_of_edge(snapshot, value, consumer, true);
    if (!asked)
        return "the graph has no such edge any more";
    const auto read = graph::read_choices(with_choice(choices, *asked));
    const ModelGraph& last = *snapshot.last();
    const graph::Partition formed =
        graph::partition(*last.index->graph, {read ? read.value().fusion : graph::FusionChoices().edges, true});
    for (const graph::Blocker& blocker : formed.blockers)
        if (blocker.value.index == value && blocker.consumer.index == consumer)
            return graph::condition_of(*last.index->graph, blocker);
    return {};
}

std::vector<ModelChoice> choices_against_rule(const ModelSnapshot& snapshot, std::size_t graph, std::uint32_t node) {
    std::vector<ModelChoice> out;
    for (std::size_t i = std::min(graph, snapshot.graphs.size() - 1); i > 0 && i < snapshot.graphs.size(); --i) {
        const ModelGraph& after = *snapshot.graphs[i];
        const GraphMatch* match = after.match_of(node);
        if (!match)
            continue;
        if (!applies_rules(after))
            return {};
        for (const std::uint32_t replaced : match->before)
            if (const GraphNode* before = snapshot.graphs[i - 1]->node(replaced))
                out.push_back(ModelChoice::without_rule(before->key, match->rule));
        return out;
    }
    return out;
}

std::vector<ModelChoice> precisions_of_node(const ModelSnapshot& snapshot, std::size_t graph, std::uint32_t node,
                                            const std::string& dtype) {
    std::vector<ModelChoice> out;
    const ModelGraph* then = graph_before(snapshot, "automatic-mix-precision");
    if (!then || graph >= snapshot.graphs.size() || !snapshot.graphs[graph]->node(node))
        return out;
    for (const GraphNode* origin : origins_of(snapshot, *then, node))
        out.push_back(ModelChoice::precision(origin->key, dtype));
    return out;
}

std::vector<ModelChoice> choices_about_node(const ModelSnapshot& snapshot, std::string_view text, std::uint32_t node) {
    std::set<std::string> keys;
    for (const auto& graph : snapshot.graphs) {
        for (const GraphNode* origin : origins_of(snapshot, *graph, node))
            keys.insert(origin->key);
        for (const GraphMatch& match : graph->matches) // what became of it
            if (holds(match.before, node))
                for (const std::uint32_t made : match.after)
                    if (const GraphNode* later = graph->node(made))
                        keys.insert(later->key);
    }
    std::vector<ModelChoice> out;
    for (ModelChoice& choice : choices_in(text))
        if (keys.contains(choice.node) || keys.contains(choice.consumer))
            out.push_back(std::move(choice));
    return out;
}

std::vector<SwitchRow> switch_rows(const ModelSnapshot* snapshot, std::string_view choices) {
    return Switches(snapshot, choices).rows();
}

std::string with_switch(std::string_view choices, const SwitchRow& row, bool is_on) {
    const ModelChoice choice = ModelChoice::switched(row.name, is_on);
    return is_on == row.is_on_by_default ? without_choice(choices, choice) : with_choice(choices, choice);
}

const std::vector<BlockerKind>& blocker_kinds() {
    static const std::vector<BlockerKind> kinds = {
#define HIDET_FUSION_BLOCKER(name, id, text) {id, text},
#include "compiler/graph/fuse/fusion_blockers.def"
#undef HIDET_FUSION_BLOCKER
    };
    return kinds;
}

bool ModelChange::is_nothing() const {
    return nodes == 0 && kernels == 0 && launches == 0 && flops == 0 && bytes == 0 && seconds == 0;
}

ModelChange change_between(const ModelTotals& before, const ModelTotals& after) {
    return {difference(before.nodes, after.nodes),
            difference(before.kernels, after.kernels),
            difference(before.launches, after.launches),
            after.flops - before.flops,
            after.bytes - before.bytes,
            after.seconds - before.seconds};
}

void changes_by_choice(const ModelViewRequest& request, const ModelTotals& with_all,
                       const std::function<void(const ModelChoice&, const ModelChange&)>& found) {
    for (const ModelChoice& choice : choices_in(request.choices_text)) {
        if (request.cancelled && *request.cancelled)
            return;
        ModelViewRequest without = request;
        without.choices_text = without_choice(request.choices_text, choice);
        without.published = {};
        const SnapshotPtr snapshot = view_model(without);
        if (snapshot->phase == (request.plans ? ModelPhase::Planned : ModelPhase::Optimised))
            found(choice, change_between(snapshot->totals, with_all));
    }
}

} // namespace hidet::session
