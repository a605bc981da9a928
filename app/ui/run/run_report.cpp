// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/run_report.h"

#include "app/ui/core/run_target.h"

#include <QCoreApplication>

#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

// A kernel's fault on a device says nothing of the access; the emulator does.
bool isDeviceFault(const std::string& id) {
    return id == "kernel-fault" || id == "device-error" || id == "native-fault";
}

void adviseOn(RunReport& report, const session::DiagnosticView& diagnostic) {
    report.place = diagnostic.place;
    report.next = diagnostic.place.known() ? NextStep::ShowPlace : NextStep::Nothing;
    if (isDeviceFault(diagnostic.id)) {
        report.advice = tr("Run it on the emulator to find the access");
        report.next = NextStep::RunOnEmulator;
    } else if (diagnostic.id == "no-gpu" || diagnostic.id == "kernel-needs-gpu") {
        report.trouble = diagnostic.id == "no-gpu" ? tr("This machine has no GPU that can be used") : report.trouble;
        report.advice = tr("Run it on the emulator, or name a worker on a machine with a GPU in the settings");
        report.next = NextStep::RunOnEmulator;
    } else if (diagnostic.id == "out-of-memory") {
        report.advice = tr("Make the arguments smaller");
        report.next = NextStep::Nothing;
    }
}

void concludeAnswer(RunReport& report, const session::TrialResult& result) {
    report.end = RunEnd::Answered;
    if (!result.where.empty())
        report.where = QString::fromStdString(result.where);
    if (result.status == session::Status::Cancelled) {
        report.end = RunEnd::Cancelled;
        return;
    }
    if (result.verdict.kind != session::VerdictKind::Failed)
        return;
    const session::DiagnosticView* first = nullptr;
    for (const session::DiagnosticView& diagnostic : result.diagnostics)
        if (diagnostic.severity == Severity::Error && !first)
            first = &diagnostic;
    report.trouble = sentence(first ? first->message : result.verdict.sentence);
    if (first)
        adviseOn(report, *first);
}

void concludeLoss(RunReport& report, const session::Answer& answer) {
    report.end = RunEnd::Lost;
    const std::string& code = answer.reason.code;
    report.trouble = sentence(answer.reason.message);
    report.lastWords = QString::fromStdString(answer.last_words).trimmed();
    report.next = NextStep::RunOnEmulator;
    if (code == "worker-not-started") {
        report.advice = runTarget(report.target).isRemote
                            ? tr("Check the command of the remote worker in the settings")
                            : tr("Check that hidetc lies beside the studio or on the path");
        report.next = runTarget(report.target).isRemote ? NextStep::Settings : NextStep::Restart;
    } else if (code == "worker-broken") {
        report.trouble =
            tr("The worker was lost too often in a row: %1").arg(QString::fromStdString(answer.reason.message));
        report.advice = tr("Restart it");
        report.next = NextStep::Restart;
    } else if (session::info(runTarget(report.target).target).emulates) {
        report.advice = tr("The next run starts another worker; the arguments are kept");
        report.next = NextStep::Nothing;
    } else {
        report.advice = tr("Run it on the emulator to find the access; the next run starts another worker");
    }
}

} // namespace

std::shared_ptr<const session::TrialResult> trialIn(const session::Answer& answer) {
    if (const auto* trial = session::result_in<session::TrialResult>(answer))
        return std::make_shared<session::TrialResult>(*trial);
    const auto* run = session::result_in<session::RunResult>(answer);
    if (!run)
        return nullptr;
    auto out = std::make_shared<session::TrialResult>();
    static_cast<session::Outcome&>(*out) = *run;
    out->summary = run->summary;
    out->verdict.kind =
        run->status == session::Status::Fine ? session::VerdictKind::Unchecked : session::VerdictKind::Failed;
    out->verdict.sentence = run->status == session::Status::Fine ? "it ran; it has no kernel to check" : "";
    return out;
}

void conclude(RunReport& report, const session::Answer& answer) {
    switch (answer.ended) {
    case session::Ended::Answered:
        report.result = trialIn(answer);
        if (report.result)
            return concludeAnswer(report, *report.result);
        report.end = RunEnd::Lost;
        report.trouble = tr("The worker answered something else than was asked");
        report.advice = tr("Restart it");
        report.next = NextStep::Restart;
        return;
    case session::Ended::Refused:
        report.end = RunEnd::Lost;
        report.trouble = sentence(answer.reason.message);
        return;
    case session::Ended::Cancelled: report.end = RunEnd::Cancelled; return;
    case session::Ended::WorkerLost: return concludeLoss(report, answer);
    }
}

} // namespace hidet::ui
