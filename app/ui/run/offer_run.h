// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "app/ui/widgets/empty_state.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

// What a run would show, with the button that runs. Where that cannot be, why: no script is open, a value is wrong.
void offerRun(Studio& studio, EmptyState& state, const QString& title);

} // namespace hidet::ui
