// SPDX-License-Identifier: Apache-2.0
// What was measured of a script, for those who find its export.
#pragma once

#include "app/session/exporting/exporter.h"

namespace hidet::session {

// Of the history that the request names, if it does: the last run of each function, shapes and device, of this text of the
// script. The same runs give the same sentences. False: it cannot be read, and the reason is in the work's sink.
bool add_figures(ExportWork& out);

} // namespace hidet::session
