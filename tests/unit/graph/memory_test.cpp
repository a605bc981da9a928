// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/memory.h"

#include <doctest/doctest.h>
#include <random>

using namespace hidet::graph;

namespace {

bool overlap(const BufferLife& a, std::int64_t at, const BufferLife& b, std::int64_t bt) {
    const bool together = a.first <= b.last && b.first <= a.last;
    return together && a.bytes > 0 && b.bytes > 0 && at < bt + b.bytes && bt < at + a.bytes;
}

void expect_sound(const std::vector<BufferLife>& buffers, const ArenaLayout& layout) {
    REQUIRE(layout.offsets.size() == buffers.size());
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        REQUIRE(layout.offsets[i] % arena_alignment == 0);
        REQUIRE((layout.offsets[i] >= 0 && layout.offsets[i] + buffers[i].bytes <= layout.bytes));
        for (std::size_t j = 0; j < i; ++j)
            REQUIRE(!overlap(buffers[i], layout.offsets[i], buffers[j], layout.offsets[j]));
    }
    REQUIRE(layout.bytes >= layout.bound);
}

std::vector<BufferLife> random_lives(std::mt19937& random, int steps, int longest, std::int64_t largest) {
    std::vector<BufferLife> buffers;
    for (std::int32_t step = 0; step < steps; ++step)
        for (std::uint32_t i = random() % 3; i > 0; --i)
            buffers.push_back({static_cast<std::int64_t>(random() % largest), step,
                               step + static_cast<std::int32_t>(random() % longest)});
    return buffers;
}

// What a residual network leaves: each block reads its input twice.
std::vector<BufferLife> residual_lives(int blocks, std::int64_t bytes) {
    std::vector<BufferLife> buffers;
    for (std::int32_t i = 0; i < blocks; ++i) {
        const std::int64_t size = bytes >> (i / 4 % 8);
        buffers.push_back({size, 3 * i, 3 * i + 1});
        buffers.push_back({size / 4 * 3, 3 * i + 1, 3 * i + 2});
        buffers.push_back({size, 3 * i + 2, 3 * i + 5});
    }
    return buffers;
}

} // namespace

TEST_CASE("no two buffers that are alive together share a byte") {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        const auto buffers = random_lives(random, 40, 1 + round % 20, 1 + (1 << (round % 16)));
        expect_sound(buffers, lay_out(buffers));
    }
}

TEST_CASE("a chain needs room for two tensors") {
    std::vector<BufferLife> buffers;
    for (std::int32_t i = 0; i < 100; ++i)
        buffers.push_back({1024, i, i + 1});
    const ArenaLayout layout = lay_out(buffers);
    REQUIRE(layout.bytes == 2048);
    REQUIRE(layout.bound == 2048);
}

TEST_CASE("a residual network comes within a tenth of the bound") {
    const auto buffers = residual_lives(48, 1 << 20);
    const ArenaLayout layout = lay_out(buffers);
    expect_sound(buffers, layout);
    REQUIRE(layout.bytes * 10 <= layout.bound * 11);
}

TEST_CASE("nothing needs nothing") {
    REQUIRE(lay_out(std::vector<BufferLife>{}).bytes == 0);
    REQUIRE(lay_out(std::vector<BufferLife>{{0, 0, 3}, {0, 1, 2}}).bytes == 0);
}

TEST_CASE("many tensors that all live until the end are laid out without comparing all pairs") {
    std::vector<BufferLife> buffers;
    for (std::int32_t i = 0; i < 50'000; ++i)
        buffers.push_back({256, i, 50'000});
    const ArenaLayout layout = lay_out(buffers);
    REQUIRE(layout.bytes == 256 * 50'000);
    for (std::size_t i = 0; i < buffers.size(); ++i)
        REQUIRE(layout.offsets[i] == static_cast<std::int64_t>(i) * 256);
}
