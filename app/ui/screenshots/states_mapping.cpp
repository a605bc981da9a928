// SPDX-License-Identifier: GPL-3.0-only
// States of the mapping canvas.
#include <QToolButton>

#include "app/ui/mapping/number_field.h"
#include "app/ui/screenshots/screenshots.h"

namespace hidet::ui {

namespace {

// The caret in the middle of a text of a sample, and the dock beside it, in the mode that leaves room for it.
void showMapping(Scene& scene, const QString& sample, const QByteArray& at) {
    scene.openSample(sample);
    scene.perform("view.mode_run");
    scene.caretTo(at, 1);
    scene.perform("dock.mapping");
}

void press(Scene& scene, const QString& button) {
    scene.click(button);
    scene.settle();
}

} // namespace

void show_mapping(Scene& scene) {
    showMapping(scene, "double_buffered_matmul", "repeat(4, 1) * spatial(32, 8)");
}

void show_mapping_workers(Scene& scene) {
    showMapping(scene, "shared_matmul", "spatial(4, 2) * repeat(2, 2) * spatial(2, 4)");
    press(scene, "mapping.workers");
}

void show_mapping_factor(Scene& scene) {
    showMapping(scene, "shared_matmul", "spatial(4, 2) * repeat(2, 2) * spatial(2, 4)");
    if (auto* number = scene.window().findChild<NumberField*>("mapping.number_1_0"))
        number->setFocus();
    scene.settle();
}

void show_mapping_banks(Scene& scene) {
    showMapping(scene, "swizzled_transpose", "row_major(tile, tile)");
    press(scene, "mapping.banks");
}

void show_mapping_lanes(Scene& scene) {
    showMapping(scene, "tensor_core_matmul", "MmaConfig.m16n8k16_f16_f32()");
}

} // namespace hidet::ui
