// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/tune/tune_report.h"

#include "lang/base/text.h"

namespace hidet::session {

TuningOptions tuning_options(const ModelRequest& request, int level) {
    TuningOptions options{
        .level = level, .records = request.records, .deadline_seconds = request.deadline, .measures = request.measures};
    if (request.progress)
        options.progress = [&request](const tune::SearchProgress& done) {
            request.progress(
                {cat("measured ", done.measured, " candidates, of '", done.what, "'"), done.done, done.total});
        };
    return options;
}

void add_search(ModelTuneResult& report, const graph::Graph& graph, const artifact::TargetSpec& target,
                const tune::FusionSearch& fusions, const tune::Search& search) {
    report.where = tune::machine_text(target);
    report.measured += fusions.measured() + search.measured();
    report.is_complete = report.is_complete && search.is_complete();
    for (const tune::FusionQuestion& question : fusions.questions()) {
        const auto [producer, consumer] = question.edges.front();
        const auto called = [&](graph::NodeId id) {
            return cat(graph.node(id).op->name, " ", graph::name_of(graph, id));
        };
        report.fusions.push_back({called(producer), called(consumer), question.edges.size(), question.is_fused,
                                  question.taken().value_or(question.is_fused), question.fused_seconds,
                                  question.apart_seconds, question.discarded});
    }
    const graph::NodeKeys keys(graph);
    for (const tune::Operator& op : search.operators())
        report.operators.push_back(tuned_operator(graph, keys, op));
}

void add_outcome(ModelTuneResult& report, const TuningOutcome& outcome) {
    report.can_measure = outcome.has_gpu;
    report.is_complete = report.is_complete && (outcome.measures || outcome.missing == 0);
    report.is_lost = !outcome.result && outcome.result.error().code == "device-lost";
}

} // namespace hidet::session
