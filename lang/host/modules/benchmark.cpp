// SPDX-License-Identifier: Apache-2.0
// benchmark_func(fn) and do_bench(fn): how many milliseconds a call takes. A benchmark in a script gets a small part of a
// second, however many repetitions it asks for, so that emulated kernels stay usable.
#include "lang/host/modules/benchmark.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "lang/base/transformed.h"
#include "lang/host/arguments.h"
#include "lang/host/interpreter.h"

namespace hidet::lang {

namespace {

using Clock = std::chrono::steady_clock;
constexpr double budget_seconds = 0.2;
constexpr std::int64_t most = 10000;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double percentile(const std::vector<double>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

Value list_of(Evaluator& evaluator, const std::vector<double>& times) {
    return evaluator.new_list(transformed(times, [&](const double time) { return Value::real(time); }));
}

} // namespace

std::vector<double> measured(const std::function<void()>& run, const Repetitions& repetitions) {
    Clock::time_point start = Clock::now();
    for (std::int64_t i = 0; i < std::min(repetitions.warm_up, most); ++i) {
        run();
        if (seconds_since(start) > budget_seconds) // the warm-up alone spent it
            return {seconds_since(start) * 1000 / static_cast<double>(i + 1)};
    }
    start = Clock::now();
    const std::int64_t number = std::clamp<std::int64_t>(repetitions.number, 1, most);
    const std::int64_t repeat = std::clamp<std::int64_t>(repetitions.repeat, 1, most);
    std::vector<double> times;
    while (static_cast<std::int64_t>(times.size()) < repeat &&
           (times.empty() || seconds_since(start) < budget_seconds)) {
        const Clock::time_point begin = Clock::now();
        std::int64_t calls = 0;
        while (calls < number && (calls == 0 || seconds_since(start) < budget_seconds)) {
            run();
            ++calls;
        }
        times.push_back(seconds_since(begin) * 1000 / static_cast<double>(calls));
    }
    return times;
}

Value median_or_all(Evaluator& evaluator, std::vector<double> times, bool is_median) {
    if (!is_median)
        return list_of(evaluator, times);
    std::ranges::sort(times);
    return Value::real(percentile(times, 0.5));
}

Value benchmark(Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "benchmark_func", {"run_func", "*args", "warmup=", "number=", "repeat=", "median="});
    Args call;
    call.positional = a.rest();
    call.spans.assign(call.positional.size(), span);
    const auto run = [&] {
        Args copy = call;
        evaluator.call(a[0], copy, a.span(0));
    };
    if (evaluator.in_preview()) {
        run();
        return Value::unknown();
    }
    const Repetitions usual = bench_repetitions(evaluator);
    const Repetitions asked{a.integer(1, usual.warm_up), a.integer(2, usual.number), a.integer(3, usual.repeat)};
    return median_or_all(evaluator, measured(run, asked), a.boolean(4, true));
}

// As upstream has it: milliseconds to warm up and to measure, and shares of the calls, each of which is timed.
Value bench_for_a_while(Evaluator& evaluator, const Arguments& a, Span) {
    const auto run = [&] { evaluator.call(a[0], {}, a.span(0)); };
    if (evaluator.in_preview()) {
        run();
        return Value::unknown();
    }
    const auto for_a_while = [&](double milliseconds) {
        const double seconds = std::clamp(milliseconds * 1e-3, 0.0, budget_seconds);
        std::vector<double> times;
        const Clock::time_point start = Clock::now();
        do
            times.push_back(measured(run, {0, 1, 1}).front());
        while (seconds_since(start) < seconds && times.size() < static_cast<std::size_t>(most));
        return times;
    };
    for_a_while(a.real(1, 25));
    std::vector<double> times = for_a_while(a.real(2, 100));
    std::ranges::sort(times);
    std::vector<double> shares{0.2, 0.5, 0.8};
    if (a.given(3)) {
        shares.clear();
        if (!a[3].is(ValueKind::None))
            for (const Value& share : evaluator.iterate(a[3], a.span(3))) {
                if (!share.is_number() || share.as_double() < 0 || share.as_double() > 1)
                    fail(DiagId::BadValue, a.span(3), "percentiles are numbers from 0 to 1");
                shares.push_back(share.as_double());
            }
    }
    std::vector<Value> out;
    for (const double share : shares)
        out.push_back(Value::real(percentile(times, share)));
    if (!out.empty())
        return Value::tuple(std::move(out));
    double sum = 0;
    for (const double time : times)
        sum += time;
    return Value::real(sum / static_cast<double>(times.size()));
}

} // namespace hidet::lang
