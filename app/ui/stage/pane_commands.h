// SPDX-License-Identifier: GPL-3.0-only
// The commands of the menu Pane that act on the current pane.
#pragma once

#include "app/ui/stage/stage_area.h"

namespace hidet::ui {

void bindPaneCommands(StageArea& area, Studio& studio);

} // namespace hidet::ui
