// SPDX-License-Identifier: Apache-2.0
// benchmark_func(fn): the median time of a call in milliseconds. A benchmark in a script gets a small part of a second,
// however many repetitions it asks for, so that emulated kernels stay usable.
#include <algorithm>
#include <chrono>

#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"
#include "lang/host/modules/creators.h"

namespace hidet::lang {

using Clock = std::chrono::steady_clock;
static constexpr double budget_seconds = 0.2;

static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

Value benchmark(Evaluator& evaluator, Args& args, Span span) {
    Arguments a(
        args, span, "benchmark_func",
        {"run_func", "*args", "warmup=", "number=", "repeat=", "median=", "rep=", "percentiles=", "quantiles="});
    Args call;
    call.positional = a.rest();
    call.spans.assign(call.positional.size(), span);
    auto run = [&] {
        Args copy = call;
        evaluator.call(a[0], copy, a.span(0));
    };
    Clock::time_point start = Clock::now();
    run();
    if (evaluator.in_preview())
        return Value::unknown();
    if (seconds_since(start) > budget_seconds) // the warm-up alone spent it
        return Value::real(seconds_since(start) * 1000);
    start = Clock::now();
    std::int64_t number = std::clamp<std::int64_t>(a.integer(2, 1), 1, 10000),
                 repeat = std::clamp<std::int64_t>(a.integer(3, 10), 1, 10000);
    std::vector<double> times;
    while (static_cast<std::int64_t>(times.size()) < repeat &&
           (times.empty() || seconds_since(start) < budget_seconds)) {
        Clock::time_point begin = Clock::now();
        std::int64_t calls = 0;
        while (calls < number && (calls == 0 || seconds_since(start) < budget_seconds)) {
            run();
            ++calls;
        }
        times.push_back(seconds_since(begin) * 1000 / static_cast<double>(calls));
    }
    std::sort(times.begin(), times.end());
    if (a.given(4) && !evaluator.truth(a[4], a.span(4)))
        return evaluator.new_list([&] {
            std::vector<Value> out;
            for (double time : times)
                out.push_back(Value::real(time));
            return out;
        }());
    std::size_t middle = times.size() / 2;
    return Value::real(times.size() % 2 ? times[middle] : (times[middle - 1] + times[middle]) / 2);
}

} // namespace hidet::lang
