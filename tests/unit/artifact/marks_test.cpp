// SPDX-License-Identifier: Apache-2.0
// What the marks of a kernel say, from the words that it wrote.
#include "compiler/artifact/marks.h"

#include <doctest/doctest.h>

using namespace hidet;
using namespace hidet::artifact;

namespace {

MarkTable two_sites() {
    return {{"k", TimedKind::Copy, {}, {}, {}}, {"k", TimedKind::Wait, AwaitedKind::Copies, {}, {}}};
}

struct MarkedWords : MarkedBlock {
    explicit MarkedWords(std::int64_t threads) {
        kernel = "k";
        shape.block = {threads, 1, 1};
        words.resize(static_cast<std::size_t>(words_of_marks));
    }
    std::uint64_t& word(std::int64_t warp, std::int64_t at) {
        return words[static_cast<std::size_t>(warp * words_of_row + at)];
    }
    // Times of a warp: which end of which site, and when.
    void write(std::int64_t warp, std::uint64_t first, std::uint64_t last,
               const std::vector<std::pair<std::uint64_t, std::uint64_t>>& times) {
        word(warp, FirstClock) = first, word(warp, LastClock) = last;
        word(warp, FirstTimer) = 1000 + first, word(warp, LastTimer) = 1000 + last;
        std::int64_t at = WordsOfHead;
        for (const auto& [code, clock] : times)
            word(warp, at++) = (clock & ((std::uint64_t{1} << clock_bits) - 1)) | code << clock_bits;
        word(warp, NextWord) = static_cast<std::uint64_t>(at);
    }
};

} // namespace

TEST_CASE("times are cycles since the first warp began, by warp and in order") {
    MarkedWords marked(64);
    marked.write(0, 100, 300, {{0, 110}, {1, 120}, {2, 120}, {3, 290}});
    marked.write(1, 90, 320, {{2, 95}, {3, 100}});
    const MarkedTimes out = marked_times(marked, two_sites());
    REQUIRE(out.warps == 2);
    REQUIRE(out.cycles == 230);
    REQUIRE(out.nanoseconds == 230);
    REQUIRE(out.dropped == 0);
    REQUIRE(out.times.size() == 3);
    REQUIRE((out.times[0].warp == 0 && out.times[0].site == 0 && out.times[0].begin == 20 && out.times[0].end == 30));
    REQUIRE((out.times[1].site == 1 && out.times[1].begin == 30 && out.times[1].end == 200));
    REQUIRE((out.times[2].warp == 1 && out.times[2].begin == 5 && out.times[2].end == 10));
}

TEST_CASE("a clock that passes what a time has bits for goes on") {
    const std::uint64_t near = (std::uint64_t{3} << clock_bits) - 10;
    MarkedWords marked(32);
    marked.write(0, near, near + 100, {{0, near + 4}, {1, near + 40}});
    const MarkedTimes out = marked_times(marked, two_sites());
    REQUIRE(out.times.size() == 1);
    REQUIRE((out.times[0].begin == 4 && out.times[0].end == 40));
}

TEST_CASE("times without a place are counted, and those that did not end are left out") {
    MarkedWords marked(32);
    marked.write(0, 0, 50, {{0, 10}});
    marked.word(0, NextWord) = static_cast<std::uint64_t>(words_of_row) + 7;
    const MarkedTimes out = marked_times(marked, two_sites());
    REQUIRE(out.dropped == 7);
    REQUIRE(out.times.empty());
}

TEST_CASE("words that nobody wrote, of no site, or too few are no times") {
    MarkedWords marked(96);
    REQUIRE(marked_times(marked, two_sites()).warps == 0);
    marked.write(2, 0, 50, {{800, 10}, {801, 20}});
    REQUIRE(marked_times(marked, two_sites()).times.empty());
    marked.words.resize(10);
    REQUIRE(marked_times(marked, two_sites()).warps == 0);
}

TEST_CASE("a block has a number and an index") {
    LaunchShape shape;
    shape.grid = {4, 2, 3};
    REQUIRE(block_number(shape, {5, -1, -1}) == 5);
    REQUIRE(block_number(shape, {3, 0, 0}) == 3);
    REQUIRE(block_number(shape, {1, 1, 2}) == 21);
    REQUIRE(!block_number(shape, {24, -1, -1}));
    REQUIRE(!block_number(shape, {-1, -1, -1}));
    REQUIRE(!block_number(shape, {5, 0, 0}));
    REQUIRE(!block_number(shape, {4, 1, 0}));
    REQUIRE(!block_number(shape, {-1, 0, 0}));
}
