// SPDX-License-Identifier: Apache-2.0
// Measurements as the command line writes them.
#pragma once

#include <string>

#include "app/session/bench/bench.h"

namespace hidet::cli {

std::string seconds_text(double seconds);                               // "12.34 us"
std::string rate_text(double amount, double seconds, const char* unit); // "1.23 GB/s"
std::string row_text(const session::BenchRow& row, const std::string& heading);

} // namespace hidet::cli
