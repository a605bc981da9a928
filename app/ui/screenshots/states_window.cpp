// SPDX-License-Identifier: GPL-3.0-only
// States of the window itself: modes, notices, the palette.
#include "app/ui/screenshots/screenshots.h"

namespace hidet::ui {

void show_welcome(Scene&) {}

void show_edit(Scene& scene) {
    scene.readSample("naive_matmul");
}

void show_edit_links(Scene& scene) {
    show_edit(scene);
    scene.caretTo(29, 21);
}

void show_lower(Scene& scene) {
    scene.openSample("shared_matmul");
    scene.trigger("view.mode_lower");
}

void show_problems(Scene& scene) {
    scene.openText("import hidet\n"
                   "from hidet.lang import attrs, f32\n"
                   "from hidet.lang.cuda import threadIdx\n\n\n"
                   "with hidet.script_module() as module:\n\n"
                   "    @hidet.script\n"
                   "    def scale(x: f32[64], y: f32[64]):\n"
                   "        attrs.func_kind = 'cuda_kernel'\n"
                   "        attrs.cuda.block_dim = 64\n"
                   "        attrs.cuda.grid_dim = 1\n"
                   "        y[threadIdx.x] = x[threadIdx.x] * facter\n\n"
                   "kernel = module.build()\n"
                   "print(modul)\n");
}

void show_broken_script(Scene& scene) {
    show_edit(scene);
    scene.replaceText("for p in range(k):", "for p in range(k:");
}

void show_palette(Scene& scene) {
    show_edit(scene);
    scene.studio().requests.search(">pane");
}

void show_quick_open(Scene& scene) {
    show_edit(scene);
    scene.studio().requests.search("mat");
}

void show_settings(Scene& scene) {
    scene.trigger("view.settings");
}

void show_shortcuts(Scene& scene) {
    scene.trigger("view.shortcuts");
}

void show_manual(Scene& scene) {
    scene.readSample("shared_matmul");
    scene.caretTo(26, 42); // syncthreads
    scene.trigger("help.manual");
}

void show_about(Scene& scene) {
    scene.trigger("help.about");
    scene.waitFor([&] {
        const auto* tools = scene.window().findChild<QLabel*>("about.tools");
        return tools && tools->text().contains("NVRTC");
    });
}

void show_recovery(Scene& scene) {
    show_edit(scene);
    scene.replaceText("f32(0.0)", "f32(1.0)");
    scene.settle();
    scene.studio().notices.notify({"recovery",
                                   NoticeKind::Warning,
                                   "Hidet Studio crashed. One unsaved file was restored",
                                   {{"Show what changed", [] {}}},
                                   {}});
}

void show_notices(Scene& scene) {
    show_edit(scene);
    scene.studio().notices.notify({"disk",
                                   NoticeKind::Warning,
                                   "naive_matmul.py changed on disk, and has changes here",
                                   {{"Reload", [] {}}, {"Keep mine", [] {}}, {"Show differences", [] {}}},
                                   {}});
    scene.studio().notices.notify(
        {"closed", NoticeKind::Info, "Closed scale.py with unsaved changes", {{"Reopen", [] {}}}, {}});
    scene.studio().notices.showError("/etc/kernel.py cannot be written: Permission denied",
                                     {{"Save elsewhere", [] {}}});
}

void show_narrow(Scene& scene) {
    for (const char* name : {"softmax", "histogram", "naive_matmul"})
        scene.openSample(name);
}

} // namespace hidet::ui
