// SPDX-License-Identifier: GPL-3.0-only
// States of models as graphs.
#include "app/ui/graph/graph_area.h"
#include "app/ui/house/screenshots.h"

namespace hidet::ui {

namespace {

GraphCanvas& openGroups(Scene& scene) {
    scene.openModel("encoder");
    scene.trigger("graph.open_all");
    scene.rest(400); // laid out on another thread
    return scene.window().findChild<GraphArea*>()->current()->canvas();
}

GraphItem middleOf(const GraphCanvas& canvas) {
    const auto& nodes = canvas.picture()->graph->nodes;
    return GraphItem::ofNode(nodes[nodes.size() / 2]->id);
}

} // namespace

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

void show_graph_names(Scene& scene) {
    GraphCanvas& canvas = openGroups(scene);
    canvas.zoomTo(0.45, QRectF(canvas.rect()).center());
    scene.rest(100);
}

void show_graph_heat(Scene& scene) {
    GraphCanvas& canvas = openGroups(scene);
    canvas.model().setOverlay(session::OverlayKind::Predicted);
    canvas.show(middleOf(canvas));
    scene.rest(200);
}

void show_graph_path(Scene& scene) {
    GraphCanvas& canvas = openGroups(scene);
    canvas.model().select(middleOf(canvas));
    scene.trigger("graph.producers");
    canvas.zoomTo(0.6, QRectF(canvas.rect()).center());
    scene.rest(100);
}

void show_graph_pass(Scene& scene) {
    GraphCanvas& canvas = openGroups(scene);
    canvas.model().setShown(2);
    scene.rest(300);
    canvas.actualSize();
    scene.rest(100);
}

} // namespace hidet::ui
