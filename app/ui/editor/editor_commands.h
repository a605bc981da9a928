// SPDX-License-Identifier: GPL-3.0-only
// Binds the commands of the menus Edit and Go. Those that any text can do act where the keyboard is, an editor or a pane.
#pragma once

#include <functional>

#include "app/ui/editor/editor_pane.h"
#include "app/ui/editor/navigation_history.h"

namespace hidet::ui {

// `current` gives the pane of the current document, or null.
void bindEditorCommands(Studio& studio, NavigationHistory& history, QWidget& owner,
                        std::function<EditorPane*()> current);

} // namespace hidet::ui
