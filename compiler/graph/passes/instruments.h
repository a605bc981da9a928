// SPDX-License-Identifier: Apache-2.0
// Instruments for people who look at what passes do.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/passes/pass.h"

namespace hidet::graph {

// A line for each pass: time, applications, and the rules with how often each applied.
std::string profile_text(const std::vector<PassRecord>& records);

} // namespace hidet::graph
