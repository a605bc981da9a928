// SPDX-License-Identifier: GPL-3.0-only
// The commands of the menu Pane that act on the current pane, and what any pane can do with them.
#pragma once

#include "app/ui/panes/stage_area.h"

namespace hidet::ui {

void copyAll(Pane& pane, Studio& studio);
void saveText(Pane& pane, Studio& studio);    // to a file that the user names
void savePicture(Pane& pane, Studio& studio); // the same
void bindPaneCommands(StageArea& area, Studio& studio);

} // namespace hidet::ui
