// SPDX-License-Identifier: GPL-3.0-only
// States of the run panel, the verdict strip, the history and the plots: real runs on the emulator.

#include <QAbstractButton>
#include <QLineEdit>

#include "app/ui/core/placement.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/screenshots/screenshots.h"

namespace hidet::ui {

namespace {

// The one device that every machine has, with limits that are measured.
void runOnCpu(Scene& scene, VerdictDetail detail) {
    setPlacement(scene.studio().settings, session::Placement::Cpu);
    scene.openSample("cpu_matmul");
    scene.trigger("view.mode_run");
    scene.run({}, "run.run");
    scene.studio().requests.showStage(session::Form::Cpp);
    scene.settle();
    scene.trigger("dock.plots");
    scene.studio().runs->detailRequested(detail);
}

// Until the run is in the history, which has those of the picture in another theme already.
void runKept(Scene& scene) {
    const HistoryStore& history = scene.studio().runs->history();
    scene.waitFor([&] { return history.isCurrent(); });
    const std::size_t before = history.runs().size();
    scene.run();
    scene.waitFor([&] { return history.runs().size() == before + 1; });
}

} // namespace

void show_run_distribution(Scene& scene) {
    runOnCpu(scene, VerdictDetail::Distribution);
}

void show_run_roofline(Scene& scene) {
    runOnCpu(scene, VerdictDetail::Roofline);
}

void show_run(Scene& scene) {
    scene.openSample("shared_matmul");
    scene.trigger("view.mode_run");
    scene.run();
    scene.trigger("dock.run");
    scene.studio().runs->detailRequested(VerdictDetail::Kernels);
}

void show_run_wrong(Scene& scene) {
    scene.trigger("view.mode_run");
    scene.openText("import hidet\n"
                   "import torch\n"
                   "from hidet.lang import attrs, f32\n"
                   "from hidet.lang.cuda import blockIdx, threadIdx\n\n\n"
                   "with hidet.script_module() as module:\n\n"
                   "    @hidet.script\n"
                   "    def transpose(a: f32[64, 48], b: f32[48, 64]):\n"
                   "        attrs.func_kind = 'cuda_kernel'\n"
                   "        attrs.cuda.grid_dim = 3, 4\n"
                   "        attrs.cuda.block_dim = 16, 16\n"
                   "        i = blockIdx.y * 16 + threadIdx.y\n"
                   "        j = blockIdx.x * 16 + threadIdx.x\n"
                   "        b[j, i] = a[i, j]\n"
                   "        if threadIdx.x >= 12:\n"
                   "            b[j, i] = a[i, 0]\n\n\n"
                   "def expected(a, b):\n"
                   "    return a.transpose(0, 1)\n\n\n"
                   "kernel = module.build()\n"
                   "a = torch.randn(64, 48, device='cuda')\n"
                   "b = torch.empty(48, 64, device='cuda')\n"
                   "kernel(a, b)\n");
    scene.run([](RunPlan& plan) { plan.reference = {ReferencePlan::Function, 0, "expected"}; });
    scene.trigger("dock.run");
    scene.studio().runs->detailRequested(VerdictDetail::Results);
}

void show_run_history(Scene& scene) {
    scene.openSample("softmax");
    scene.trigger("view.mode_run");
    runKept(scene);
    scene.trigger("run.pin_baseline");
    runKept(scene);
    scene.trigger("dock.history");
}

void show_run_steps(Scene& scene) {
    scene.openSample("naive_matmul");
    scene.trigger("view.mode_run");
    runKept(scene);
    QByteArray text = scene.studio().tabs.current()->text();
    text.replace("total += ", "total = total + ");
    session::FixView fix;
    const auto lines = int(scene.studio().tabs.current()->text().count('\n'));
    fix.place = {scene.studio().tabs.current()->name().toStdString(), 1, 1, lines + 1, 1};
    fix.text = text.toStdString();
    scene.studio().requests.applyFix({fix});
    scene.settle();
    scene.trigger("dock.history");
    scene.perform("run.older_text");
}

void show_compare_gpus(Scene& scene) {
    scene.readSample("shared_matmul");
    scene.studio().requests.showStage(session::Form::Cuda);
    scene.perform("pane.compare_gpus");
}

void show_run_sweep(Scene& scene) {
    scene.openSample("dynamic_matmul");
    scene.trigger("view.mode_run");
    scene.run([](RunPlan& plan) {
        plan.sweepName = "m";
        plan.sweepValues = "8, 16..128*2";
        plan.reference.kind = ReferencePlan::None;
    });
    scene.trigger("dock.plots");
}

static QByteArray stencil(const QByteArray& body) {
    return "import hidet\n"
           "from hidet.lang import attrs, f32, shared_tensor\n"
           "from hidet.lang.cuda import blockIdx, syncthreads, threadIdx\n\n\n"
           "with hidet.script_module() as module:\n\n"
           "    @hidet.script\n"
           "    def stencil(x: f32[512], y: f32[512]):\n"
           "        attrs.func_kind = 'cuda_kernel'\n"
           "        attrs.cuda.grid_dim = 4\n"
           "        attrs.cuda.block_dim = 128\n"
           "        t = threadIdx.x\n"
           "        at = blockIdx.x * 128 + t\n"
           "        tile = shared_tensor(f32, shape=[128])\n"
           "        tile[t] = x[at]\n" +
           body +
           "\n\nkernel = module.build()\n"
           "kernel(hidet.randn([512], device='cuda'), hidet.zeros([512], device='cuda'))\n";
}

void show_threads(Scene& scene) {
    scene.openText(stencil("        if t < 100:\n"
                           "            if t % 2 == 0:\n"
                           "                syncthreads()\n"
                           "            y[at] = tile[t] + tile[t + 1]\n"));
    scene.run();
    scene.studio().requests.showThreads(
        scene.studio().scripts.findings(*scene.studio().tabs.current()).front().place.line);
    scene.settle();
}

void show_debug(Scene& scene) {
    scene.openText(stencil("        total = tile[t]\n"
                           "        total += tile[127 - t]\n"
                           "        y[at] = total\n"));
    scene.settle();
    scene.caretTo("tile[t] = x[at]");
    scene.perform("debug.breakpoint");
    scene.caretTo("y[at] = total");
    scene.perform("debug.breakpoint");
    for (int stops = 0; stops < 2; ++stops) {
        scene.trigger("debug.start");
        scene.waitFor([&scene] { return scene.studio().debug.stop() != nullptr; });
    }
    scene.settle();
}

void show_debug_condition(Scene& scene) {
    scene.openText(stencil("        y[at] = tile[t] + tile[127 - t]\n"));
    scene.settle();
    scene.caretTo("y[at] = tile");
    scene.trigger("debug.condition");
    scene.window().findChild<QLineEdit*>("conditionText")->setText("tile[t] != x[at] and blockldx.x > 0");
}

void show_debug_writer(Scene& scene) {
    scene.openText(stencil("        y[at] = tile[t] + tile[127 - t]\n"));
    scene.settle();
    scene.trigger("debug.start");
    scene.waitFor([&scene] { return scene.studio().debug.stop() != nullptr; });
    scene.trigger("debug.start");
    scene.waitFor([&scene] { return scene.studio().debug.stop() != nullptr; });
    scene.caretTo("127 - t");
    scene.trigger("debug.writer");
    scene.waitFor([&scene] { return scene.studio().debug.element() != nullptr; });
    scene.window().findChild<QAbstractButton*>("debug.watch")->click();
    scene.settle();
}

void show_threads_race(Scene& scene) {
    scene.openText(stencil("        y[at] = tile[t] + tile[127 - t]\n"));
    scene.run();
    scene.studio().requests.showAccess(
        scene.studio().scripts.findings(*scene.studio().tabs.current()).front().place.line);
    scene.settle();
}

} // namespace hidet::ui
