// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/session/bench/bench.h"
#include "app/session/kernel_bench/arguments.h"

namespace hidet::session {

// How many addends an element of the results is the sum of, about: by its operations, of which every multiply-add counts two, or by
// the longest loop that adds to one variable, whatever more is.
double sum_length(const BenchRow& row, const Callable& callable, const Arguments& args,
                  const std::vector<compiler::ParameterAccess>& accesses);

} // namespace hidet::session
