// SPDX-License-Identifier: GPL-3.0-only
// What a line of a stage is, on a card: the instruction of a listing, or which pass made the line.
#pragma once

#include "app/ui/live/stage_name.h"
#include "app/ui/panes/blame_margin.h"
#include "app/ui/panes/help_card.h"

namespace hidet::ui {

// False: there is nothing to say of it.
bool explainAt(CodeView& view, HelpCard& card, const BlameMargin& blame, const StageName& stage, int offset,
               const QString& notes = {}); // of the line, below the instruction

} // namespace hidet::ui
