// SPDX-License-Identifier: Apache-2.0
// One module through the passes, as snapshots.
#pragma once

#include "app/session/preview/sites.h"

namespace hidet::session {

struct LoweredModule {
    ir::ModuleRef
        end; // where the request wants it; null when a mistake of the user, which is in the work's sink, stopped it
    ir::ModuleRef emulated; // on the way there, lowered for the emulator; null: it did not come by
};

// Fills the snapshot's passes.
LoweredModule run_passes(Work& work, const PreviewRequest& request, const RecordedSite& recorded,
                         ModuleSnapshot& snapshot);

// The passes, then the forms that the request asks for.
LoweredModule lower_to_snapshot(Work& work, const PreviewRequest& request, const RecordedSite& recorded,
                                ModuleSnapshot& snapshot);

} // namespace hidet::session
