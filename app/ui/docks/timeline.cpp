// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/figures.h"
#include "app/ui/graph/charts/chart_dock.h"
#include "app/ui/graph/runs/model_verdict.h"

namespace hidet::ui {

namespace {

class TimelineDock : public ChartDock {
public:
    explicit TimelineDock(Studio& studio) : ChartDock(studio, "timeline") {}

private:
    void refresh() override {
        const LiveModel* shown = model();
        const auto bench = shown ? shown->results().findings().bench : nullptr;
        if (!shown)
            return showEmpty(tr("When each kernel of one inference runs"), tr("Appears here when a model is open"));
        if (!bench)
            return showEmpty(tr("When each kernel of one inference runs"), tr("A run measures it"), Command::RunRun);
        showChart(timelineChart(shown->graphs().snapshot(), bench, shown->results().isStale()), head(*bench));
    }

    static QString head(const session::ModelBenchResult& bench) {
        const double half = (bench.times.p90 - bench.times.p10) / 2;
        const double launches = launchesOf(bench);
        QString out = launches == 1 ? tr("%1 with %2 launch on %3") : tr("%1 with %2 launches on %3");
        out = out.arg(timeText(bench.times.median, half)).arg(launches).arg(QString::fromStdString(bench.where));
        if (bench.facts.host_steps > 0)
            out += bench.facts.host_steps == 1 ? tr(", and 1 step that the host does")
                                               : tr(", and %1 steps that the host does").arg(bench.facts.host_steps);
        return out;
    }
};

} // namespace

DockWidget* makeTimelineDock(Studio& studio) {
    return new TimelineDock(studio);
}

} // namespace hidet::ui
