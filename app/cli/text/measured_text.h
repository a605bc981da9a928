// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/session/bench/bench.h"

namespace hidet::cli {

std::string spread_text(const session::TimesView& times); // "10th to 90th percentile: 12.0 us to 12.9 us"
std::string row_text(const session::BenchRow& row, const std::string& heading);

} // namespace hidet::cli
