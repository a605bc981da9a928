// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/tune/tune.h"

#include <algorithm>

#include "app/session/model/stages.h"
#include "app/session/model/tune/tune_report.h"
#include "app/session/model/tune/tune_script.h"
#include "app/session/work/large_thread.h"
#include "app/session/work/refusal.h"
#include "compiler/graph/names/keys.h"

namespace hidet::session {

using namespace graph;

namespace {

TunedCandidate view_of(const tune::Candidate& candidate) {
    return {candidate.schedule, candidate.source,      candidate.predicted, candidate.seconds,
            candidate.spread,   candidate.is_recorded, candidate.discarded, candidate.beside};
}

std::size_t chosen_schedules(const Partition& partition) {
    return static_cast<std::size_t>(
        std::ranges::count_if(partition.groups, [](const Group& group) { return !group.schedule.empty(); }));
}

} // namespace

TunedOperator tuned_operator(const Graph& graph, const NodeKeys& keys, const tune::Operator& op) {
    TunedOperator out;
    out.name = op.name;
    out.nodes = names_of(graph, op.group.nodes);
    out.uses = op.uses;
    out.signature = op.key;
    out.best = op.best;
    for (const NodeId anchor : op.anchors) {
        out.keys.push_back(keys.of(anchor));
        out.anchors.push_back(anchor.index);
    }
    for (const tune::Candidate& candidate : op.candidates)
        out.candidates.push_back(view_of(candidate));
    for (const tune::Candidate& candidate : op.refused)
        out.refused.push_back(view_of(candidate));
    return out;
}

// Nothing: one of them does not exist.
std::optional<std::vector<NodeId>> ModelStages::nodes_to_tune() {
    const Graph& graph = m_compiled->graph;
    const NodeKeys keys(graph);
    std::vector<NodeId> out;
    for (const std::string& wanted : m_request.tuned) {
        std::vector<std::string> names;
        const std::size_t before = out.size();
        for (const NodeId node : graph.topological()) {
            names.insert(names.end(), {keys.of(node), name_of(node)});
            if (keys.of(node) == wanted || name_of(node) == wanted)
                out.push_back(node);
        }
        if (out.size() > before)
            continue;
        const std::string near = closest(wanted, names);
        m_work.status = Status::WrongUsage;
        refuse(DiagId::BadValue,
               cat("the model has no operator '", wanted, "'", near.empty() ? "" : "; did you mean '" + near + "'?"));
        return std::nullopt;
    }
    return out;
}

bool ModelStages::tune(ModelTuneResult* report) {
    if (m_target.is_cuda())
        m_schedules = schedules_text(m_request.space, {}, chosen_schedules(m_compiled->partition));
    if (m_request.space == 0)
        return true;
    if (!m_target.is_cuda()) {
        if (report)
            warn("on a CPU kernels have one schedule: there is nothing to tune");
        return true;
    }
    m_work.enter("tuning the model");
    Work::Clock clock(m_work, "tune");
    const std::optional<std::vector<NodeId>> only = nodes_to_tune();
    if (!only)
        return false;
    TuningOptions options = tuning_options(m_request, m_request.space);
    if (!only->empty())
        options.only = only;
    return guarded_by_model([&] {
        const auto found = [&](const tune::FusionSearch& fusions, const tune::Search& search) {
            if (report)
                add_search(*report, m_compiled->graph, m_target, fusions, search);
        };
        const std::size_t chosen = chosen_schedules(m_compiled->partition);
        graph::FusionChoices fusion = m_body_passes.fusion;
        fusion.target = m_target;
        const TuningTask task{m_compiled->graph, fusion, *templates(), m_target};
        const TuningOutcome outcome = choose_schedules(m_work, *m_engine, task, m_compiled->partition, options, found);
        if (report)
            add_outcome(*report, outcome);
        m_schedules = schedules_text(m_request.space, outcome, chosen);
        return tell(m_work, m_work.sink, options, outcome) && !m_work.stopped();
    });
}

ModelTuneResult tune_model(const ModelRequest& request) {
    return answer<ModelTuneResult>(request, "tune", [&](Work& work, ModelTuneResult& result) {
        if (request.path.ends_with(".py"))
            return tune_script(work, request, result);
        ModelStages stages(work, request);
        if (stages.import() && stages.optimise())
            stages.tune(&result);
    });
}

ModelTuneResult recall_tuning(ModelRequest request) {
    request.measures = false;
    ModelTuneResult result;
    on_large_thread([&] { result = tune_model(request); }); // scripts and walks of graphs recurse
    return result;
}

} // namespace hidet::session
