// SPDX-License-Identifier: Apache-2.0
#include "app/session/view/timeline_rows.h"

#include <algorithm>
#include <set>

#include "lang/base/text.h"

namespace hidet::session {

std::string slot_name(const TimelineView& timeline, int slot) {
    std::set<std::string> barriers;
    for (const TimelineSpan& span : timeline.spans)
        if (span.slot >= 0 && !span.barrier.empty()) {
            barriers.insert(span.barrier);
            if (span.slot == slot)
                return span.barrier;
        }
    return cat("stage ", slot - static_cast<int>(barriers.size()));
}

} // namespace hidet::session
