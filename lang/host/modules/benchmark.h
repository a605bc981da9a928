// SPDX-License-Identifier: Apache-2.0
// Measuring in scripts.
#pragma once

#include <functional>
#include <vector>

#include "lang/host/options.h"
#include "lang/host/value.h"

namespace hidet::lang {

// Milliseconds of a run, by measurement; there is one at least. Less is measured where it would take too long.
std::vector<double> measured(const std::function<void()>& run, const Repetitions& repetitions);
Value median_or_all(Evaluator& evaluator, std::vector<double> times, bool is_median);

Value benchmark(Evaluator& evaluator, Args& args, Span span);                 // benchmark_func
Value bench_for_a_while(Evaluator& evaluator, const Arguments& a, Span span); // do_bench

} // namespace hidet::lang
