// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "app/session/kernel_bench/kernel_bench.h"

namespace hidet::session {

// At sizes and with arguments that nobody asks for.
bool is_of_own_calls(const KernelBenchRequest& request);

// Of a module of a script, at the sizes of the script itself, in seconds. Module 0: the first that has the function. Nothing: not
// known, as where other sizes are asked for.
std::optional<double> predicted_seconds(const KernelBenchRequest& request, const std::string& function, int module);

} // namespace hidet::session
