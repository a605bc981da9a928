// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/session/bench/bench.h"

namespace hidet::cli {

std::string row_text(const session::BenchRow& row, const std::string& heading);

} // namespace hidet::cli
