// SPDX-License-Identifier: Apache-2.0
// What a device needs at least, and what bounds it.
#include "compiler/perf/roofs.h"

#include <doctest/doctest.h>

using namespace hidet::perf;

namespace {

TEST_CASE("whatever takes longest bounds a step") {
    const DeviceRoofs roofs{"a device", 1e12, 0, 1e11, 1e-6, false};
    REQUIRE(least_time(roofs, {1e6, 1e7, 1}).bound == Bound::Memory); // a cast: few operations, many bytes
    REQUIRE(least_time(roofs, {1e9, 1e7, 1}).bound == Bound::Arithmetic);
    REQUIRE(least_time(roofs, {10, 80, 1}).bound == Bound::Launches);
}

TEST_CASE("products of 16-bit floats are measured against matrix units") {
    const DeviceRoofs gpu{"a GPU", 1e12, 1e13, 1e12, 0, false};
    REQUIRE(least_time(gpu, {1e13, 1e6, 1, Factors::Half}).seconds == 1.0);
    REQUIRE(least_time(gpu, {1e13, 1e6, 1, Factors::Tf32}).seconds == 2.0);
    REQUIRE(least_time(gpu, {1e13, 1e6, 1, Factors::Plain}).seconds == 10.0);
    const DeviceRoofs cpu{"a CPU", 1e12, 0, 1e12, 0, false};
    REQUIRE(least_time(cpu, {1e13, 1e6, 1, Factors::Half}).seconds == 10.0);
}

TEST_CASE("bytes of the last cache come at its rate") {
    const DeviceRoofs gpu{.bytes_per_second = 1e12, .cache_bytes = 5e7, .cache_bytes_per_second = 1e13};
    REQUIRE(least_time(gpu, {0, 1e8, 1}).seconds == 1e-4);
    REQUIRE(least_time(gpu, {0, 1e8, 1, Factors::Plain, 5e7}).seconds == 5e-5);
    REQUIRE(least_time(gpu, {0, 4e7, 1, Factors::Plain, 4e7}).seconds == 4e-6);
    REQUIRE(cached_share(gpu, 4e7) == 1);
    REQUIRE(cached_share(gpu, 1e8) == 0.5);
}

TEST_CASE("what a device has no figure of takes no time") {
    const LeastTime least = least_time({.flops = 1e12}, {1e9, 1e12, 0});
    REQUIRE(least.bound == Bound::Arithmetic);
    REQUIRE(least.seconds == 1e-3);
}

} // namespace
