// SPDX-License-Identifier: Apache-2.0
// Repeated measurements: what is said of them, and that measuring ends.
#include "runtime/bench/statistics.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/bench/cpu_peaks.h"
#include "tests/harness/unit.h"

using namespace hidet;

int main(int argc, char** argv) {
    test::Suite suite(argc, argv);
    auto never = [] { return false; };
    suite.run("the median and the tenths do not depend on the order", [] {
        bench::Times times = bench::summarise({5, 1, 4, 2, 3});
        EXPECT(times.median == 3 && times.fastest == 1 && times.count == 5);
        EXPECT(times.p10 == 1.4 && times.p90 == 4.6);
        EXPECT_EQUAL(bench::summarise({1, 2, 3, 10}).median, 2.5);
        EXPECT(bench::summarise({}).count == 0 && bench::summarise({}).spread() == 0);
    });
    suite.run("two that are measured in turns are run equally often, and slow is told from fast", [&] {
        int first = 0, second = 0;
        bench::Effort effort{.warm_up_seconds = 0.001, .seconds = 0.01, .least = 5};
        bench::Pair pair = bench::measure_in_turns([&] { ++first; },
                                                   [&] {
                                                       ++second;
                                                       std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                                   },
                                                   effort, never);
        EXPECT_EQUAL(pair.first.count, pair.second.count);
        EXPECT(pair.second.median >= 1e-3 && pair.first.median < pair.second.median);
    });
    suite.run("measuring stops when it is told to", [] {
        int runs = 0;
        bench::Effort effort{.seconds = 1e9};
        bench::measure([&] { ++runs; }, effort, [&] { return runs > 100; });
        EXPECT(runs > 100);
    });
    suite.run("the limits of this machine are measured, and more than nothing", [] {
        cpu::ThreadPool pool;
        bench::CpuPeaks peaks = bench::measure_cpu_peaks(pool);
        EXPECT(peaks.f32_flops > 1e8 && peaks.bytes_per_second > 1e7);
    });
    return suite.result();
}
