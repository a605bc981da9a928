// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/runs/model_verdict.h"

#include <algorithm>

#include <QStringList>

#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "app/ui/run/verdict_limits.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

namespace {

VerdictPart troublePart(const ModelReport& report) {
    if (report.end == RunEnd::Cancelled)
        return stoppedPart(report.seconds);
    VerdictPart out;
    out.id = "verdict";
    out.weight = 100;
    out.text = report.trouble;
    out.hint = report.trouble;
    out.icon = "error";
    out.tone = VerdictTone::Error;
    return out;
}

VerdictPart compiledPart(const session::ModelFacts& facts, double seconds) {
    VerdictPart out;
    out.id = "verdict";
    out.weight = 70;
    out.icon = "ok";
    out.tone = VerdictTone::Ok;
    out.text = tr("Compiled, %1 kernels").arg(facts.launched());
    out.hint = tr("%1 operators became %2 kernels, %3 of them different, in %4")
                   .arg(facts.nodes)
                   .arg(facts.launched())
                   .arg(facts.programs)
                   .arg(timeText(seconds));
    return out;
}

VerdictPart errorPart(const session::ModelRunResult& result) {
    VerdictPart out;
    out.id = "errors";
    out.weight = 95;
    double worst = 0;
    for (const session::ModelNodeError& row : result.nodes)
        worst = std::max(worst, row.relative);
    if (result.nodes.empty()) {
        out.text = tr("Not compared");
        out.hint = tr("No operator of this model could be compared with double precision");
        out.icon = "info";
        out.tone = VerdictTone::Muted;
        return out;
    }
    if (const session::ModelNodeError* first = firstBad(result)) {
        out.text =
            tr("Wrong from %1 on, error %2").arg(QString::fromStdString(first->node), numberText(first->relative));
        out.hint = capitalized(text(session::comparison_text(result)));
        out.icon = "error";
        out.tone = VerdictTone::Error;
        return out;
    }
    out.text = tr("Correct, error %1").arg(numberText(worst));
    out.hint = capitalized(text(session::comparison_text(result)));
    out.icon = "ok";
    out.tone = VerdictTone::Ok;
    return out;
}

void addMeasured(std::vector<VerdictPart>& parts, const session::ModelBenchResult& bench) {
    const session::TimesView& times = bench.times;
    const bool emulated = bench.is_emulated;
    VerdictPart time;
    time.id = "time";
    time.weight = 90;
    time.text =
        emulated ? tr("%1 emulated").arg(timeText(times.median)) : timeText(times.median, (times.p90 - times.p10) / 2);
    time.tone = emulated ? VerdictTone::Muted : VerdictTone::Plain;
    time.hint = tr("Median of %1 runs on %2%3, 10th to 90th percentile: %4 to %5")
                    .arg(times.count)
                    .arg(text(session::where_measured(bench.where, emulated)),
                         bench.is_replayed ? tr(", replayed as a CUDA graph") : QString(), timeText(times.p10),
                         timeText(times.p90));
    parts.push_back(time);
    VerdictPart launches;
    launches.id = "launches";
    launches.weight = 60;
    launches.text = tr("%1 launches").arg(launchesOf(bench));
    launches.hint = bench.facts.host_steps > 0 ? tr("A run launches %1 kernels, and the host does %2 steps itself")
                                                     .arg(launchesOf(bench))
                                                     .arg(bench.facts.host_steps)
                                               : tr("A run launches %1 kernels").arg(launchesOf(bench));
    parts.push_back(launches);
    if (const auto share = session::roofline_share(bench)) {
        VerdictPart roof;
        roof.id = "roof";
        roof.weight = 80;
        roof.text = tr("%1 of roofline (%2)").arg(percentText(share->reached), text(share->bound));
        roof.hint = tr("Lower bound for these kernels on %1: %2")
                        .arg(QString::fromStdString(bench.roofs.name))
                        .arg(timeText(share->least_seconds));
        parts.push_back(roof);
    }
}

void addMemory(std::vector<VerdictPart>& parts, const session::ModelFacts& facts) {
    if (!facts.arena_bytes)
        return;
    VerdictPart memory;
    memory.id = "memory";
    memory.weight = 50;
    memory.text = tr("%1 at the peak").arg(bytesText(double(*facts.arena_bytes) + facts.weight_bytes));
    memory.hint = tr("%1 of weights, %2 between kernels")
                      .arg(bytesText(facts.weight_bytes), bytesText(double(*facts.arena_bytes)));
    parts.push_back(memory);
}

void addSchedules(std::vector<VerdictPart>& parts, const std::string& schedules) {
    if (std::optional<VerdictPart> part = schedulesPart(schedules))
        parts.push_back(std::move(*part));
}

// Without a measurement: what the device needs at least. Who has chosen a GPU asks why it is another one.
void addPredicted(std::vector<VerdictPart>& parts, const session::ModelSnapshot& snapshot, bool isForWantOfGpu) {
    if (snapshot.phase == session::ModelPhase::Imported || snapshot.totals.seconds <= 0)
        return;
    VerdictPart time;
    time.id = "time";
    time.weight = 90;
    time.predicted = true;
    time.text =
        tr("%1 predicted on %2").arg(timeText(snapshot.totals.seconds), QString::fromStdString(snapshot.roofs.name));
    time.hint = tr("Lower bound for %2 kernels on %1; not measured")
                    .arg(QString::fromStdString(snapshot.roofs.name))
                    .arg(snapshot.totals.kernels);
    if (isForWantOfGpu) {
        time.text += tr(": there is no GPU here");
        time.hint += tr(". Run on the emulator, its code and its figures are those of the GPU that is chosen");
    }
    parts.push_back(time);
}

} // namespace

const session::ModelNodeError* firstBad(const session::ModelRunResult& result) {
    const auto found =
        std::find_if(result.nodes.begin(), result.nodes.end(), [](const auto& row) { return row.is_bad; });
    return found == result.nodes.end() ? nullptr : &*found;
}

double launchesOf(const session::ModelBenchResult& result) {
    double count = 0;
    for (const session::ModelStepRow& row : result.steps)
        count += double(row.launches);
    return count;
}

VerdictLine modelVerdict(const LiveModel& model, const ModelReport* report) {
    VerdictLine out;
    const session::ModelFindings& findings = model.findings();
    if (report && !report->isGood())
        out.parts.push_back(troublePart(*report));
    else if (report && report->compiled)
        out.parts.push_back(compiledPart(report->compiled->facts, report->seconds));
    if (findings.comparison)
        out.parts.push_back(errorPart(*findings.comparison));
    if (findings.bench) {
        addMeasured(out.parts, *findings.bench);
        addMemory(out.parts, findings.bench->facts);
        addSchedules(out.parts, findings.bench->facts.schedules);
    } else if (model.snapshot()) {
        const bool isAutomatic = model.request().target == session::Target::Auto;
        addPredicted(out.parts, *model.snapshot(), isAutomatic && !model.snapshot()->is_for_gpu);
    }
    if (!findings.bench && findings.comparison)
        addSchedules(out.parts, findings.comparison->facts.schedules);
    if (report && !report->advice.isEmpty()) {
        VerdictPart advice;
        advice.id = "advice";
        advice.weight = 30;
        advice.text = report->advice;
        advice.hint = advice.text;
        advice.tone = VerdictTone::Muted;
        out.parts.push_back(advice);
    }
    out.stale = (findings.bench || findings.comparison) && model.isStale();
    QStringList words;
    for (const VerdictPart& part : out.parts)
        words << part.text;
    out.sentence = words.join(". ");
    return out;
}

} // namespace hidet::ui
