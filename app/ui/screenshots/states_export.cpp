// SPDX-License-Identifier: GPL-3.0-only
// States of the page of exports. Where files go is a name of no machine.
#include "app/ui/core/placement.h"
#include "app/ui/pages/export_page.h"
#include "app/ui/screenshots/screenshots.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

namespace {

ExportPage* openPage(Scene& scene, const QString& command, const QString& format) {
    scene.trigger(command);
    auto* page = scene.window().findChild<ExportPage*>();
    auto* formats = page ? page->findChild<ExportFormats*>() : nullptr;
    if (!formats) {
        scene.showError("there is no page of exports");
        return nullptr;
    }
    formats->choose(format);
    page->findChild<QLineEdit*>("export.folder")->setText("~/exported");
    scene.waitFor([&] { return page->isSettled(); });
    return page;
}

} // namespace

void show_export_script(Scene& scene) {
    scene.readSample("few_rows_matmul");
    openPage(scene, "file.export", "c");
}

void show_export_checked(Scene& scene) {
    scene.readSample("vector_addition");
    ExportPage* page = openPage(scene, "file.export", "c");
    if (!page)
        return;
    page->findChild<QPushButton*>("export.check")->click();
    scene.waitFor([&] { return !page->maker().isChecking(); });
}

void show_export_broken(Scene& scene) {
    scene.readSample("vector_addition");
    scene.replaceText("a[i] + b[i]", "a[i] + bb[i]");
    scene.settle();
    openPage(scene, "file.export", "cuda");
}

void show_export_model(Scene& scene) {
    scene.openModel("encoder");
    ExportPage* page = openPage(scene, "file.export", "package");
    if (!page)
        return;
    auto* targets = page->findChild<QComboBox*>("export.targets");
    targets->setCurrentIndex(2);
    emit targets->activated(2);
    scene.waitFor([&] { return page->isSettled(); });
}

void show_export_operator(Scene& scene) {
    setPlacement(scene.studio().settings, session::Placement::Emulate);
    scene.openModel("encoder");
    LiveModel& model = *scene.studio().tabs.model();
    for (const auto& node : model.graphs().last()->nodes)
        if (node->name == "/embeddings/norm/LayerNormalization")
            model.selection().select(GraphItem::ofNode(node->id));
    scene.studio().commands.refresh();
    openPage(scene, "model.export_operator", "cuda");
}

void show_export_narrow(Scene& scene) {
    scene.readSample("vector_addition");
    openPage(scene, "file.export", "torch");
}

} // namespace hidet::ui
