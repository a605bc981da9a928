// SPDX-License-Identifier: GPL-3.0-only
// States of writing: new scripts, uses of names, menus, the first half hour of the manual.
#include <QContextMenuEvent>
#include <QFile>

#include "app/session/live/manual.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/screenshots/screenshots.h"

namespace hidet::ui {

namespace {

void write(Scene& scene, const QString& name, const QByteArray& text) {
    QFile file(scene.folder() + '/' + name);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        scene.showError("a script of the scene was not written");
}

// The scripts of the page of the manual, in its order.
QByteArray scriptOfHalfHour(int index) {
    const auto* page = session::assist::manual_page("first_half_hour");
    const QString text = page ? QString::fromUtf8(page->text.data(), qsizetype(page->text.size())) : QString();
    return text.section("```python\n", index + 1, index + 1).section("```", 0, 0).toUtf8();
}

void runHalfHour(Scene& scene, int index, const QByteArray& word) {
    scene.openText(scriptOfHalfHour(index));
    scene.run();
    scene.trigger("pane.editor");
    scene.caretTo(word);
    scene.settle();
}

} // namespace

void show_edit_wide(Scene& scene) {
    scene.settings().set(Setting::QuietDocks, true);
    scene.readSample("softmax");
    scene.waitFor([&] { return !scene.window().dock("problems")->isVisible(); });
}

void show_starts(Scene& scene) {
    scene.perform("file.new");
}

void show_references(Scene& scene) {
    write(scene, "tiles.py",
          "# How many tiles of a size cover an extent.\ndef tiles(extent, size):\n    return (extent + size - 1) // "
          "size\n");
    write(scene, "grid.py",
          "from tiles import tiles\n\nrows, columns = 1000, 300\ngrid = tiles(rows, 16), tiles(columns, "
          "16)\nprint(grid)\n");
    FileError error;
    scene.studio().tabs.open(scene.folder() + "/grid.py", error);
    scene.settle();
    scene.caretTo(4, 10);
    scene.settle();
    scene.trigger("go.references");
    scene.waitFor([&] { return scene.window().dock("references")->isVisible(); });
}

void show_editor_menu(Scene& scene) {
    scene.readSample("naive_matmul");
    scene.caretTo(27, 21);
    scene.settle();
    ScriptEditor* editor = scene.window().editors().current();
    QContextMenuEvent event(QContextMenuEvent::Keyboard, {}, editor->mapToGlobal(QPoint()));
    QCoreApplication::sendEvent(editor, &event);
}

void show_many_tabs(Scene& scene) {
    for (const char* name : {"cluster_histogram", "double_buffered_matmul", "tensor_core_attention",
                             "multistage_matmul", "swizzled_transpose", "vector_addition", "warp_reduction"})
        scene.readSample(name);
}

void show_half_hour_correct(Scene& scene) {
    runHalfHour(scene, 0, "largest = x");
}

void show_half_hour_done(Scene& scene) {
    runHalfHour(scene, 2, "tile = shared");
}

} // namespace hidet::ui
