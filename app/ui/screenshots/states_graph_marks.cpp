// SPDX-License-Identifier: GPL-3.0-only
// States of what is left at the operators of a model: bookmarks, notes, numbers of a file; and the values of a weight.

#include <QFile>

#include "app/ui/graph/graph_area.h"
#include "app/ui/screenshots/screenshots.h"
#include "app/ui/tensors/tensor_grid.h"
#include "app/ui/workbench/graph_marks.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/model_numbers.h"

namespace hidet::ui {

namespace {

LiveModel& openEncoder(Scene& scene) {
    scene.openModel("encoder");
    scene.perform("graph.open_all");
    scene.trigger("graph.actual_size");
    return *scene.studio().tabs.model();
}

const session::GraphNode& nodeAt(const LiveModel& model, std::size_t part, std::size_t of) {
    const auto& nodes = model.graphs().shown()->nodes;
    return *nodes[nodes.size() * part / of];
}

void showNode(Scene& scene, quint32 node) {
    LiveModel& model = *scene.studio().tabs.model();
    model.selection().select(GraphItem::ofNode(node));
    model.selection().reveal(GraphItem::ofNode(node));
    scene.settle();
}

const session::GraphValue* largeWeight(const LiveModel& model) {
    const session::GraphValue* out = nullptr;
    for (const auto& value : model.graphs().shown()->values)
        if (value->is_constant && value->contents.empty() && (!out || *value->bytes > *out->bytes))
            out = value.get();
    return out;
}

} // namespace

void show_graph_notes(Scene& scene) {
    LiveModel& model = openEncoder(scene);
    GraphMarks& marks = model.marks();
    const quint32 first = nodeAt(model, 1, 4).id, second = nodeAt(model, 1, 3).id;
    marks.toggleBookmark(second);
    marks.setNote(first, "twice as slow since the last release");
    marks.setNote(second, "Here the sums overflow in float16.\nAsk for float32.");
    marks.toggleBookmark(nodeAt(model, 2, 3).id);
    marks.restore({{{"head_old", "head_old", "matmul"}, true, "was split in the second version"}});
    scene.trigger("dock.marks");
    scene.trigger("dock.node");
    showNode(scene, second);
}

void show_graph_values(Scene& scene) {
    LiveModel& model = openEncoder(scene);
    const session::GraphValue* weight = largeWeight(model);
    showNode(scene, weight->consumers.front());
    model.selection().select(GraphItem::ofValue(weight->id));
    scene.trigger("graph.values");
    const auto* grid = scene.window().findChild<TensorGrid*>("tensors.grid");
    scene.waitFor([grid] { return grid && !grid->textAt(0, 0).isEmpty(); });
    scene.settle();
}

void show_graph_numbers(Scene& scene) {
    LiveModel& model = openEncoder(scene);
    QByteArray text = "name,Energy (mJ)\nhead_old,12\n";
    const auto& nodes = model.graphs().shown()->nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (i % 4 != 3)
            text += '"' + QByteArray::fromStdString(nodes[i]->key) + "\"," + QByteArray::number(i * 37 % 90 + 1) + '\n';
    QFile file(scene.folder() + "/energy.csv");
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        return scene.showError("the file of numbers cannot be written");
    file.close();
    model.numbers().choose(file.fileName());
    model.display().setOverlay(session::OverlayKind::Numbers);
    scene.trigger("dock.node");
    scene.waitFor([&model] { return !model.numbers().unmatched().isEmpty(); });
    showNode(scene, nodeAt(model, 1, 3).id);
    model.selection().select({});
    scene.settle();
}

} // namespace hidet::ui
