// SPDX-License-Identifier: GPL-3.0-only
// The layout of a script as Python's style guide has it: of the selected lines, or of all. One step of undo; carets stay.
#pragma once

#include "app/ui/editor/script_editor.h"

namespace hidet::ui {

void formatText(Studio& studio, ScriptEditor& editor);

} // namespace hidet::ui
