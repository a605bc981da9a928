// SPDX-License-Identifier: GPL-3.0-only
// Links by keyboard: from range to range, from pane to pane, and pinned.
#pragma once

#include "app/ui/panes/stage_area.h"

namespace hidet::ui {

void bindLinkCommands(StageArea& area, Studio& studio);

} // namespace hidet::ui
