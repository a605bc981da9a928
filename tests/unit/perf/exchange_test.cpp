// SPDX-License-Identifier: Apache-2.0
// What exchanges take within a host and between hosts, in figures that were worked out by hand.
#include "compiler/perf/exchange.h"

#include <algorithm>

#include <doctest/doctest.h>

using namespace hidet;
using namespace hidet::perf;

namespace {

// 100 GB/s to the others of a host of 8, 10 GB/s to other hosts.
constexpr artifact::Links links{.bytes_per_second = 100e9,
                                .seconds = 10e-6,
                                .host_size = 8,
                                .network_bytes_per_second = 10e9,
                                .network_seconds = 5e-6};

ExchangeTime gather(const ExchangeGroup& group, double bytes) {
    return exchange_time(links, group, Exchange::Gather, bytes);
}
ExchangeTime reduce(const ExchangeGroup& group, double bytes) {
    return exchange_time(links, group, Exchange::Reduce, bytes);
}

} // namespace

TEST_CASE("a process alone exchanges nothing") {
    CHECK(gather({1}, 1e9).seconds == 0);
    CHECK(gather({1}, 1e9).slower == Link::None);
}

TEST_CASE("within a host each process gets what the others have, and sums go around twice") {
    CHECK(gather({4}, 1e9).seconds == doctest::Approx(10e-6 + 0.75 * 1e9 / 100e9));
    CHECK(reduce({8}, 1e9).seconds == doctest::Approx(10e-6 + 2 * 0.875 * 1e9 / 100e9));
    CHECK(reduce({8}, 1e9).slower == Link::Host);
}

TEST_CASE("between hosts the slower link counts, of which each process of a host has one") {
    // Of 16 on two hosts each sends an eighth over its port, of which the other host has half.
    const double sent = 1e9 / 8 / 2 / 10e9;
    CHECK(gather({16}, 1e9).seconds == doctest::Approx(10e-6 + 5e-6 + std::max(0.875 * 1e9 / 100e9, sent)));
    CHECK(gather({16}, 1e9).slower == Link::Host);
    CHECK(reduce({64}, 1e9).seconds == doctest::Approx(10e-6 + 2 * 3 * 5e-6 + 2 * 1e9 / 8 * 7 / 8 / 10e9));
    CHECK(reduce({64}, 1e9).slower == Link::Network);
}

TEST_CASE("few bytes between hosts wait for the hops of a tree") {
    CHECK(reduce({1024}, 1).seconds == doctest::Approx(10e-6 + 2 * 7 * 5e-6));
    CHECK(reduce({1024}, 1).slower == Link::Network);
    CHECK(gather({24}, 1).seconds == doctest::Approx(10e-6 + 2 * 5e-6)); // three hosts
}

TEST_CASE("ranks that are a host apart have no link within one") {
    CHECK(gather({4, 8}, 1e9).seconds == doctest::Approx(2 * 5e-6 + 0.75 * 1e9 / 10e9));
    CHECK(gather({4, 2}, 1e9).seconds == doctest::Approx(gather({4}, 1e9).seconds)); // all four are on one
    CHECK(gather({16, 4}, 1e9).seconds == doctest::Approx(10e-6 + 3 * 5e-6 + 1e9 / 2 * 7 / 8 / 10e9));
}

TEST_CASE("processes of a CPU are on one host") {
    const artifact::Links& usual = artifact::default_cpu().links;
    CHECK(exchange_time(usual, {64}, Exchange::Gather, 1e9).slower == Link::Host);
}

TEST_CASE("a GPU that no table has is given usual links") {
    const auto unknown = artifact::find_target("sm_86");
    REQUIRE(unknown);
    CHECK(links_of(*unknown).network_bytes_per_second == artifact::default_gpu().links.network_bytes_per_second);
}
