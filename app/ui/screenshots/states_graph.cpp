// SPDX-License-Identifier: GPL-3.0-only
// States of models as graphs.
#include <algorithm>

#include <QTableView>

#include "app/ui/graph/graph_area.h"
#include "app/ui/graph/tables/operator_model.h"
#include "app/ui/screenshots/screenshots.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

namespace {

GraphCanvas& openGroups(Scene& scene) {
    scene.openModel("encoder");
    scene.perform("graph.open_all");
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
    scene.perform("graph.open_all");
    scene.trigger("graph.fit");
}

void show_graph_detail(Scene& scene) {
    show_graph(scene);
    scene.perform("graph.open_all");
    const auto& nodes = scene.studio().tabs.model()->graphs().shown()->nodes;
    const GraphItem middle = GraphItem::ofNode(nodes[nodes.size() / 3]->id);
    scene.studio().tabs.model()->selection().select(middle);
    scene.studio().tabs.model()->selection().reveal(middle);
    scene.trigger("graph.actual_size");
}

void show_graph_kernels(Scene& scene) {
    show_graph(scene);
    scene.perform("graph.kernels");
    scene.perform("graph.open_all");
    const auto& kernels = scene.studio().tabs.model()->graphs().last()->kernels;
    const GraphItem first = GraphItem::ofNode(kernels[kernels.size() / 3].anchor);
    scene.studio().tabs.model()->selection().select(first);
    scene.studio().tabs.model()->selection().reveal(first);
}

void show_graph_names(Scene& scene) {
    GraphCanvas& canvas = openGroups(scene);
    canvas.viewport().zoomTo(0.45, QRectF(canvas.rect()).center());
}

void show_graph_heat(Scene& scene) {
    GraphCanvas& canvas = openGroups(scene);
    canvas.model().display().setOverlay(session::OverlayKind::Predicted);
    canvas.viewport().show(middleOf(canvas));
}

void show_graph_path(Scene& scene) {
    GraphCanvas& canvas = openGroups(scene);
    canvas.model().selection().select(middleOf(canvas));
    scene.trigger("graph.producers");
    canvas.viewport().zoomTo(0.6, QRectF(canvas.rect()).center());
}

void show_graph_pass(Scene& scene) {
    GraphCanvas& canvas = openGroups(scene);
    canvas.model().graphs().setShown(2);
    scene.settle();
    canvas.viewport().actualSize();
}

// Predicted: that is the same on every machine, and nothing has to run.
void show_graph_table(Scene& scene) {
    scene.openModel("encoder");
    scene.trigger("graph.overlay.predicted");
    scene.trigger("graph.open_all");
    scene.trigger("dock.operators");
    if (auto* table = scene.window().findChild<QTableView*>("operators.table"))
        table->sortByColumn(OperatorModel::Value, Qt::DescendingOrder);
}

void show_graph_node(Scene& scene) {
    scene.openModel("encoder");
    const LiveModel* model = scene.studio().tabs.model();
    const auto hasWeight = [model](const session::GraphNode& node) {
        return std::any_of(node.inputs.begin(), node.inputs.end(), [model](quint32 input) {
            const session::GraphValue* value = model->graphs().shown()->value(input);
            return value->is_constant && value->contents.empty();
        });
    };
    for (const auto& node : model->graphs().shown()->nodes)
        if (node->family == session::OpFamily::MatrixProduct && hasWeight(*node)) {
            scene.studio().tabs.model()->selection().select(GraphItem::ofNode(node->id));
            break;
        }
    scene.studio().tabs.model()->selection().reveal(model->selection().selected());
    scene.trigger("dock.node");
}

} // namespace hidet::ui
