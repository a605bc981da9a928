// SPDX-License-Identifier: Apache-2.0
// Schedules as text, in choices files, records and tables: "matmul_wgmma(block_n=64, split=2)".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/host/value.h"

namespace hidet::graph {

struct ScheduleText {
    std::string name; // of the template
    std::vector<std::pair<std::string, lang::Value>> parameters;
};

// A number, a bool, None, text without quotes, or a tuple of such: what a parameter that is tuned may be.
bool is_plain(const lang::Value& value);
std::string write_schedule(const ScheduleText& schedule); // of plain values
std::optional<ScheduleText> read_schedule(std::string_view text);

} // namespace hidet::graph
