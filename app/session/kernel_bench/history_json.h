// SPDX-License-Identifier: Apache-2.0
// The lines of a history.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/session/kernel_bench/history.h"

namespace hidet::session {

std::string line_of(const RunRecord& record); // with its line feed
std::string pin_line(const std::string& when, int number);
std::string unpin_line(const std::string& key);

// Does to the runs what the line says; false: it cannot be read, and nothing was done.
bool apply_line(std::string_view line, std::vector<RunRecord>& runs);

} // namespace hidet::session
