// SPDX-License-Identifier: GPL-3.0-only
// States of models that were run: real runs on the CPU.
#include "app/ui/core/placement.h"
#include "app/ui/graph/runs/model_runs.h"
#include "app/ui/screenshots/screenshots.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

namespace {

void openOnCpu(Scene& scene) {
    setPlacement(scene.studio().settings, session::Placement::Cpu);
    scene.openModel("encoder");
}

void run(Scene& scene, const QString& command) {
    const ModelRuns& runs = *scene.studio().modelRuns;
    scene.trigger(command);
    scene.waitFor([&] { return scene.studio().jobs->running() == nullptr; });
    const ModelReport* report = runs.report(*scene.studio().tabs.model());
    if (!report || !report->isGood())
        scene.showError(report ? report->trouble : QString("the model was not run"));
}

} // namespace

void show_graph_timeline(Scene& scene) {
    openOnCpu(scene);
    run(scene, "run.run");
    scene.trigger("dock.timeline");
}

void show_graph_memory(Scene& scene) {
    openOnCpu(scene);
    scene.studio().tabs.model()->setup().setDimensions({{"batch", 1}});
    scene.settle();
    scene.trigger("dock.memory");
}

void show_graph_numerics(Scene& scene) {
    openOnCpu(scene);
    run(scene, "model.compare");
    scene.trigger("dock.numerics");
}

void show_graph_run(Scene& scene) {
    openOnCpu(scene);
    run(scene, "model.compare");
    run(scene, "run.run");
    scene.trigger("dock.model_run");
}

} // namespace hidet::ui
