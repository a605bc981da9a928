// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/session/explain/memory_chart.h"

namespace hidet::cli {

// What passes between the levels of memory, from the device's to registers.
std::string memory_text(const session::MemoryChart& chart);

} // namespace hidet::cli
