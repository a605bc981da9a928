// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/runs/model_report.h"

#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

void adviseOn(ModelReport& report, const session::DiagnosticView& diagnostic) {
    if (!report.advice.isEmpty())
        return;
    if (diagnostic.place.known() && diagnostic.place.file.ends_with(".py"))
        report.next = NextStep::ShowPlace;
    if (diagnostic.is(DiagId::NoGpu) || diagnostic.is(DiagId::KernelNeedsGpu)) {
        report.trouble = tr("This machine has no GPU that can be used");
        report.advice = tr("Choose another target, or name a worker on a machine with a GPU in the settings");
        report.next = NextStep::Settings;
    } else if (diagnostic.is(DiagId::OutOfMemory)) {
        report.advice = tr("Make the dynamic dimensions smaller");
    }
}

void concludeOutcome(ModelReport& report, const session::Outcome& outcome, const std::string& where) {
    if (!where.empty())
        report.where = QString::fromStdString(where);
    report.end = outcome.status == session::Status::Cancelled ? RunEnd::Cancelled : RunEnd::Answered;
    // A comparison that found a wrong operator has done what it was for.
    if (outcome.status == session::Status::Ok || report.end == RunEnd::Cancelled ||
        (report.comparison && !report.comparison->nodes.empty()))
        return;
    if (const session::DiagnosticView* first = concludeFailure(report, outcome))
        return adviseOn(report, *first);
    report.trouble = tr("It failed without saying why");
}

template <class Result>
std::shared_ptr<const Result> taken(const session::Answer& answer) {
    const auto* result = session::result_in<Result>(answer);
    return result ? std::make_shared<const Result>(*result) : nullptr;
}

} // namespace
void conclude(ModelReport& report, const session::Answer& answer) {
    if (answer.ended != session::Ended::Answered)
        return concludeUnanswered(report, answer);
    report.compiled = taken<session::ModelCompileResult>(answer);
    report.bench = taken<session::ModelBenchResult>(answer);
    report.comparison = taken<session::ModelRunResult>(answer);
    report.tuned = taken<session::ModelTuneResult>(answer);
    if (report.compiled)
        return concludeOutcome(report, *report.compiled, {});
    if (report.bench)
        return concludeOutcome(report, *report.bench, report.bench->where);
    if (report.comparison)
        return concludeOutcome(report, *report.comparison, report.comparison->where);
    if (report.tuned)
        return concludeOutcome(report, *report.tuned, {});
    concludeConfused(report);
}

QString doingOf(ModelJob job) {
    const QString words[] = {tr("compiling"), tr("measuring"), tr("comparing"), tr("tuning")}; // as the jobs
    return words[std::size_t(job)];
}

} // namespace hidet::ui
