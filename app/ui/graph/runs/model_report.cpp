// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/runs/model_report.h"

#include "app/ui/core/run_target.h"

#include <QCoreApplication>

#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

QString firstSentence(const std::string& text) {
    return sentence(QString::fromStdString(text).section('\n', 0, 0).trimmed().toStdString());
}

void adviseOn(ModelReport& report, const session::DiagnosticView& diagnostic) {
    report.place = diagnostic.place;
    if (diagnostic.place.known() && diagnostic.place.file.ends_with(".py"))
        report.next = NextStep::ShowPlace;
    const std::string& id = diagnostic.id;
    if (id == "no-gpu" || id == "kernel-needs-gpu") {
        report.trouble = tr("This machine has no GPU that can be used");
        report.advice = tr("Choose another target, or name a worker on a machine with a GPU in the settings");
        report.next = NextStep::Settings;
    } else if (id == "out-of-memory") {
        report.advice = tr("Make the dynamic dimensions smaller");
    } else if (id == "kernel-fault" || id == "device-error" || id == "native-fault") {
        report.advice = tr("Run it on the emulator to find the access");
        report.next = NextStep::RunOnEmulator;
    } else if (id == "file-not-found" && runTarget(report.target).isRemote) {
        report.advice = tr("The model has to lie at the same path on the machine of the remote worker");
    }
}

void concludeOutcome(ModelReport& report, const session::Outcome& outcome) {
    report.end = outcome.status == session::Status::Cancelled ? RunEnd::Cancelled : RunEnd::Answered;
    // A comparison that found a wrong operator has done what it was for.
    if (outcome.status == session::Status::Fine || report.end == RunEnd::Cancelled ||
        (report.comparison && !report.comparison->nodes.empty()))
        return;
    for (const session::DiagnosticView& diagnostic : outcome.diagnostics)
        if (diagnostic.severity == Severity::Error) {
            report.trouble = firstSentence(diagnostic.message);
            return adviseOn(report, diagnostic);
        }
    report.trouble = tr("It failed without saying why");
}

template <class Result>
std::shared_ptr<const Result> taken(const session::Answer& answer) {
    const auto* result = session::result_in<Result>(answer);
    return result ? std::make_shared<const Result>(*result) : nullptr;
}

void concludeAnswer(ModelReport& report, const session::Answer& answer) {
    report.compiled = taken<session::ModelCompileResult>(answer);
    report.bench = taken<session::ModelBenchResult>(answer);
    report.comparison = taken<session::ModelRunResult>(answer);
    if (report.compiled)
        return concludeOutcome(report, *report.compiled);
    if (report.bench) {
        if (!report.bench->where.empty())
            report.where = QString::fromStdString(report.bench->where);
        return concludeOutcome(report, *report.bench);
    }
    if (report.comparison) {
        if (!report.comparison->where.empty())
            report.where = QString::fromStdString(report.comparison->where);
        return concludeOutcome(report, *report.comparison);
    }
    report.end = RunEnd::Lost;
    report.trouble = tr("The worker answered something else than was asked");
    report.next = NextStep::Restart;
}

void concludeLoss(ModelReport& report, const session::Answer& answer) {
    report.end = RunEnd::Lost;
    const std::string& code = answer.reason.code;
    report.trouble = firstSentence(answer.reason.message);
    report.lastWords = QString::fromStdString(answer.last_words).trimmed();
    if (code == "worker-not-started") {
        report.advice = runTarget(report.target).isRemote
                            ? tr("Check the command of the remote worker in the settings")
                            : tr("Check that hidetc lies beside the studio or on the path");
        report.next = runTarget(report.target).isRemote ? NextStep::Settings : NextStep::Restart;
    } else if (code == "worker-broken") {
        report.trouble =
            tr("The worker was lost too often in a row: %1").arg(QString::fromStdString(answer.reason.message));
        report.next = NextStep::Restart;
    } else {
        report.advice = tr("The next run starts another worker");
    }
}

} // namespace

void conclude(ModelReport& report, const session::Answer& answer) {
    switch (answer.ended) {
    case session::Ended::Answered: return concludeAnswer(report, answer);
    case session::Ended::Refused:
        report.end = RunEnd::Lost;
        report.trouble = firstSentence(answer.reason.message);
        return;
    case session::Ended::Cancelled: report.end = RunEnd::Cancelled; return;
    case session::Ended::WorkerLost: return concludeLoss(report, answer);
    }
}

QString doingOf(ModelJob job) {
    switch (job) {
    case ModelJob::Compile: return tr("compiling");
    case ModelJob::Bench: return tr("measuring");
    case ModelJob::Compare: return tr("comparing");
    }
    return {};
}

} // namespace hidet::ui
