// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/tune.h"

#include "app/session/model/stages.h"
#include "app/session/tune/tuning.h"
#include "app/session/work/refusal.h"

namespace hidet::session {

using namespace graph;

namespace {

TunedCandidate view_of(const tune::Candidate& candidate) {
    return {candidate.schedule, candidate.predicted,   candidate.seconds,
            candidate.spread,   candidate.is_recorded, candidate.discarded};
}

TunedOperator view_of(const Graph& graph, const tune::Operator& op) {
    TunedOperator out{op.name, names_of(graph, op.group.nodes), op.uses, op.best, {}, {}};
    for (const tune::Candidate& candidate : op.candidates)
        out.candidates.push_back(view_of(candidate));
    for (const tune::Candidate& candidate : op.refused)
        out.refused.push_back(view_of(candidate));
    return out;
}

} // namespace

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
    TuningOptions options{
        .level = m_request.space, .records = m_request.records, .deadline_seconds = m_request.deadline};
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
            for (const tune::Operator& op : search.operators())
                report->operators.push_back(view_of(m_compiled->graph, op));
        };
        const TuningOutcome outcome = choose_schedules(m_work, *m_engine, m_compiled->graph, m_compiled->partition,
                                                       *templates(), m_target, options, found);
        if (outcome.result && !outcome.measures && outcome.missing > 0)
            warn(no_gpu_text(outcome, kernels));
        if (report) {
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
        ModelStages stages(work, request);
        if (stages.import() && stages.optimise())
            stages.tune(&result);
    });
}

} // namespace hidet::session
