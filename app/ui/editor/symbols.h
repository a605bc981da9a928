// SPDX-License-Identifier: GPL-3.0-only
// Where ranges of a script are that the language service speaks of.
#pragma once

#include "app/session/snapshot/snapshot.h"
#include "app/ui/live/live_pipeline.h"

namespace hidet::ui {

// The place of a range in the text that was analysed.
session::Place placeIn(const LivePipeline& live, const QString& file, session::assist::Range range);

} // namespace hidet::ui
