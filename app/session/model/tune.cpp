// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/tune.h"

#include <system_error>

#include "app/session/model/stages.h"
#include "app/session/model/tune_script.h"
#include "app/session/tune/tuning.h"
#include "app/session/work/large_thread.h"
#include "app/session/work/refusal.h"
#include "compiler/graph/names/keys.h"

namespace hidet::session {

using namespace graph;

namespace {

TunedCandidate view_of(const tune::Candidate& candidate) {
    return {candidate.schedule, candidate.source,      candidate.predicted, candidate.seconds,
            candidate.spread,   candidate.is_recorded, candidate.discarded};
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
    TuningOptions options{.level = m_request.space,
                          .records = m_request.records,
                          .deadline_seconds = m_request.deadline,
                          .measures = m_request.measures};
    if (!only->empty())
        options.only = only;
    if (m_request.progress)
        options.progress = [this](const tune::SearchProgress& done) {
            m_request.progress(
                {cat("measured ", done.measured, " candidates, of '", done.what, "'"), done.done, done.total});
        };
    return guarded_by_model([&] {
        std::size_t kernels = 0;
        bool is_complete = true;
        const auto found = [&](const tune::Search& search) {
            kernels = search.operators().size();
            is_complete = search.is_complete();
            if (!report)
                return;
            report->where = tune::machine_text(m_target);
            report->measured = search.measured();
            const NodeKeys keys(m_compiled->graph);
            for (const tune::Operator& op : search.operators())
                report->operators.push_back(tuned_operator(m_compiled->graph, keys, op));
        };
        const TuningOutcome outcome = choose_schedules(m_work, *m_engine, m_compiled->graph, m_compiled->partition,
                                                       *templates(), m_target, options, found);
        if (outcome.result && m_request.measures && !outcome.measures && outcome.missing > 0)
            warn(no_gpu_text(outcome, kernels));
        if (report) {
            report->can_measure = m_engine->has_cuda();
            report->is_complete = is_complete && (outcome.measures || outcome.missing == 0);
            report->is_lost = !outcome.result && outcome.result.error().code == "device-lost";
        }
        if (outcome.result)
            return !m_work.stopped();
        report_environment(m_work, m_work.sink, outcome.result.error());
        return false;
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
    const auto body = [&] { result = tune_model(request); };
    try {
        LargeThread thread(body); // scripts and walks of graphs recurse
    } catch (const std::system_error&) {
        body();
    }
    return result;
}

} // namespace hidet::session
