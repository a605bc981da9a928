// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/fusions.h"

#include <algorithm>
#include <set>

#include "compiler/graph/document/costs.h"
#include "compiler/graph/fuse/fusion_times.h"
#include "compiler/graph/plan/plan.h"
#include "compiler/graph/plan/signature.h"
#include "compiler/ir/expr.h"
#include "compiler/tune/alone.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::tune {

using namespace graph;

namespace {

constexpr const char* as_one = "as one kernel";
constexpr const char* in_several = "apart";
constexpr double close_fused = 1.03;   // what is nobody's choice stays unless the other way is faster by more than this
constexpr double doubtful = 4;         // predictions may be wrong by this
constexpr double reads_of_tile = 64;   // a schedule with tiles reads an element once where its definition does so often
constexpr double cost_of_ending = 0.1; // what an epilogue takes of a product's time, at most
constexpr std::size_t most_groups = 8; // that an edge may change
constexpr std::size_t most_questions = 64;

bool share_a_group(const Partition& partition, NodeId a, NodeId b) {
    return std::ranges::any_of(partition.groups, [&](const Group& group) {
        return std::ranges::find(group.nodes, a) != group.nodes.end() &&
               std::ranges::find(group.nodes, b) != group.nodes.end();
    });
}

// Groups that have one of the nodes, all of whose nodes are added.
std::vector<Group> groups_with(const Partition& partition, std::set<NodeId>& nodes) {
    std::vector<Group> found;
    for (const Group& group : partition.groups)
        if (std::ranges::any_of(group.nodes, [&](NodeId node) { return nodes.contains(node); }))
            found.push_back(group);
    for (const Group& group : found)
        nodes.insert(group.nodes.begin(), group.nodes.end());
    return found;
}

// What somebody chose for the anchors stays.
void keep_schedules(const Partition& from, Partition& to) {
    for (Group& group : to.groups)
        for (const Group& before : from.groups)
            if (before.anchor == group.anchor)
                group.schedule = before.schedule;
}

double flops_of(const Graph& graph, NodeId node) {
    const Dim flops = cost_of(graph, node).flops;
    const auto count = flops ? ir::constant_int(flops) : std::nullopt;
    return count ? static_cast<double>(*count) : 0;
}

} // namespace

std::optional<bool> FusionQuestion::taken() const {
    if (!fused_seconds || !apart_seconds)
        return std::nullopt;
    return is_fused ? *fused_seconds <= close_fused * *apart_seconds : close_fused * *fused_seconds < *apart_seconds;
}

FusionSearch::FusionSearch(const Graph& graph, const Partition& partition, const FusionChoices& choices,
                           const SearchOptions& options)
    : m_graph(graph), m_partition(partition), m_choices(choices), m_options(options),
      m_machine(machine_text(options.target)), m_keys(graph) {
    if (!choices.enabled)
        return;
    ask_about_prologues();
    ask_about_epilogues();
}

void FusionSearch::ask_about_prologues() {
    const auto consider = [&](NodeId producer, NodeId consumer, bool is_fused) {
        if (!m_graph.node(producer).task || !m_graph.node(consumer).task)
            return;
        const auto times = fusion_times(m_graph, producer, consumer, m_options.target);
        if (times && times->again > times->kept / doubtful && times->again / reads_of_tile < times->kept * doubtful)
            ask(producer, consumer, is_fused);
    };
    for (const Group& group : m_partition.groups)
        for (std::size_t i = 0; i < group.nodes.size(); ++i)
            if (group.roles[i] == Role::Prologue)
                for (const ValueId output : m_graph.node(group.nodes[i]).outputs)
                    for (const Use& use : m_graph.value(output).uses)
                        consider(group.nodes[i], use.node, true);
    for (const Blocker& blocker : m_partition.blockers)
        if (blocker.reason == FusionBlocker::Recomputed)
            consider(blocker.producer, blocker.consumer, false);
}

// A product whose time is long beside what a kernel more takes.
void FusionSearch::ask_about_epilogues() {
    for (const Group& group : m_partition.groups) {
        const graph::Node& anchor = m_graph.node(group.anchor);
        if (!anchor.task || anchor.outputs.size() != 1 || !has_epilogue(group))
            continue;
        const TensorSpec& result = m_graph.value(anchor.outputs[0]).spec;
        const bool is_half = result.dtype == ir::DType::F16 || result.dtype == ir::DType::BF16;
        const double peak =
            m_options.target.peak(is_half ? artifact::Arithmetic::MatrixF16 : artifact::Arithmetic::F32);
        const double seconds = peak > 0 ? flops_of(m_graph, group.anchor) / peak : 0;
        const auto times = fusion_times(m_graph, group.anchor, 1, 0, m_options.target);
        if (!times || cost_of_ending * seconds * doubtful < times->kept)
            continue;
        for (const Use& use : m_graph.value(anchor.outputs[0]).uses)
            if (std::ranges::find(group.nodes, use.node) != group.nodes.end())
                ask(group.anchor, use.node, true);
    }
}

void FusionSearch::ask(NodeId producer, NodeId consumer, bool is_fused) {
    const auto is_wanted = [&](NodeId node) { return node == producer || node == consumer; };
    if (m_options.only && std::ranges::none_of(*m_options.only, is_wanted))
        return;
    const std::string& from = m_keys.of(producer);
    const std::string& to = m_keys.of(consumer);
    const auto is_this = [&](const FusionChoices::Edge& edge) { return edge.producer == from && edge.consumer == to; };
    if (m_questions.size() >= most_questions || std::ranges::any_of(m_choices.edges, is_this))
        return;
    FusionChoices choices = m_choices;
    choices.edges.push_back({from, to, !is_fused});
    Partition other = partition(m_graph, choices);
    if (share_a_group(other, producer, consumer) == is_fused)
        return; // it cannot be otherwise
    keep_schedules(m_partition, other);
    std::set<NodeId> nodes{producer, consumer};
    Variant now, otherwise;
    for (std::size_t before = 0; before != nodes.size();) {
        before = nodes.size();
        now.groups = groups_with(m_partition, nodes);
        otherwise.groups = groups_with(other, nodes);
    }
    if (now.groups.size() + otherwise.groups.size() > most_groups || !can_be_alone(m_graph, now.groups))
        return;
    now.name = is_fused ? as_one : in_several;
    otherwise.name = is_fused ? in_several : as_one;
    FusionQuestion question;
    question.is_fused = is_fused;
    question.fused = is_fused ? std::move(now) : std::move(otherwise);
    question.apart = is_fused ? std::move(otherwise) : std::move(now);
    for (const Variant* variant : {&question.fused, &question.apart}) {
        question.key += variant->name + "\n";
        for (const Group& group : variant->groups)
            question.key += signature_of(m_graph, group).text + "\n" + group.schedule + "\n";
    }
    const auto known = std::ranges::find(m_questions, question.key, &FusionQuestion::key);
    if (known != m_questions.end()) {
        known->edges.emplace_back(producer, consumer);
        return;
    }
    question.source = hash_of(cat(m_options.version, "\n", source_of(question.fused), source_of(question.apart)));
    question.edges.emplace_back(producer, consumer);
    m_questions.push_back(std::move(question));
}

// Each kernel is as its template chooses it.
std::string FusionSearch::source_of(const Variant& variant) const {
    std::string text;
    for (const Group& group : variant.groups) {
        const AnchorTask task{m_graph, group.anchor, m_options.target, !has_epilogue(group)};
        const std::vector<std::string> all = m_options.templates.candidates(task, 0);
        if (!all.empty())
            text += m_options.templates.source_of(all.front()) + "\n";
    }
    return text;
}

Result<void> FusionSearch::recall() {
    for (FusionQuestion& question : m_questions) {
        HIDET_TRY(const auto records, m_options.records.load(question.key, m_machine));
        HIDET_TRY(const auto unfinished, m_options.records.unfinished(question.key, m_machine));
        const auto known = [&](const Variant& variant, std::optional<double>& seconds) {
            const auto found = records.find({question.source, variant.name});
            if (found == records.end())
                return unfinished.contains({question.source, variant.name}); // it took its process with it
            seconds = found->second.seconds;
            if (!found->second.problem.empty())
                question.discarded = found->second.problem;
            return true;
        };
        const bool has_fused = known(question.fused, question.fused_seconds);
        const bool has_apart = known(question.apart, question.apart_seconds);
        question.is_recorded = has_fused && has_apart;
    }
    return {};
}

Result<void> FusionSearch::run(Measurer& measurer) {
    HIDET_TRY_TO(recall());
    std::vector<Measurement> measurements;
    std::vector<FusionQuestion*> asked;
    for (FusionQuestion& question : m_questions) {
        if (question.is_recorded)
            continue;
        measurements.push_back(
            {m_graph, question.is_fused ? question.fused : question.apart, {question.fused, question.apart}});
        asked.push_back(&question);
        for (const char* name : {as_one, in_several})
            measurements.back().keys.push_back({question.key, m_machine, question.source, name});
    }
    if (measurements.empty())
        return {};
    std::size_t next = 0;
    return measure_and_keep(measurer, m_options.records, measurements,
                            [&](const Measurement& measurement) { return keep(*asked[next++], measurement); });
}

Result<void> FusionSearch::keep(FusionQuestion& question, const Measurement& measurement) {
    for (std::size_t i = 0; i < measurement.outcomes.size(); ++i) {
        const Measurement::Outcome& outcome = measurement.outcomes[i];
        const bool is_usable = outcome.problem.empty();
        (measurement.variants[i].name == as_one ? question.fused_seconds : question.apart_seconds) =
            is_usable ? outcome.seconds : std::nullopt;
        if (!is_usable)
            question.discarded = outcome.problem;
        HIDET_TRY_TO(m_options.records.store({question.key, m_machine, question.source, measurement.variants[i].name},
                                             {outcome.seconds, outcome.spread, outcome.problem}));
        ++m_measured;
    }
    question.is_recorded = true;
    return {};
}

Partition FusionSearch::decided(Partition partition) const {
    const FusionChoices choices = chosen();
    if (choices.edges.size() == m_choices.edges.size())
        return partition;
    Partition out = graph::partition(m_graph, choices);
    keep_schedules(partition, out);
    return out;
}

FusionChoices FusionSearch::chosen() const {
    FusionChoices choices = m_choices;
    for (const FusionQuestion& question : m_questions) {
        const std::optional<bool> taken = question.taken();
        if (!taken || *taken == question.is_fused)
            continue;
        for (const auto& [producer, consumer] : question.edges)
            choices.edges.push_back({m_keys.of(producer), m_keys.of(consumer), *taken,
                                     cat(time_text(*question.fused_seconds), " ", as_one, ", ",
                                         time_text(*question.apart_seconds), " ", in_several)});
    }
    return choices;
}

} // namespace hidet::tune
