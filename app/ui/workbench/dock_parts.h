// SPDX-License-Identifier: GPL-3.0-only
// How docks are laid out that show one thing beside another below a line of choices.
#pragma once

#include <functional>

#include <QStackedWidget>

#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/dock.h"

namespace hidet::ui {

// What is said while there is nothing to show, and what there is.
void fillDock(DockWidget& dock, QStackedWidget* pages, EmptyState* empty, QWidget* full);
// Alt+Enter is the editor's as well: in this list it means the row.
void onFixKey(QWidget& list, std::function<void()> fix);

} // namespace hidet::ui
