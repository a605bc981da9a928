// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/verdict.h"

#include <algorithm>
#include <cmath>

#include <QStringList>

#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "app/ui/run/verdict_limits.h"

namespace hidet::ui {

namespace {

using session::KernelBenchResult;
using session::VerdictKind;

// "Wrong: kernel 'scale' reads a[64], outside of its shape [64]"
QString sentenceOf(const session::Verdict& verdict) {
    QString out = QString::fromStdString(verdict.sentence).section('\n', 0, 0);
    if (out.isEmpty())
        return tr("Wrong");
    out[0] = out[0].toUpper();
    return out;
}

// "Wrong at c[3, 7]: got 2.5, expected 3.5", of the element that is furthest off
QString wrongText(const KernelBenchResult& result) {
    for (const session::Comparison& comparison : result.comparisons)
        if (comparison.bad > 0 && !comparison.worst.empty())
            return tr("Wrong at %1: got %2, expected %3")
                .arg(text(comparison.tensor) + indexText(comparison.worst), numberText(comparison.got),
                     numberText(comparison.wanted));
    return sentenceOf(result.verdict);
}

VerdictPart verdictPart(const RunReport& report) {
    if (report.end == RunEnd::Cancelled)
        return stoppedPart(report.seconds);
    VerdictPart out;
    out.id = "verdict";
    out.weight = 100;
    out.place = report.place;
    if (report.end != RunEnd::Answered || !report.result) {
        out.text = report.trouble;
        out.hint = report.trouble;
        out.icon = "error";
        out.tone = VerdictTone::Error;
        out.detail = report.place.known() ? VerdictDetail::Place : VerdictDetail::Output;
        return out;
    }
    const KernelBenchResult& result = *report.result;
    const std::optional<double> worst = session::largest_error(result.comparisons);
    out.hint = sentence(result.verdict.sentence);
    out.detail = result.comparisons.empty() ? VerdictDetail::Output : VerdictDetail::Results;
    switch (result.verdict.kind) {
    case VerdictKind::Correct:
        out.text = worst ? tr("Correct, error %1").arg(numberText(worst)) : tr("Correct");
        out.icon = "ok";
        out.tone = VerdictTone::Ok;
        break;
    case VerdictKind::Wrong:
        out.text = wrongText(result);
        out.icon = "error";
        out.tone = VerdictTone::Error;
        if (result.comparisons.empty() && report.place.known())
            out.detail = VerdictDetail::Place;
        break;
    case VerdictKind::Invalid:
        out.text = out.hint;
        out.icon = "warning";
        out.tone = VerdictTone::Warning;
        break;
    case VerdictKind::Unchecked:
        out.text = tr("Not checked");
        out.icon = "info";
        out.tone = VerdictTone::Muted;
        break;
    case VerdictKind::Failed:
        out.text = report.trouble.isEmpty() ? tr("Failed") : report.trouble;
        out.hint = out.text;
        out.icon = "error";
        out.tone = VerdictTone::Error;
        out.detail = report.place.known() ? VerdictDetail::Place : VerdictDetail::Output;
        break;
    }
    return out;
}

bool isEmulated(const KernelBenchResult& result) {
    return result.measured && result.measured->is_emulated;
}

// What the kernel that was emulated takes on a GPU. Nothing: that is not known.
std::optional<double> predictedSeconds(const KernelBenchResult& result, const session::Explained* explained) {
    if (explained)
        for (const session::KernelExplained& kernel : explained->kernels)
            if ((kernel.name == result.function || explained->kernels.size() == 1) && kernel.cost &&
                kernel.cost->at_least.empty() && kernel.cost->predicted_seconds > 0)
                return kernel.cost->predicted_seconds;
    return std::nullopt;
}

// How long the emulator takes says nothing about a GPU, and is said where there is nothing better.
void addEmulated(std::vector<VerdictPart>& parts, const KernelBenchResult& result,
                 const session::Explained* explained) {
    VerdictPart time;
    time.id = "time";
    time.detail = VerdictDetail::Distribution;
    const QString emulated = timeText(result.measured->times.median);
    if (const auto seconds = predictedSeconds(result, explained)) {
        const QString gpu = text(explained->kernels.front().target);
        time.text = tr("%1 on %2").arg(timeText(*seconds), gpu);
        time.predicted = true;
        time.weight = 90;
        time.hint = tr("Predicted for %1; the emulator took %2 (median of %3 calls)")
                        .arg(gpu, emulated)
                        .arg(result.measured->times.count);
    } else {
        time.text = tr("%1 emulated").arg(emulated);
        time.tone = VerdictTone::Muted;
        time.weight = 20;
        time.hint = tr("Median of %1 calls on the emulator").arg(result.measured->times.count);
    }
    parts.push_back(time);
}

void addTime(std::vector<VerdictPart>& parts, const KernelBenchResult& result, const session::Explained* explained) {
    if (!result.measured || result.measured->times.count == 0)
        return;
    if (isEmulated(result))
        return addEmulated(parts, result, explained);
    const session::BenchRow& row = *result.measured;
    const double half = (row.times.p90 - row.times.p10) / 2;
    VerdictPart time;
    time.id = "time";
    time.weight = 90;
    time.text = timeText(row.times.median, half);
    time.detail = VerdictDetail::Distribution;
    const QString where = text(session::where_measured(row.where, false));
    time.hint = tr("Median of %1 calls on %2, 10th to 90th percentile: %3 to %4")
                    .arg(row.times.count)
                    .arg(where, timeText(row.times.p10), timeText(row.times.p90));
    parts.push_back(time);
    VerdictPart roof;
    roof.id = "roof";
    roof.weight = 80;
    roof.detail = VerdictDetail::Roofline;
    const session::Roofline& line = result.roofline;
    if (line.reached && line.limits) {
        const bool isMemory = *line.limits == session::RoofKind::Memory;
        const double most = isMemory ? row.peak_bytes_per_second : row.peak_flops;
        roof.text =
            tr("%1 of roofline (%2)").arg(percentText(*line.reached), isMemory ? tr("memory") : tr("arithmetic"));
        roof.hint = isMemory ? tr("%1: its arguments move at %2, and memory allows %3")
                                   .arg(roof.text, rateText(row.bytes / row.times.median, "B/s"), rateText(most, "B/s"))
                             : tr("%1: it computes %2, and the device allows %3")
                                   .arg(roof.text, rateText(row.flops.value_or(0) / row.times.median, "FLOP/s"),
                                        rateText(most, "FLOP/s"));
    } else {
        roof.text = tr("roofline unknown");
        roof.tone = VerdictTone::Muted;
        roof.weight = 20;
        const std::string why = line.unknown.empty() ? row.flops_unknown : line.unknown;
        roof.hint = why.empty() ? tr("The limits of this device are not known")
                                : tr("The operations of a call are not known: %1").arg(QString::fromStdString(why));
    }
    parts.push_back(roof);
    QStringList rates;
    if (result.bytes_per_second)
        rates << rateText(*result.bytes_per_second, "B/s");
    if (result.flops_per_second)
        rates << rateText(*result.flops_per_second, "FLOP/s");
    if (rates.isEmpty())
        return;
    VerdictPart rate;
    rate.id = "rate";
    rate.weight = 30;
    rate.text = rates.join(", ");
    rate.hint = tr("%1; bytes are those of the arguments").arg(rate.text);
    rate.detail = VerdictDetail::Roofline;
    parts.push_back(rate);
}

void addKernels(std::vector<VerdictPart>& parts, const KernelBenchResult& result) {
    // Of several kernels the one that the strip speaks of is the one with the most registers; the table has them all.
    const session::KernelView* shown = nullptr;
    for (const session::KernelView& kernel : result.kernels)
        if (kernel.facts && (!shown || kernel.facts->registers > shown->facts->registers))
            shown = &kernel;
    if (!shown)
        return;
    const session::KernelFacts& facts = *shown->facts;
    const QString name = QString::fromStdString(shown->name);
    const int spills = facts.spill_store_bytes + facts.spill_load_bytes;
    VerdictPart registers;
    registers.id = "registers";
    registers.weight = 60;
    registers.text = text(session::registers_text(facts));
    registers.tone = spills == 0 ? VerdictTone::Plain : VerdictTone::Warning;
    registers.icon = spills == 0 ? QString() : QString("warning");
    registers.hint = tr("Kernel '%1' for %2: %3").arg(name, QString::fromStdString(shown->arch), registers.text);
    registers.detail = VerdictDetail::Kernels;
    parts.push_back(registers);
    VerdictPart shared;
    shared.id = "shared";
    shared.weight = 40;
    shared.text = tr("%1 shared").arg(bytesText(double(facts.static_shared_bytes) + double(shown->dynamic_shared())));
    shared.hint = tr("Shared memory of a block of '%1': %2 static, %3 dynamic")
                      .arg(name, bytesText(facts.static_shared_bytes), bytesText(double(shown->dynamic_shared())));
    shared.detail = VerdictDetail::Kernels;
    parts.push_back(shared);
    if (!shown->occupancy)
        return;
    const session::Occupancy& occupancy = *shown->occupancy;
    VerdictPart share;
    share.id = "occupancy";
    share.weight = 50;
    share.detail = VerdictDetail::Kernels;
    if (!occupancy.impossible.empty()) {
        share.text = tr("does not fit");
        share.tone = VerdictTone::Error;
        share.icon = "error";
        share.hint = tr("Not even one block fits: %1").arg(QString::fromStdString(occupancy.impossible));
    } else {
        share.text = QString::fromStdString(session::occupancy_text(occupancy));
        QStringList words{tr("%1 of %2 warps, limited by %3")
                              .arg(occupancy.warps)
                              .arg(occupancy.most_warps)
                              .arg(QString::fromStdString(occupancy.limited_by))};
        for (const std::string& more : {session::grid_text(occupancy), occupancy.one_more})
            if (!more.empty())
                words << QString::fromStdString(more);
        share.hint = words.join("; ");
    }
    parts.push_back(share);
}

void addDelta(std::vector<VerdictPart>& parts, const RunReport& report, const session::RunRecord* baseline) {
    if (!baseline || !report.record || (baseline->when == report.record->when) || isEmulated(*report.result))
        return;
    const session::Delta delta = session::delta_of(*report.record, *baseline);
    if (delta.change == session::Change::NotComparable)
        return;
    VerdictPart part;
    part.id = "delta";
    part.weight = 70;
    part.detail = VerdictDetail::History;
    part.hint = tr("Against the baseline: %1").arg(QString::fromStdString(delta.sentence));
    const QString percent = percentText(std::abs(1 - delta.ratio));
    if (delta.change == session::Change::WithinSpread) {
        part.text = tr("same as baseline (%1%2)")
                        .arg(delta.ratio >= 1 ? QStringLiteral("+") : QStringLiteral("\u2212"))
                        .arg(percent);
        part.tone = VerdictTone::Muted;
    } else if (delta.change == session::Change::Faster) {
        part.text = tr("%1 faster").arg(percent);
        part.icon = "down";
        part.tone = VerdictTone::Ok;
    } else {
        part.text = tr("%1 slower").arg(percent);
        part.icon = "up";
        part.tone = VerdictTone::Warning;
    }
    parts.push_back(part);
}

} // namespace

VerdictLine verdictLine(const RunReport& report, const session::RunRecord* baseline,
                        const session::Explained* explained, bool stale) {
    VerdictLine out;
    out.stale = stale;
    out.parts.push_back(verdictPart(report));
    if (report.end == RunEnd::Answered && report.result) {
        const session::Explained* const now = stale ? nullptr : explained;
        const bool isRight = report.result->verdict.kind == VerdictKind::Correct;
        const bool isRefuted = now && isRight && addRefutation(out.parts.front(), *report.result, *now);
        if (auto unchecked = uncheckedPart(report, now))
            out.parts.push_back(std::move(*unchecked));
        if (auto bounds = now ? boundsPart(*now) : std::nullopt)
            out.parts.push_back(std::move(*bounds));
        if (auto proof = now && !isRefuted ? proofPart(*now) : std::nullopt)
            out.parts.push_back(std::move(*proof));
        addTime(out.parts, *report.result, now);
        if (auto machine = machinePart(report))
            out.parts.push_back(std::move(*machine));
        if (auto schedules = schedulesPart(report.result->summary.schedules))
            out.parts.push_back(std::move(*schedules));
        addDelta(out.parts, report, baseline);
        addKernels(out.parts, *report.result);
    }
    if (!report.advice.isEmpty()) {
        VerdictPart advice;
        advice.id = "advice";
        advice.text = report.advice;
        advice.hint = report.advice;
        advice.weight = 95;
        advice.detail = report.next == NextStep::Nothing ? VerdictDetail::Output : VerdictDetail::Advice;
        out.parts.insert(out.parts.begin() + 1, advice);
    }
    QStringList words;
    for (const VerdictPart& part : out.parts)
        words << (part.predicted ? tr("predicted %1").arg(part.text) : part.text);
    out.sentence = words.join("; ");
    if (stale)
        out.sentence = tr("Of the text or the arguments before: %1").arg(out.sentence);
    return out;
}

VerdictPart stoppedPart(double seconds) {
    VerdictPart out;
    out.id = "verdict";
    out.weight = 100;
    out.text = tr("Stopped");
    out.hint = tr("It was stopped after %1").arg(timeText(seconds));
    out.icon = "stop";
    out.tone = VerdictTone::Muted;
    out.detail = VerdictDetail::Output;
    return out;
}

QString indexText(const std::vector<std::int64_t>& index) {
    return "[" + numbersOf(index).join(", ") + "]";
}

} // namespace hidet::ui
