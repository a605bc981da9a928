// SPDX-License-Identifier: GPL-3.0-only
// How docks are laid out that show one thing beside another below a line of choices.
#pragma once

#include <functional>

#include <QKeySequence>
#include <QStackedWidget>

#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/dock.h"

namespace hidet::ui {

struct Studio;

// What is said while there is nothing to show, and what there is.
void fillDock(DockWidget& dock, QStackedWidget* pages, EmptyState* empty, QWidget* full);
// Why no graph is shown, below what would appear: none is open, it cannot be read, or it is being read.
void sayNoGraph(EmptyState& empty, const Studio& studio, const QString& title);
// Keys that the editor or the window has as well, such as Alt+Return for a fix: in this list they mean the row.
void onListKey(QWidget& list, const QList<QKeySequence>& keys, std::function<void()> act);

} // namespace hidet::ui
