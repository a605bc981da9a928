// SPDX-License-Identifier: GPL-3.0-only
// States of the docks that show what a kernel does as pictures: pipelines of real runs on the emulator, and waves.
#include <QSpinBox>
#include <QTableWidget>

#include "app/ui/charts/block_picture.h"
#include "app/ui/charts/waves_picture.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/screenshots/screenshots.h"

namespace hidet::ui {

namespace {

// With the longest of the waits marked.
void showPipeline(Scene& scene, const QString& command) {
    scene.run({}, command);
    scene.perform("dock.pipeline");
    if (auto* bubbles = scene.window().findChild<QTableWidget*>("pipeline.bubbles"))
        bubbles->setCurrentCell(0, 0);
    scene.settle();
}

// With the caret at a text.
void showLoops(Scene& scene, const QByteArray& at) {
    scene.settle();
    scene.caretTo(at);
    scene.trigger("dock.loops");
    const auto* loops = scene.window().findChild<QTableWidget*>("loops.table");
    scene.waitFor([&] { return loops && loops->rowCount() > 0; });
    scene.settle();
}

QByteArray scaled(int rows, int columns) {
    return QString("import hidet\n"
                   "from hidet.lang import attrs, f32\n"
                   "from hidet.lang.cuda import blockIdx, threadIdx\n\n"
                   "rows, columns = %1, %2\n\n\n"
                   "with hidet.script_module() as module:\n\n"
                   "    @hidet.script\n"
                   "    def add(x: f32[rows, columns], bias: f32[columns], y: f32[rows, columns]):\n"
                   "        attrs.func_kind = 'cuda_kernel'\n"
                   "        attrs.cuda.grid_dim = columns // 32, rows // 32\n"
                   "        attrs.cuda.block_dim = 32, 32\n"
                   "        i = blockIdx.y * 32 + threadIdx.y\n"
                   "        j = blockIdx.x * 32 + threadIdx.x\n"
                   "        y[i, j] = x[i, j] + bias[j]\n\n\n"
                   "kernel = module.build()\n")
        .arg(rows)
        .arg(columns)
        .toUtf8();
}

} // namespace

void view_pipeline(Scene& scene) {
    showPipeline(scene, "run.emulate");
}

void show_pipeline_marks(Scene& scene) { // on the emulator, unless there is a GPU
    scene.trigger("run.markers");
    scene.openSample("hopper_matmul");
    showPipeline(scene, "run.run");
}

void view_waves(Scene& scene) {
    scene.settle();
    scene.trigger("dock.waves");
    const auto* picture = scene.window().findChild<WavesPicture*>("waves.picture");
    scene.waitFor([&] { return picture && !picture->words().isEmpty(); });
    scene.settle();
}

void show_waves(Scene& scene) {
    scene.openText(scaled(512, 1024));
    view_waves(scene);
}

void show_waves_tail(Scene& scene) {
    scene.openText(scaled(288, 960));
    view_waves(scene);
}

void view_occupancy(Scene& scene) {
    scene.settle();
    scene.perform("dock.occupancy");
}

void view_block(Scene& scene) {
    scene.settle();
    scene.trigger("dock.block");
    const auto* picture = scene.window().findChild<BlockPicture*>("block.picture");
    scene.waitFor([&] { return picture && !picture->words().isEmpty(); });
    if (auto* x = scene.window().findChild<QSpinBox*>("block.x"))
        x->setValue(1);
    scene.settle();
}

void view_shared(Scene& scene) {
    scene.settle();
    scene.trigger("dock.shared");
    const auto* table = scene.window().findChild<QTableWidget*>("shared.table");
    scene.waitFor([&] { return table && table->rowCount() > 0; });
    scene.settle();
}

void show_loops_attention(Scene& scene) {
    scene.openSample("hopper_attention");
    showLoops(scene, "for part in grid(parts");
}

void show_loops(Scene& scene) {
    scene.openSample("naive_matmul");
    showLoops(scene, "total +=");
}

void show_loops_tiled(Scene& scene) {
    scene.openSample("shared_matmul");
    showLoops(scene, "for p in");
}

} // namespace hidet::ui
