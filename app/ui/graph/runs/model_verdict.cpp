// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/runs/model_verdict.h"

#include <algorithm>

#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "app/ui/run/verdict_limits.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

namespace {

VerdictPart troublePart(const ModelReport& report) {
    if (report.end == RunEnd::Cancelled)
        return stoppedPart(report.seconds);
    return {.id = "verdict",
            .text = report.trouble,
            .hint = report.trouble,
            .icon = "error",
            .tone = VerdictTone::Error,
            .weight = 100};
}

VerdictPart compiledPart(const session::ModelFacts& facts, double seconds) {
    return {.id = "verdict",
            .text = tr("Compiled, %1 kernels").arg(facts.launched()),
            .hint = tr("%1 operators became %2 kernels, %3 of them different, in %4")
                        .arg(facts.nodes)
                        .arg(facts.launched())
                        .arg(facts.programs)
                        .arg(timeText(seconds)),
            .icon = "ok",
            .tone = VerdictTone::Ok,
            .weight = 70};
}

VerdictPart errorPart(const session::ModelRunResult& result) {
    VerdictPart out{.id = "errors", .weight = 95};
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
    const session::ModelNodeError* first = firstBad(result);
    out.text = first ? tr("Wrong from %1 on, error %2").arg(text(first->node), numberText(first->relative))
                     : tr("Correct, error %1").arg(numberText(worst));
    out.hint = capitalized(text(session::comparison_text(result)));
    out.icon = first ? "error" : "ok";
    out.tone = first ? VerdictTone::Error : VerdictTone::Ok;
    return out;
}

void addMeasured(std::vector<VerdictPart>& parts, const session::ModelBenchResult& bench) {
    const session::TimesView& times = bench.times;
    const bool emulated = bench.is_emulated;
    VerdictPart time{.id = "time", .weight = 90};
    time.text =
        emulated ? tr("%1 emulated").arg(timeText(times.median)) : timeText(times.median, (times.p90 - times.p10) / 2);
    time.tone = emulated ? VerdictTone::Muted : VerdictTone::Plain;
    time.hint = tr("Median of %1 runs on %2%3, 10th to 90th percentile: %4 to %5")
                    .arg(times.count)
                    .arg(text(session::where_measured(bench.where, emulated)),
                         bench.is_replayed ? tr(", replayed as a CUDA graph") : QString(), timeText(times.p10),
                         timeText(times.p90));
    parts.push_back(time);
    const QString kernels = tr("A run launches %1 kernels").arg(launchesOf(bench));
    parts.push_back({.id = "launches",
                     .text = tr("%1 launches").arg(launchesOf(bench)),
                     .hint = bench.facts.host_steps > 0
                                 ? tr("%1, and the host does %2 steps itself").arg(kernels).arg(bench.facts.host_steps)
                                 : kernels,
                     .weight = 60});
    if (const auto share = session::roofline_share(bench))
        parts.push_back({.id = "roof",
                         .text = tr("%1 of roofline (%2)").arg(percentText(share->reached), text(share->bound)),
                         .hint = tr("Lower bound for these kernels on %1: %2")
                                     .arg(text(bench.roofs.name), timeText(share->least_seconds)),
                         .weight = 80});
}

void addMemory(std::vector<VerdictPart>& parts, const session::ModelFacts& facts) {
    if (!facts.arena_bytes)
        return;
    const double between = double(*facts.arena_bytes);
    parts.push_back(
        {.id = "memory",
         .text = tr("%1 at the peak").arg(bytesText(between + facts.weight_bytes)),
         .hint = tr("%1 of weights, %2 between kernels").arg(bytesText(facts.weight_bytes), bytesText(between)),
         .weight = 50});
}

void addSchedules(std::vector<VerdictPart>& parts, const std::string& schedules) {
    if (std::optional<VerdictPart> part = schedulesPart(schedules))
        parts.push_back(std::move(*part));
}

// Without a measurement: what the device needs at least. Who has chosen a GPU asks why it is another one.
void addPredicted(std::vector<VerdictPart>& parts, const session::ModelSnapshot& snapshot, bool isForWantOfGpu) {
    if (snapshot.phase == session::ModelPhase::Imported || snapshot.totals.seconds <= 0)
        return;
    const QString device = text(snapshot.roofs.name);
    VerdictPart time{.id = "time",
                     .text = tr("%1 predicted on %2").arg(timeText(snapshot.totals.seconds), device),
                     .hint =
                         tr("Lower bound for %2 kernels on %1; not measured").arg(device).arg(snapshot.totals.kernels),
                     .weight = 90,
                     .predicted = true};
    if (isForWantOfGpu) {
        time.text += tr(": there is no GPU here");
        time.hint += tr(". Run on the emulator, its code and its figures are those of the GPU that is chosen");
    }
    parts.push_back(time);
}

} // namespace

const session::ModelNodeError* firstBad(const session::ModelRunResult& result) {
    return first_in(result.nodes, [](const auto& row) { return row.is_bad; });
}

double launchesOf(const session::ModelBenchResult& result) {
    double count = 0;
    for (const session::ModelStepRow& row : result.steps)
        count += double(row.launches);
    return count;
}

VerdictLine modelVerdict(const LiveModel& model, const ModelReport* report) {
    VerdictLine out;
    const session::ModelFindings& findings = model.results().findings();
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
    } else if (model.graphs().snapshot()) {
        const bool isAutomatic = model.request().target == session::Target::Auto;
        addPredicted(out.parts, *model.graphs().snapshot(), isAutomatic && !model.graphs().snapshot()->is_for_gpu);
    }
    if (!findings.bench && findings.comparison)
        addSchedules(out.parts, findings.comparison->facts.schedules);
    if (report && !report->advice.isEmpty())
        out.parts.push_back(
            {.id = "advice", .text = report->advice, .hint = report->advice, .tone = VerdictTone::Muted, .weight = 30});
    out.stale = (findings.bench || findings.comparison) && model.results().isStale();
    out.sentence = listOf(out.parts, &VerdictPart::text).join(". ");
    return out;
}

} // namespace hidet::ui
