// SPDX-License-Identifier: GPL-3.0-only
// States of fusion, of what users decide about it, and of the passes of a model.
#include <QTabBar>
#include <QTreeView>

#include "app/ui/graph/fusion/choice_effects.h"
#include "app/ui/screenshots/screenshots.h"

namespace hidet::ui {

namespace {

void showFusion(Scene& scene, int page) {
    scene.openModel("encoder");
    scene.trigger("dock.fusion");
    scene.window().findChild<QTabBar*>("fusion.tabs")->setCurrentIndex(page);
}

// The first edge inside of a kernel, after some of them.
GraphItem fusedEdge(const session::ModelGraph& graph, int skipped) {
    for (const auto& node : graph.nodes)
        for (const quint32 input : node->inputs)
            if (const session::GraphValue* value = graph.value(input);
                value && value->producer != session::no_id &&
                graph.kernel_of(value->producer) == graph.kernel_of(node->id) && skipped-- == 0)
                return GraphItem::ofEdge(input, node->id);
    return {};
}

} // namespace

void show_graph_fusion(Scene& scene) {
    showFusion(scene, 0);
    auto* kernels = scene.window().findChild<QTreeView*>("fusion.kernels");
    for (int row = 0; row < kernels->model()->rowCount(); ++row) {
        const QModelIndex index = kernels->model()->index(row, 0);
        if (kernels->model()->rowCount(index) < 3)
            continue;
        kernels->expand(index);
        kernels->setCurrentIndex(index);
        emit kernels->clicked(index);
        return;
    }
}

void show_graph_why_not(Scene& scene) {
    showFusion(scene, 1);
    scene.trigger("graph.why_not");
    scene.trigger("graph.why_not");
}

void show_graph_what_if(Scene& scene) {
    showFusion(scene, 2);
    LiveModel& model = *scene.studio().tabs.model();
    for (const int edge : {2, 5}) {
        model.selection().select(fusedEdge(*model.graphs().last(), edge));
        scene.trigger("graph.keep_apart");
        scene.waitFor([&] { return !model.graphs().isBusy(); });
    }
    const auto rule = session::ModelChoice::switched("recognise-gelu", false);
    model.setup().choose(QByteArray::fromStdString(session::with_choice(model.setup().choices().toStdString(), rule)),
                         "choose");
    scene.waitFor([&] { return !model.graphs().isBusy() && !ChoiceEffects::of(model).isBusy(); });
}

void show_graph_rules(Scene& scene) {
    showFusion(scene, 3);
}

void show_graph_passes(Scene& scene) {
    scene.openModel("encoder");
    scene.trigger("dock.graph_passes");
    const auto& graphs = scene.studio().tabs.model()->graphs().snapshot()->graphs;
    for (std::size_t i = 0; i < graphs.size(); ++i)
        if (graphs[i]->pass == "subgraph-rewrite")
            scene.studio().tabs.model()->graphs().setShown(static_cast<int>(i));
}

} // namespace hidet::ui
