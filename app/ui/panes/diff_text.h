// SPDX-License-Identifier: GPL-3.0-only
// One column of a difference in a text widget: numbers of its own in the margin, changed lines and words coloured.
#pragma once

#include "app/ui/code/code_view.h"
#include "app/ui/panes/diff_columns.h"

namespace hidet::ui {

CodeView* newDiffView(ThemeSource& themes, const QString& name);
void showDiffColumn(CodeView& view, const DiffColumn& column);
void scrollAlike(const CodeView& leader, CodeView& other); // two columns of equal length

} // namespace hidet::ui
