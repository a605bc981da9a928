// SPDX-License-Identifier: GPL-3.0-only
// States of the tensor viewer: real runs on the emulator.
#include <QComboBox>
#include <QToolButton>

#include "app/ui/run/run_controller.h"
#include "app/ui/screenshots/screenshots.h"
#include "app/ui/tensors/tensor_grid.h"

namespace hidet::ui {

namespace {

void runAndShow(Scene& scene, const QString& reference = {}) {
    scene.trigger("view.mode_run");
    scene.run([&](RunPlan& plan) {
        if (!reference.isEmpty())
            plan.reference = {ReferencePlan::Function, 0, reference};
    });
    scene.trigger("dock.tensors");
    const auto* grid = scene.window().findChild<TensorGrid*>("tensors.grid");
    scene.waitFor([&] { return grid && !grid->textAt(0, 0).isEmpty(); });
}

// One lane in twelve reads its neighbour's.
void showWrong(Scene& scene, const char* look) {
    scene.openText("import hidet\n"
                   "import torch\n"
                   "from hidet.lang import attrs, f32\n"
                   "from hidet.lang.cuda import blockIdx, threadIdx\n"
                   "\n"
                   "with hidet.script_module() as script_module:\n"
                   "\n"
                   "    @hidet.script\n"
                   "    def scale(x: f32[48, 96], y: f32[48, 96]):\n"
                   "        attrs.func_kind = 'cuda_kernel'\n"
                   "        attrs.cuda.grid_dim = 48\n"
                   "        attrs.cuda.block_dim = 96\n"
                   "        if threadIdx.x % 12 != 7:\n"
                   "            y[blockIdx.x, threadIdx.x] = x[blockIdx.x, threadIdx.x] * 2.0\n"
                   "        else:\n"
                   "            y[blockIdx.x, threadIdx.x] = x[blockIdx.x, threadIdx.x - 1] * 2.0\n"
                   "\n"
                   "\n"
                   "def expected(x):\n"
                   "    return x * 2.0\n"
                   "\n"
                   "\n"
                   "module = script_module.build()\n"
                   "x = torch.randn(48, 96, device='cuda')\n"
                   "y = torch.empty(48, 96, device='cuda')\n"
                   "module(x, y)\n");
    runAndShow(scene, "expected");
    scene.click(look);
    scene.click("tensors.worst");
    scene.settle();
}

} // namespace

void show_tensors(Scene& scene) {
    scene.openSample("softmax");
    runAndShow(scene);
}

void show_tensors_wrong(Scene& scene) {
    showWrong(scene, "tensors.differences");
}

void show_tensors_owners(Scene& scene) {
    showWrong(scene, "tensors.owners");
}

void show_tensors_tile(Scene& scene) {
    scene.openSample("swizzled_transpose");
    runAndShow(scene);
    auto* entries = scene.window().findChild<QComboBox*>("tensors.entries");
    if (!entries)
        return;
    entries->setCurrentIndex(entries->count() - 1);
    emit entries->activated(entries->count() - 1);
    scene.settle();
}

} // namespace hidet::ui
