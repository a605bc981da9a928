// SPDX-License-Identifier: GPL-3.0-only
// The menu under the right mouse button, or under the key for it: what can be done with what is at the caret.
#pragma once

#include "app/ui/editor/script_editor.h"

namespace hidet::ui {

void openEditorMenu(Studio& studio, ScriptEditor& editor, const QPoint& globalPlace);

} // namespace hidet::ui
