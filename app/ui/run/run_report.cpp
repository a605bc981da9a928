// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/run_report.h"

#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

void adviseOn(RunReport& report, const session::DiagnosticView& diagnostic) {
    if (!report.advice.isEmpty())
        return;
    report.next = diagnostic.place.known() ? NextStep::ShowPlace : NextStep::Nothing;
    if (diagnostic.is(DiagId::NoGpu) || diagnostic.is(DiagId::KernelNeedsGpu)) {
        report.advice = tr("Run it on the emulator, or name a worker on a machine with a GPU in the settings");
        report.next = NextStep::RunOnEmulator;
    } else if (diagnostic.is(DiagId::OutOfMemory)) {
        report.advice = tr("Make the arguments smaller");
        report.next = NextStep::Nothing;
    }
}

void concludeAnswer(RunReport& report, const session::KernelBenchResult& result) {
    report.end = result.status == session::Status::Cancelled ? RunEnd::Cancelled : RunEnd::Answered;
    if (!result.where.empty())
        report.where = QString::fromStdString(result.where);
    if (report.end == RunEnd::Cancelled || result.verdict.kind != session::VerdictKind::Failed)
        return;
    if (const session::DiagnosticView* first = concludeFailure(report, result))
        return adviseOn(report, *first);
    report.trouble = troubleOf(result.verdict.sentence);
}

} // namespace

std::shared_ptr<const session::KernelBenchResult> kernelBenchIn(const session::Answer& answer) {
    if (const auto* bench = session::result_in<session::KernelBenchResult>(answer))
        return std::make_shared<session::KernelBenchResult>(*bench);
    const auto* run = session::result_in<session::RunResult>(answer);
    if (!run)
        return nullptr;
    auto out = std::make_shared<session::KernelBenchResult>();
    static_cast<session::Outcome&>(*out) = *run;
    out->summary = run->summary;
    out->verdict = run->verdict;
    out->comparisons = run->comparisons;
    return out;
}

void conclude(RunReport& report, const session::Answer& answer) {
    if (answer.ended != session::Ended::Answered)
        return concludeUnanswered(report, answer);
    report.result = kernelBenchIn(answer);
    if (!report.result)
        return concludeConfused(report);
    concludeAnswer(report, *report.result);
}

} // namespace hidet::ui
