// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/session/request/source.h"
#include "app/session/snapshot/snapshot.h"

namespace hidet::cli {

// Pipelines of a run of the emulator: rows of warps over time, the stages that copies fill, and what is waited for.
std::string timelines_text(const std::vector<session::TimelineView>& timelines, const session::Source& script);

} // namespace hidet::cli
