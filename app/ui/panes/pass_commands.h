// SPDX-License-Identifier: GPL-3.0-only
// Stepping through the passes, and what can be asked of one.
#pragma once

#include "app/ui/panes/stage_area.h"

namespace hidet::ui {

void bindPassCommands(StageArea& area, Studio& studio);

} // namespace hidet::ui
