// SPDX-License-Identifier: GPL-3.0-only
// States of models as graphs.
#include "app/ui/graph/live_model.h"
#include "app/ui/house/screenshots.h"

namespace hidet::ui {

void show_graph(Scene& scene) {
    scene.openModel("encoder");
}

} // namespace hidet::ui
