// SPDX-License-Identifier: Apache-2.0
// Building several modules at the same time.
#pragma once

#include <cstddef>
#include <functional>

#include "app/session/work/work.h"

namespace hidet::session {

// Calls the body for 0, ..., count - 1 on the cores of this machine, each time with a work of its own. What those report is
// reported to the sink in the order of the numbers, and their times and status are added to `work`. An exception ends all of it
// and is thrown again. `done` is told how many have ended, by one thread at a time.
void in_parallel(Work& work, DiagnosticSink& sink, std::size_t count,
                 const std::function<void(std::size_t, Work&)>& body, const std::function<void(std::size_t)>& done);

} // namespace hidet::session
