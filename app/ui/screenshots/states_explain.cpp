// SPDX-License-Identifier: GPL-3.0-only
// States of what is known of a kernel before it runs.
#include <QTabBar>

#include "app/ui/screenshots/screenshots.h"

namespace hidet::ui {

namespace {

// A transpose of 96 x 96 in blocks of a tile; `more` has what its threads do.
QByteArray transpose(const QByteArray& names, const QByteArray& more) {
    return "import hidet\n"
           "from hidet.lang import attrs, f32" +
           names +
           "\n"
           "from hidet.lang.cuda import blockIdx, syncthreads, threadIdx\n\n\n"
           "with hidet.script_module() as module:\n\n"
           "    @hidet.script\n"
           "    def transpose(x: f32[96, 96], y: f32[96, 96]):\n"
           "        attrs.func_kind = 'cuda_kernel'\n"
           "        attrs.cuda.grid_dim = 3, 3\n"
           "        attrs.cuda.block_dim = 32, 32\n"
           "        # studio: expect coalesced >= 0.9, conflicts == 0\n" +
           more + "\n\nkernel = module.build()\n";
}

// The dock, at the worst access.
void showAccesses(Scene& scene) {
    scene.settle();
    scene.perform("dock.accesses");
}

} // namespace

void show_accesses(Scene& scene) {
    scene.openText("import hidet\n"
                   "from hidet.lang import attrs, f32\n"
                   "from hidet.lang.cuda import blockIdx, threadIdx\n\n"
                   "m, n, k = 96, 112, 80\n\n"
                   "with hidet.script_module() as module:\n\n"
                   "    @hidet.script\n"
                   "    def matmul(a: f32[m, k], b: f32[k, n], c: f32[m, n]):\n"
                   "        attrs.func_kind = 'cuda_kernel'\n"
                   "        attrs.cuda.grid_dim = m // 16, n // 16\n"
                   "        attrs.cuda.block_dim = 16, 16\n"
                   "        i = blockIdx.x * 16 + threadIdx.x\n"
                   "        j = blockIdx.y * 16 + threadIdx.y\n"
                   "        total = f32(0.0)\n"
                   "        for p in range(k):\n"
                   "            total += a[i, p] * b[p, j]\n"
                   "        c[i, j] = total\n\n"
                   "kernel = module.build()\n");
    showAccesses(scene);
}

void show_accesses_writes(Scene& scene) {
    scene.openText(transpose("", "        i = blockIdx.y * 32 + threadIdx.y\n"
                                 "        j = blockIdx.x * 32 + threadIdx.x\n"
                                 "        y[j, i] = x[i, j]\n"));
    showAccesses(scene);
}

void show_accesses_banks(Scene& scene) {
    scene.openText(transpose(", shared_tensor", "        tile = shared_tensor(f32, shape=[32, 32])\n"
                                                "        row = blockIdx.y * 32\n"
                                                "        column = blockIdx.x * 32\n"
                                                "        i, j = threadIdx.y, threadIdx.x\n"
                                                "        tile[i, j] = x[row + i, column + j]\n"
                                                "        syncthreads()\n"
                                                "        y[column + i, row + j] = tile[j, i]\n"));
    showAccesses(scene);
}

void show_outline(Scene& scene) {
    scene.openText(transpose("", "        i = blockIdx.y * 32 + threadIdx.y\n"
                                 "        j = blockIdx.x * 32 + threadIdx.x\n"
                                 "        y[j, i] = x[i, j]\n"));
    scene.perform("dock.outline");
    scene.caretTo(16, 12);
    scene.settle();
}

void show_traffic(Scene& scene) {
    scene.openText(transpose(", shared_tensor", "        tile = shared_tensor(f32, shape=[32, 32])\n"
                                                "        i, j = threadIdx.y, threadIdx.x\n"
                                                "        tile[i, j] = x[blockIdx.y * 32 + i, blockIdx.x * 32 + j]\n"
                                                "        syncthreads()\n"
                                                "        y[blockIdx.x * 32 + j, blockIdx.y * 32 + i] = tile[i, j]\n"));
    scene.settle();
    scene.perform("dock.traffic");
}

void show_run_predicted(Scene& scene) {
    scene.openSample("naive_matmul");
    scene.perform("view.mode_run");
    scene.trigger("dock.plots");
    if (auto* kinds = scene.window().findChild<QTabBar*>("plots.kind"))
        kinds->setCurrentIndex(2);
    scene.settle();
}

} // namespace hidet::ui
