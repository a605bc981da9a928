// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/verdict_limits.h"

#include <algorithm>

#include <QSysInfo>

#include "app/ui/core/words.h"
#include "lang/base/ranges.h"

namespace hidet::ui {

namespace {

// Nothing: of some kernel it is not known.
std::optional<QStringList> proofVerdicts(const session::Explained& explained) {
    QStringList out;
    for (const session::KernelExplained& kernel : explained.kernels) {
        if (!kernel.proof)
            return std::nullopt;
        out << text(session::worst_verdict(*kernel.proof));
    }
    return out.isEmpty() ? std::nullopt : std::optional(out);
}

bool isProved(const session::Explained* explained) {
    const auto verdicts = explained ? proofVerdicts(*explained) : std::nullopt;
    return verdicts && std::ranges::all_of(*verdicts, [](const QString& each) { return each == "proved"; });
}

bool isOfRun(const session::KernelExplained& kernel, const session::Explained& explained, const std::string& function) {
    return kernel.name == function ||
           std::ranges::find(explained.kernels, function, &session::KernelExplained::name) == explained.kernels.end();
}

// Null: the kernel is not refuted.
const session::DoubtView* refutedIn(const session::KernelExplained& kernel) {
    return kernel.proof ? first_in(kernel.proof->doubts,
                                   [](const session::DoubtView& doubt) { return doubt.verdict == "refuted"; })
                        : nullptr;
}

void leadTo(VerdictPart& part, const session::Place& place) {
    part.detail = VerdictDetail::Place;
    part.place = place;
}

} // namespace

bool addRefutation(VerdictPart& verdict, const session::KernelBenchResult& result,
                   const session::Explained& explained) {
    for (const session::KernelExplained& kernel : explained.kernels) {
        const session::DoubtView* doubt = refutedIn(kernel);
        if (!doubt || !isOfRun(kernel, explained, result.function))
            continue;
        const QString all = text(doubt->sentence);
        const QString first = all.section(": ", 0, 0);
        verdict.text =
            tr("Correct this time, but kernel '%1' %2 (line %3)").arg(text(kernel.name), first).arg(doubt->place.line);
        verdict.hint =
            tr("The results were right. Line %1: kernel '%2' %3").arg(doubt->place.line).arg(text(kernel.name), all);
        verdict.icon = "warning";
        verdict.tone = VerdictTone::Warning;
        leadTo(verdict, doubt->place);
        return true;
    }
    return false;
}

std::optional<VerdictPart> uncheckedPart(const RunReport& report, const session::Explained* explained) {
    using session::VerdictKind;
    const VerdictKind kind = report.result->verdict.kind;
    if (kind != VerdictKind::Correct && kind != VerdictKind::Unchecked)
        return std::nullopt;
    VerdictPart out;
    QStringList words, sentences;
    const bool racesMissing = !session::info(session::info(report.target).target).emulates && !isProved(explained);
    if (racesMissing) {
        words << tr("races");
        sentences << tr("Races, and accesses out of bounds that are not proved, were not looked for: a run on "
                        "the emulator does");
    }
    if (report.result->sweep.empty() && !report.result->function.empty() && report.result->other_size.empty()) {
        words << tr("other sizes");
        sentences << tr("It ran with one size: a sweep in the run panel tries several");
    }
    if (report.result->comparisons.empty() && kind == VerdictKind::Correct) {
        words << tr("every element");
        sentences << tr(
            "The script's own checks say what is right: a reference in the run panel compares every element");
    }
    if (words.isEmpty())
        return std::nullopt;
    out.id = "unchecked";
    out.text = tr("not checked: %1").arg(words.join(", "));
    out.hint = sentences.join(".\n") + '.';
    if (kind == VerdictKind::Unchecked) // which the verdict says already
        out.text = tr("not looked for: %1").arg(words.join(", "));
    out.tone = VerdictTone::Muted;
    out.detail = racesMissing ? VerdictDetail::Emulate : VerdictDetail::Output;
    out.weight = 55;
    return out;
}

std::optional<VerdictPart> boundsPart(const session::Explained& explained) {
    std::int64_t proved = 0, all = 0, leaves = 0;
    QStringList sentences;
    const session::BoundsAccess* leaving = nullptr;
    for (const session::KernelExplained& kernel : explained.kernels) {
        if (!kernel.bounds)
            return std::nullopt;
        if (!leaving)
            leaving = first_in(kernel.bounds->accesses,
                               [](const session::BoundsAccess& access) { return access.verdict == "leaves"; });
        proved += kernel.bounds->proved, leaves += kernel.bounds->leaves;
        all += std::ssize(kernel.bounds->accesses);
        sentences << tr("Kernel '%1': %2").arg(text(kernel.name), text(kernel.bounds->sentence));
    }
    if (all == 0)
        return std::nullopt;
    VerdictPart out;
    out.id = "bounds";
    out.hint = sentences.join(".\n") + '.';
    out.text = leaves > 0      ? tr("accesses outside: %1").arg(leaves)
               : proved == all ? tr("all %1 accesses stay in bounds (proved)").arg(all)
                               : tr("%1 of %2 accesses stay in bounds (proved)").arg(proved).arg(all);
    out.tone = leaves > 0 ? VerdictTone::Error : VerdictTone::Muted;
    if (leaving)
        leadTo(out, leaving->place);
    out.weight = 58;
    return out;
}

std::optional<VerdictPart> proofPart(const session::Explained& explained) {
    const auto verdicts = proofVerdicts(explained);
    if (!verdicts)
        return std::nullopt;
    QStringList sentences;
    const session::DoubtView* refuted = nullptr;
    for (const session::KernelExplained& kernel : explained.kernels) {
        if (!refuted)
            refuted = refutedIn(kernel);
        sentences << tr("Kernel '%1': %2").arg(text(kernel.name), text(session::proof_text(*kernel.proof)));
    }
    VerdictPart out;
    out.id = "proof";
    out.hint = sentences.join('\n');
    const bool isOpen = verdicts->contains("open");
    out.text = refuted  ? tr("refuted")
               : isOpen ? tr("proof for all sizes: open")
               : verdicts->contains("proved if")
                   ? tr("races and bounds proved for all sizes, if enough memory is given")
                   : tr("races and bounds proved for all sizes");
    out.tone = refuted ? VerdictTone::Error : VerdictTone::Muted;
    if (refuted)
        leadTo(out, refuted->place);
    out.weight = 58;
    return out;
}

std::optional<VerdictPart> machinePart(const RunReport& report) {
    const session::KernelBenchResult& result = *report.result;
    const QString device = text(result.where);
    if (device.isEmpty())
        return std::nullopt;
    const QString host = session::info(report.target).worker == session::WorkerPlace::Remote
                             ? tr("the remote machine")
                             : QSysInfo::machineHostName();
    VerdictPart out;
    out.id = "machine";
    out.text = tr("on %1").arg(device == "emulator" ? tr("the emulator") : device);
    out.hint = host.isEmpty() ? out.text : tr("It ran %1 of %2").arg(out.text, host);
    out.tone = VerdictTone::Muted;
    out.detail = VerdictDetail::Output;
    out.weight = 65;
    return out;
}

std::optional<VerdictPart> schedulesPart(const std::string& schedules) {
    if (schedules.empty())
        return std::nullopt;
    VerdictPart part;
    part.id = "schedules";
    part.weight = 55;
    part.text = capitalized(text(schedules));
    part.hint = schedules.starts_with("untuned")
                    ? tr("Each kernel has the schedule that its template chooses by itself; tuning measures others")
                    : tr("The schedules that tuning found: %1").arg(text(schedules));
    part.tone = VerdictTone::Muted;
    return part;
}

} // namespace hidet::ui
