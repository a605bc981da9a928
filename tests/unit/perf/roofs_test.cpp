// SPDX-License-Identifier: Apache-2.0
// What a device needs at least, and what bounds it.
#include "compiler/perf/roofs.h"

#include <doctest/doctest.h>

using namespace hidet::perf;

namespace {

TEST_CASE("whatever takes longest bounds a step") {
    const DeviceRoofs roofs{"a device", 1e12, 0, 1e11, 1e-6, false};
    REQUIRE(least_time(roofs, {1e6, 1e7, 1, false}).bound == Bound::Memory); // a cast: few operations, many bytes
    REQUIRE(least_time(roofs, {1e9, 1e7, 1, false}).bound == Bound::Arithmetic);
    REQUIRE(least_time(roofs, {10, 80, 1, false}).bound == Bound::Launches);
}

TEST_CASE("products of 16-bit floats are measured against matrix units") {
    const DeviceRoofs gpu{"a GPU", 1e12, 1e13, 1e12, 0, false};
    REQUIRE(least_time(gpu, {1e13, 1e6, 1, true}).seconds == 1.0);
    REQUIRE(least_time(gpu, {1e13, 1e6, 1, false}).seconds == 10.0);
    const DeviceRoofs cpu{"a CPU", 1e12, 0, 1e12, 0, false};
    REQUIRE(least_time(cpu, {1e13, 1e6, 1, true}).seconds == 10.0);
}

TEST_CASE("what a device has no figure of takes no time") {
    const LeastTime least = least_time({.flops = 1e12}, {1e9, 1e12, 0, false});
    REQUIRE(least.bound == Bound::Arithmetic);
    REQUIRE(least.seconds == 1e-3);
}

} // namespace
