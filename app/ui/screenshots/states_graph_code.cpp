// SPDX-License-Identifier: GPL-3.0-only
// States of the code of operators.
#include <algorithm>

#include "app/session/model/model_code.h"
#include "app/ui/core/placement.h"
#include "app/ui/graph/code/model_code.h"
#include "app/ui/screenshots/screenshots.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

// An operator in the middle of a kernel that several groups share.
void show_graph_code(Scene& scene) {
    setPlacement(scene.settings(), session::Placement::Emulate); // kernels for a GPU, wherever this is
    if (!scene.openModel("encoder"))
        return;
    LiveModel& model = *scene.studio().tabs.model();
    const auto& programs = model.graphs().snapshot()->code->programs();
    const auto shared = std::find_if(programs.begin(), programs.end(), [](const session::CodeProgram& program) {
        return program.uses.size() > 2 && program.nodes.size() > 2;
    });
    if (shared == programs.end())
        return scene.showError("no kernel is shared");
    const GraphItem item = GraphItem::ofNode(shared->uses[1].nodes[1]);
    model.selection().select(item);
    model.selection().reveal(item);
    scene.trigger("graph.code");
    const auto* code = scene.window().findChild<ModelCodePane*>();
    scene.waitFor([code] { return code->isSettled(); });
    scene.settle();
    model.selection().reveal(item);
}

} // namespace hidet::ui
