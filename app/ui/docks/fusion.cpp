// SPDX-License-Identifier: GPL-3.0-only
#include <QVBoxLayout>

#include "app/ui/stage/empty_state.h"
#include "app/ui/window/dock.h"

namespace hidet::ui {

DockWidget* makeFusionDock(Studio&) {
    auto* dock = new DockWidget;
    auto* empty = new EmptyState(dock);
    empty->say(DockWidget::tr("Kernels and what was not fused"), DockWidget::tr("Appears here when a model is open"));
    (new QVBoxLayout(dock))->addWidget(empty);
    return dock;
}

} // namespace hidet::ui
