// SPDX-License-Identifier: Apache-2.0
// Repeated measurements: what is said of them, and that measuring ends.
#include "runtime/bench/statistics.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <doctest/doctest.h>
#include <random>

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

// Two measured in turns on a machine that slows down for a while, with noise and a call now and then that takes far longer.
struct Machine {
    std::mt19937 random;
    std::vector<double> first = {}, second = {};
    void measure(int count, double ratio) {
        std::normal_distribution<double> noise(0, 0.03);
        std::uniform_real_distribution<double> chance(0, 1);
        double slow = 1;
        const auto once = [&](double seconds) {
            return seconds * slow * std::exp(noise(random)) * (chance(random) < 0.03 ? 4 : 1);
        };
        for (int i = 0; i < count; ++i) {
            slow = std::clamp(slow * std::exp(noise(random)), 0.7, 1.6);
            first.push_back(once(1e-4 * ratio));
            second.push_back(once(1e-4));
        }
    }
};

std::optional<bench::Speed> judged(unsigned seed, int count, double ratio) {
    Machine machine{std::mt19937(seed)};
    machine.measure(count, ratio);
    const std::optional<bench::Ratio> of = bench::ratio_of(machine.first, machine.second);
    return of ? std::optional(bench::speed_of(*of)) : std::nullopt;
}

} // namespace

TEST_CASE("of 200 comparisons of a thing with itself at most 4 find a difference") {
    for (int count : {10, 30, 300}) {
        int different = 0;
        for (unsigned seed = 0; seed < 200; ++seed)
            different += judged(seed, count, 1) != bench::Speed::NoDifference;
        INFO("pairs: ", count);
        CHECK(different <= 4);
    }
}

TEST_CASE("a difference of a twentieth is found among noise, and one of less than a fiftieth is none") {
    int found = 0;
    for (unsigned seed = 0; seed < 50; ++seed) {
        found += judged(seed, 300, 0.95) == bench::Speed::Faster && judged(seed, 300, 1.05) == bench::Speed::Slower;
        REQUIRE(judged(seed, 30000, 1.014) == bench::Speed::NoDifference);
    }
    REQUIRE(found >= 49);
    REQUIRE(!judged(0, 8, 2)); // too few
}

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
    const auto ratio = bench::ratio_of(pair.first.samples, pair.second.samples);
    REQUIRE((!ratio || bench::speed_of(*ratio) == bench::Speed::Faster));
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
