// SPDX-License-Identifier: GPL-3.0-only
// States of graphs that are followed, folded over what passes changed, and compared with runs of before.
#include <QFile>

#include "app/ui/core/paths.h"
#include "app/ui/graph/compare/compare_host.h"
#include "app/ui/graph/graph_area.h"
#include "app/ui/graph/runs/model_runs.h"
#include "app/ui/graph/script_graph.h"
#include "app/ui/screenshots/screenshots.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

namespace {

const QByteArray attention = R"(import hidet
from hidet import ops

heads, length, depth = 8, 128, 64

q = hidet.symbol([heads, length, depth], device='cpu')
k = hidet.symbol([heads, length, depth], device='cpu')
v = hidet.symbol([heads, length, depth], device='cpu')

scores = ops.matmul(q, ops.permute_dims(k, [0, 2, 1]))
scores = scores * depth ** -0.5
weights = ops.softmax(scores, axis=-1)
output = ops.matmul(weights, v)
output = ops.relu(output)

graph = hidet.trace_from(output, inputs=[q, k, v])
)";

void openAttention(Scene& scene) {
    scene.openText(attention);
    scene.trigger("graph.of_script");
    LiveModel* model = scene.studio().tabs.modelOf(scene.studio().tabs.current());
    if (!model)
        return scene.showError("the script has no graph");
    scene.waitFor([&] { return !model->graphs().isBusy() && !model->graphs().isBehind(); });
    scene.settle();
    model->graphs().setShown(0);
    scene.settle();
}

// As if each kernel had taken what it is predicted to, those at the places given as often as they say.
session::ModelBenchResult asPredicted(const session::ModelSnapshot& snapshot, const QHash<std::size_t, double>& times) {
    session::ModelBenchResult out;
    out.where = "CPU, 2 threads";
    out.facts.target = "cpu";
    const session::ModelGraph& last = *snapshot.last();
    for (std::size_t i = 0; i < last.kernels.size(); ++i) {
        session::ModelStepRow row;
        row.step = i;
        row.group = last.kernels[i].key;
        row.seconds = 2 * last.kernels[i].least_seconds * times.value(i, 1);
        row.spread = 0.04;
        row.launches = 1;
        out.times.median += row.seconds;
        out.steps.push_back(row);
    }
    out.times.p10 = out.times.median * 0.98;
    out.times.p90 = out.times.median * 1.03;
    out.times.spread = 0.05;
    out.times.count = 50;
    out.facts.nodes = last.nodes.size();
    out.facts.groups = last.kernels.size();
    return out;
}

LiveModel* measuredSample(Scene& scene) {
    scene.studio().settings.set(Setting::Target, "cpu");
    const QString copy = scene.folder() + "/encoder.onnx"; // of which no run was kept
    QFile::copy(samplesFolder() + "/models/encoder.onnx", copy);
    scene.openModelFile(copy);
    LiveModel* model = scene.studio().tabs.model();
    ModelHistoryStore& store = scene.studio().modelRuns->history();
    struct Past {
        const char* when;
        const char* name;
        QHash<std::size_t, double> times;
    };
    const std::size_t count = store.runs().size();
    const std::vector<Past> past = {{"2026-03-02T09:30:00Z", "", {{3, 1.4}}},
                                    {"2026-03-05T16:10:00Z", "before the new template", {{2, 1.3}, {8, 1.2}}}};
    for (const Past& each : past) {
        session::ModelRecord record =
            session::record_of(model->request(), asPredicted(*model->graphs().snapshot(), each.times), each.when);
        record.name = each.name;
        store.append(std::move(record), model->graphs().snapshot()->graphs.front());
    }
    const auto now =
        std::make_shared<session::ModelBenchResult>(asPredicted(*model->graphs().snapshot(), {{5, 1.6}, {11, 1.25}}));
    model->results().setBench(now, model->setup().revision());
    scene.waitFor([&] { return store.runs().size() == count + past.size(); });
    return model;
}

} // namespace

void show_graph_of_script(Scene& scene) {
    openAttention(scene);
    scene.caretTo(12, 20);
}

void show_graph_of_script_behind(Scene& scene) {
    openAttention(scene);
    QByteArray text = attention;
    scene.window().editors().current()->replaceAll(
        text.replace("ops.softmax(scores, axis=-1)", "ops.softmax(scores, axi"));
    LiveModel* model = scene.studio().tabs.modelOf(scene.studio().tabs.current());
    ScriptGraph& beside = scene.window().findChild<GraphArea*>()->beside();
    scene.waitFor([&] { return model->graphs().failed() && !beside.notice().isEmpty(); });
    scene.waitFor([&] { return scene.window().findChild<GraphArea*>()->paneOf(*model)->canvas().isFaded(); });
}

void show_graph_changes(Scene& scene) {
    scene.studio().settings.set(Setting::Target, "cpu");
    scene.openModel("encoder");
    scene.perform("graph.overlay.since-import");
    scene.trigger("graph.fit");
}

void show_graph_changes_open(Scene& scene) {
    show_graph_changes(scene);
    scene.perform("graph.open_all");
    LiveModel& model = *scene.studio().tabs.model();
    const session::GraphChanges changes =
        session::changes_between(*model.graphs().snapshot(), 0, model.graphs().snapshot()->graphs.size() - 1);
    for (const auto& node : model.graphs().last()->nodes)
        if (changes.state_of(node->id) == session::PairState::New && node->name.find("layer.0") != std::string::npos) {
            scene.window().findChild<GraphArea*>()->current()->canvas().viewport().show(GraphItem::ofNode(node->id));
            break;
        }
}

void show_graph_kept(Scene& scene) {
    LiveModel* model = measuredSample(scene);
    scene.perform("dock.model_history");
    const auto runs = scene.studio().modelRuns->history().runsOf(*model);
    scene.studio().modelRuns->compareWithKept(*model, runs.front());
    CompareHost& host = scene.window().findChild<GraphArea*>()->comparison();
    scene.waitFor([&] { return host.view() && !host.view()->pair().isBusy() && host.view()->pair().comparison(); });
    scene.waitFor([&] { return !host.view()->pair().left().graphs().isBusy() && !host.view()->pair().isBusy(); });
    scene.settle();
    host.view()->showKernels();
    host.view()->kernels().selectRow(0);
}

} // namespace hidet::ui
