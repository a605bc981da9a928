// SPDX-License-Identifier: GPL-3.0-only
// States of models as graphs.
#include "app/ui/graph/live_model.h"
#include "app/ui/house/screenshots.h"

namespace hidet::ui {

void show_graph(Scene& scene) {
    scene.openModel("encoder");
}

void show_graph_overview(Scene& scene) {
    show_graph(scene);
    scene.trigger("graph.open_all");
    scene.rest(400); // laid out on another thread
    scene.trigger("graph.fit");
}

void show_graph_detail(Scene& scene) {
    show_graph(scene);
    scene.trigger("graph.open_all");
    scene.rest(400);
    const auto& nodes = scene.studio().model()->graph()->nodes;
    const GraphItem middle = GraphItem::ofNode(nodes[nodes.size() / 3]->id);
    scene.studio().model()->select(middle);
    scene.studio().model()->reveal(middle);
    scene.trigger("graph.actual_size");
}

void show_graph_kernels(Scene& scene) {
    show_graph(scene);
    scene.trigger("graph.kernels");
    scene.rest(200);
    scene.trigger("graph.open_all");
    scene.rest(400);
    const auto& kernels = scene.studio().model()->last()->kernels;
    const GraphItem first = GraphItem::ofNode(kernels[kernels.size() / 3].anchor);
    scene.studio().model()->select(first);
    scene.studio().model()->reveal(first);
}

} // namespace hidet::ui
