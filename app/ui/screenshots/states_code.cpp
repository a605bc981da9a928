// SPDX-License-Identifier: GPL-3.0-only
// States of the editor and of the panes beside it.
#include <QLabel>
#include <QLineEdit>

#include "app/ui/screenshots/screenshots.h"

namespace hidet::ui {

namespace {

void openLowered(Scene& scene, const QString& sample) {
    scene.openSample(sample);
    scene.perform("view.mode_lower");
}

void fillIn(Scene& scene, const QString& field, const QString& text) {
    auto* edit = scene.window().findChild<QLineEdit*>(field);
    if (edit)
        edit->setText(text);
}

} // namespace

void show_completion(Scene& scene) {
    scene.readSample("naive_matmul");
    QByteArray text = scene.studio().tabs.current()->text();
    const QByteArray line = "            if i < m and j < n:\n";
    const qsizetype at = text.indexOf(line);
    text.insert(at, "            th\n");
    scene.window().editors().current()->replaceAll(text);
    scene.settle();
    scene.caretTo(1 + int(text.left(at).count('\n')), 15);
    scene.settle();
    scene.trigger("edit.complete");
}

void show_hover(Scene& scene) {
    scene.readSample("shared_matmul");
    scene.caretTo("smem_a[", 1);
    scene.settle();
    scene.trigger("go.information");
}

void show_find(Scene& scene) {
    scene.readSample("naive_matmul");
    scene.trigger("edit.replace");
    fillIn(scene, "findText", "thread");
    fillIn(scene, "replaceText", "lane");
}

void show_passes(Scene& scene) {
    openLowered(scene, "naive_matmul");
    scene.trigger("dock.passes");
}

void show_diff(Scene& scene) {
    openLowered(scene, "naive_matmul");
    scene.trigger("dock.passes");
    // Two columns need the width of all groups.
    for (const StageName& stage : generatedStages()) {
        scene.studio().requests.showStage(stage);
        scene.trigger("pane.close");
    }
    scene.studio().requests.showStage(StageName::afterPass("flatten-tensor-index"));
    scene.settle();
    scene.trigger("passes.diff");
}

void show_structure(Scene& scene) {
    openLowered(scene, "shared_matmul");
    for (const StageName& stage : generatedStages()) {
        scene.studio().requests.showStage(stage);
        scene.trigger("pane.close");
    }
    scene.trigger("dock.outline");
    scene.window().resizeDocks({scene.window().dock("outline")}, {440}, Qt::Horizontal);
    scene.studio().requests.showStage(StageName::afterPass("expand-task-mapping"));
    scene.settle();
    const QLabel* title = scene.window().findChild<QLabel*>("structure.title");
    scene.waitFor([&] { return title && title->text().contains("added"); });
}

void show_machine(Scene& scene) {
    scene.readSample("naive_matmul");
    scene.studio().requests.showStage(session::Form::Cuda);
    scene.trigger("pane.close");
    scene.trigger("pane.machine");
    scene.perform("dock.machine");
    CodeView& view = scene.window().stages().show(StageName(session::Form::Sass))->view();
    const qsizetype at = view.bytes().indexOf("FFMA R28, R19");
    if (at >= 0) {
        view.reveal({int(at), int(at) + 1});
        view.setCaret(int(at));
    }
    scene.settle();
}

void show_by_hand(Scene& scene) {
    scene.readSample("naive_matmul");
    StagePane* pane = scene.window().stages().show(StageName(session::Form::Cuda));
    scene.settle();
    pane->setFocus();
    scene.perform("pane.edit");
    ScriptEditor& editor = *scene.window().editors().current();
    editor.replaceAll(editor.bytes().replace("total = 0.0f", "total = 1.0f"));
    scene.settle();
    scene.window().stages().show(StageName(session::Form::Ptx));
    scene.settle();
}

void show_by_hand_changes(Scene& scene) {
    show_by_hand(scene);
    scene.perform("edit.by_hand_changes");
}

void show_blame(Scene& scene) {
    scene.readSample("naive_matmul");
    scene.studio().requests.showStage(StageName::lowered());
    scene.trigger("passes.blame");
}

void show_search(Scene& scene) {
    openLowered(scene, "naive_matmul");
    scene.trigger("dock.search");
    fillIn(scene, "search.text", "total");
}

} // namespace hidet::ui
