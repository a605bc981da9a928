// SPDX-License-Identifier: Apache-2.0
// Fixes of common mistakes: an index with too few or too many parts, names that are not as many as what is unpacked, a call with too
// few or too many arguments, a number of another type than is wanted. Each was tried: the script with it is evaluated, the
// mistake is gone and no other has come.
#pragma once

#include "app/session/work/work.h"
#include "lang/service/analysis.h"

namespace hidet::session {

struct RepairRequest {
    const Source& source;
    const std::vector<std::string>& calls;
    std::shared_ptr<const lang::service::Buffers> buffers; // may be null
    lang::service::DocumentRef document; // of the text, with its values; null: it is made where it is needed
};

// For the mistakes of the work's sink that have no fix yet.
void offer_repairs(Work& work, RepairRequest request);

} // namespace hidet::session
