// SPDX-License-Identifier: Apache-2.0
// One module through the passes, as snapshots.
#pragma once

#include "app/session/work.h"
#include "compiler/ir/func.h"

namespace hidet::session {

struct RecordedSite {
    ir::ModuleRef module;
    Span site;
};

// Fills the snapshot's passes and forms. Mistakes of the user are in the work's sink.
void lower_to_snapshot(Work& work, const PreviewRequest& request, const RecordedSite& recorded,
                       ModuleSnapshot& snapshot);

} // namespace hidet::session
