// SPDX-License-Identifier: Apache-2.0
// Repeated measurements: what is said of them, and that measuring ends.
#include "runtime/bench/statistics.h"

#include <atomic>
#include <chrono>
#include <doctest/doctest.h>

#include "runtime/bench/cpu_peaks.h"

using namespace hidet;

namespace {

bool never() {
    return false;
}

void work_for(std::chrono::nanoseconds time) {
    for (const auto end = std::chrono::steady_clock::now() + time; std::chrono::steady_clock::now() < end;) {
    }
}

} // namespace

TEST_CASE("the median and the tenths do not depend on the order") {
    bench::Times times = bench::summarise({5, 1, 4, 2, 3});
    REQUIRE((times.median == 3 && times.fastest == 1 && times.count == 5));
    REQUIRE((times.p10 == 1.4 && times.p90 == 4.6));
    REQUIRE(bench::summarise({1, 2, 3, 10}).median == 2.5);
    REQUIRE((bench::summarise({}).count == 0 && bench::summarise({}).spread() == 0));
}

TEST_CASE("two that are measured in turns are run equally often, and slow is told from fast") {
    int first = 0, second = 0;
    bench::Effort effort{.warm_up_seconds = 0.001, .seconds = 0.01, .least = 5};
    bench::Pair pair = bench::measure_in_turns([&] { ++first; },
                                               [&] {
                                                   ++second;
                                                   work_for(std::chrono::milliseconds(1));
                                               },
                                               effort, never);
    REQUIRE(pair.first.count == pair.second.count);
    REQUIRE((pair.second.median >= 1e-3 && pair.first.median < pair.second.median));
}

TEST_CASE("measuring stops when it is told to") {
    int runs = 0;
    bench::Effort effort{.seconds = 1e9};
    bench::measure([&] { ++runs; }, effort, [&] { return runs > 100; });
    REQUIRE(runs > 100);
}

TEST_CASE("the limits of this machine are measured, and more than nothing") {
    package::ThreadPool pool;
    const artifact::TargetSpec cpu = bench::measured_cpu(pool);
    REQUIRE((cpu.peak(artifact::Arithmetic::F32) > 1e8 && cpu.bytes_per_second > 1e7));
    REQUIRE((!cpu.is_cuda() && cpu.cores == pool.threads() && cpu.vector_bytes >= 16 && !cpu.name.empty()));
}
