// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/job_report.h"

#include <algorithm>

#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

bool emulates(const JobReport& report) {
    return info(info(report.target).target).emulates;
}

bool isElsewhere(const JobReport& report) {
    return info(report.target).worker == session::WorkerPlace::Remote;
}

void concludeLoss(JobReport& report, const session::Answer& answer) {
    report.end = RunEnd::Lost;
    report.trouble = troubleOf(answer.reason.message);
    report.lastWords = QString::fromStdString(answer.last_words).trimmed();
    if (answer.fault) {
        report.trouble = troubleOf(answer.fault->message);
        report.place = answer.fault->place;
    }
    const std::string& code = answer.reason.code;
    if (code == "worker-not-started") {
        const bool isRemote = isElsewhere(report);
        report.advice = isRemote ? tr("Check the command of the remote worker in the settings")
                                 : tr("Check that hidetc lies beside the studio or on the path");
        report.next = isRemote ? NextStep::Settings : NextStep::Restart;
    } else if (code == "worker-broken") {
        report.trouble = tr("The worker was lost too often in a row: %1").arg(text(answer.reason.message));
        report.advice = tr("Restart it");
        report.next = NextStep::Restart;
    } else if (emulates(report)) {
        report.advice = tr("The next run starts another worker; what was chosen is kept");
    } else {
        report.advice = tr("Run it on the emulator to find the access; the next run starts another worker");
        report.next = NextStep::RunOnEmulator;
    }
}

} // namespace

QString troubleOf(const std::string& message) {
    return sentence(message.substr(0, message.find('\n')));
}

const session::DiagnosticView* concludeFailure(JobReport& report, const session::Outcome& outcome) {
    const auto first = std::find_if(outcome.diagnostics.begin(), outcome.diagnostics.end(),
                                    [](const auto& each) { return each.severity == Severity::Error; });
    if (first == outcome.diagnostics.end())
        return nullptr;
    report.trouble = troubleOf(first->message);
    report.place = first->place;
    // A kernel's fault on a device says nothing of the access; the emulator does.
    if (first->is(DiagId::KernelFault) || first->is(DiagId::DeviceError) || first->is(DiagId::NativeFault)) {
        report.advice = tr("Run it on the emulator to find the access");
        report.next = NextStep::RunOnEmulator;
    } else if (first->is(DiagId::NoGpu)) {
        report.trouble = tr("This machine has no GPU that can be used");
    }
    return &*first;
}

void concludeConfused(JobReport& report) {
    report.end = RunEnd::Lost;
    report.trouble = tr("The worker answered something else than was asked");
    report.advice = tr("Restart it");
    report.next = NextStep::Restart;
}

void concludeUnanswered(JobReport& report, const session::Answer& answer) {
    switch (answer.ended) {
    case session::Ended::Answered: return;
    case session::Ended::Refused:
        report.end = RunEnd::Lost;
        report.trouble = troubleOf(answer.reason.message);
        return;
    case session::Ended::Cancelled: report.end = RunEnd::Cancelled; return;
    case session::Ended::WorkerLost: return concludeLoss(report, answer);
    }
}

} // namespace hidet::ui
