// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/run_panel.h"

namespace hidet::ui {

DockWidget* makeRunDock(Studio& studio) {
    return new RunPanel(studio);
}

} // namespace hidet::ui
