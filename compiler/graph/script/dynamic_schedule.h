// SPDX-License-Identifier: Apache-2.0
// Schedules of operators whose extents are known only when they run: templates choose for a few sizes that are typical, and
// what they choose is put together by the size at run time.
#pragma once

#include <functional>
#include <optional>

#include "compiler/schedule/templates.h"

namespace hidet::graph {

bool has_dynamic_extents(const AnchorTask& task);

// `choose` is called with the task and typical values of its symbols; where it has none, once. A schedule that it gives must be right for every size,
// but where its condition does not hold; it is taken for the sizes near those for which it was chosen. Nothing: none was given.
std::optional<AnchorSchedule>
schedule_by_size(const AnchorTask& task, const std::function<std::optional<AnchorSchedule>(const AnchorTask&)>& choose);

} // namespace hidet::graph
