// SPDX-License-Identifier: Apache-2.0
// Counters of a run of the emulator, as a table for each kernel.
#pragma once

#include <string>
#include <vector>

#include "app/session/request/source.h"
#include "app/session/snapshot/snapshot.h"

namespace hidet::cli {

// `script`: the text that lines are of.
std::string counters_text(const std::vector<session::LineCounters>& lines, const session::Source& script);

} // namespace hidet::cli
