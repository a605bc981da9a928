// SPDX-License-Identifier: Apache-2.0
// Occupancy against figures worked out by hand with the rules of CUDA's occupancy calculator, and what must hold for all of
// them.
#include "compiler/perf/occupancy.h"

#include <doctest/doctest.h>

using namespace hidet::perf;
using hidet::artifact::find_target;
using hidet::artifact::TargetSpec;

namespace {

TargetSpec gpu_of(int capability) {
    return find_target("sm_" + std::to_string(capability)).value();
}

Occupancy on(int capability, BlockNeeds needs) {
    return occupancy_of(gpu_of(capability), needs);
}

TEST_CASE("128 registers in blocks of 256 threads leave room for two blocks") {
    // 128 * 32 = 4096 registers a warp, 16384 / 4096 = 4 warps a partition, 16 in all, 16 / 8 = 2 blocks.
    Occupancy found = on(90, {256, 128});
    REQUIRE(found.blocks == 2);
    REQUIRE(found.warps == 16);
    REQUIRE(found.fraction == 0.25);
    REQUIRE(found.limited_by == "registers");
    // Three blocks are 24 warps, 6 a partition: 16384 / 6 = 2730, in units of 256 a warp 2560, 80 registers a thread.
    REQUIRE(found.registers_away == 48);
    REQUIRE(found.one_more == "48 fewer registers per thread would allow one more block");
}

TEST_CASE("full multiprocessors are told apart from a full device") {
    // 44 blocks of 1024 threads with 32 registers: two fill a multiprocessor, and two thirds of 132 have none.
    Occupancy found = on(90, {.threads = 1024, .registers = 32, .grid_blocks = 44});
    REQUIRE(found.fraction == 1.0);
    REQUIRE(found.multiprocessors == 132);
    REQUIRE(found.busy_multiprocessors == 44);
    REQUIRE(found.idle_multiprocessors() == 88);
    REQUIRE(occupancy_text(found).find("100 % occupancy on 44 of 132 multiprocessors (limited by ") == 0);
    REQUIRE(grid_text(found) == "0.17 waves on 44 of 132 multiprocessors");
    found = on(90, {.threads = 1024, .registers = 32, .grid_blocks = 264});
    REQUIRE(found.waves == 1.0);
    REQUIRE(found.idle_multiprocessors() == 0);
    REQUIRE(occupancy_text(found).find("100 % occupancy (limited by ") == 0);
    REQUIRE(grid_text(found) == "1.00 wave on 132 of 132 multiprocessors");
    // What is not known is not said.
    found = on(90, {.threads = 1024, .registers = 32});
    REQUIRE(grid_text(found).empty());
    REQUIRE(waves_text(found).empty());
}

TEST_CASE("registers are given to warps in pieces of 256") {
    REQUIRE(on(80, {128, 33}).blocks == 12); // 33 * 32 = 1056, rounded up to 1280: 12 warps a partition, 48 / 4
    REQUIRE(on(80, {128, 40}).blocks == 12); // 40 * 32 = 1280
    REQUIRE(on(80, {128, 41}).blocks == 10); // 1536: 10 a partition, 40 / 4
}

TEST_CASE("each block costs another KiB of shared memory from Ampere on") {
    // 48 KiB + 1 KiB = 50176 bytes; 228 KiB = 233472: 4 blocks. Without the KiB it would be 4.75, so 5 take 46694.
    Occupancy found = on(90, {128, 32, 49152});
    REQUIRE(found.blocks == 4);
    REQUIRE(found.limited_by == "shared memory");
    // 233472 / 5 = 46694, in units of 128: 46592, less 1024 is 45568.
    REQUIRE(found.shared_bytes_away == 49152 - 45568);
    REQUIRE(on(75, {128, 32, 32768}).blocks == 2); // nothing is reserved there
}

TEST_CASE("shared memory counts static and dynamic bytes together") {
    REQUIRE(on(86, {256, 32, 16384, 16384}).blocks == 3); // 33792 of 102400
    REQUIRE(on(86, {256, 32, 0, 32768}).blocks == 3);
}

TEST_CASE("small blocks run into the number of blocks") {
    Occupancy found = on(86, {32, 16});
    REQUIRE(found.blocks == 16);
    REQUIRE(found.warps == 16);
    REQUIRE(found.limited_by == "blocks");
    REQUIRE(found.one_more == "there are no more than 16 blocks: larger ones fill it better");
    REQUIRE(on(89, {32, 16}).blocks == 24);
}

TEST_CASE("a block that does not divide the warps leaves a rest") {
    Occupancy found = on(86, {1024, 32}); // 48 warps hold one block of 32
    REQUIRE(found.blocks == 1);
    REQUIRE(found.limited_by == "warps");
    REQUIRE(found.one_more ==
            "one more block of 32 warps does not fit beside 32 warps of 48: smaller blocks fill it better");
}

TEST_CASE("full occupancy leaves nothing to wish for") {
    Occupancy found = on(90, {256, 32});
    REQUIRE(found.blocks == 8);
    REQUIRE(found.fraction == 1.0);
    REQUIRE(found.one_more == "");
}

TEST_CASE("named barriers are shared by the blocks of a multiprocessor from sm_90 on") {
    BlockNeeds needs{128, 32};
    needs.barriers = 16; // as a kernel that names its barrier by a value
    Occupancy found = on(90, needs);
    REQUIRE(found.blocks == 4); // 64 of them
    REQUIRE(found.limited_by == "barriers");
    REQUIRE(
        found.one_more ==
        "a multiprocessor has 64 named barriers, and each block takes 16: fewer of them would allow one more block");
    REQUIRE(on(120, needs).blocks == 1); // 24 of them
    REQUIRE(on(80, needs).blocks == 16);
    needs.barriers = 1;
    REQUIRE(on(90, needs).blocks == 16);
}

TEST_CASE("several limits are named together") {
    REQUIRE(on(90, {256, 32, 28160}).limited_by == "warps and registers and shared memory"); // 8 * 29184 = 233472
}

TEST_CASE("a carve-out that is too small for a block grows to hold it") {
    REQUIRE(on(90, {128, 32, 20000, 0, 0, 65536}).blocks == 3); // 21120 of 65536
    REQUIRE(on(90, {128, 32, 20000, 0, 0, 8192}).blocks == 1);
}

TEST_CASE("what cannot run at all is said") {
    REQUIRE(on(90, {1056, 32}).impossible == "a block of 1056 threads; 1024 are possible");
    REQUIRE(on(90, {0, 32}).impossible == "a block without threads");
    REQUIRE(on(90, {1024, 80}).impossible ==
            "a block of 1024 threads with 80 registers each; a multiprocessor has 65536");
    REQUIRE(on(80, {128, 32, 0, 167000}).impossible ==
            "a block with 167000 bytes of shared memory; 166912 are possible");
    REQUIRE(on(90, {1056, 32}).blocks == 0);
}

// All needs of a grid, each with each.
template <class Visit>
void for_all(Visit&& visit) {
    for (int capability : {75, 80, 86, 89, 90, 100}) {
        const TargetSpec gpu = gpu_of(capability);
        for (std::int64_t threads = 32; threads <= 1024; threads += 96)
            for (int registers = 16; registers <= 255; registers += 13)
                for (std::int64_t shared = 0; shared <= 65536; shared += 5000)
                    visit(gpu, BlockNeeds{threads, registers, shared});
    }
}

TEST_CASE("more registers or more shared memory never give more blocks") {
    for_all([](const TargetSpec& gpu, BlockNeeds needs) {
        int blocks = occupancy_of(gpu, needs).blocks;
        BlockNeeds more = needs;
        ++more.registers;
        REQUIRE(occupancy_of(gpu, more).blocks <= blocks);
        more = needs;
        more.dynamic_shared += 100;
        REQUIRE(occupancy_of(gpu, more).blocks <= blocks);
    });
}

TEST_CASE("the saving that is said gives one more block, and one register less of it does not") {
    for_all([](const TargetSpec& gpu, BlockNeeds needs) {
        Occupancy found = occupancy_of(gpu, needs);
        if (!found.impossible.empty() || found.registers_away < 0 || found.shared_bytes_away < 0)
            return;
        if (found.registers_away + found.shared_bytes_away == 0)
            return;
        BlockNeeds less = needs;
        less.registers -= found.registers_away;
        less.static_shared -= found.shared_bytes_away;
        REQUIRE(occupancy_of(gpu, less).blocks > found.blocks);
        BlockNeeds almost = less;
        if (found.registers_away > 0)
            ++almost.registers;
        else
            ++almost.static_shared;
        REQUIRE(occupancy_of(gpu, almost).blocks == found.blocks);
    });
}

TEST_CASE("what runs holds at least one block, at most what the multiprocessor has, and has a limit") {
    for_all([](const TargetSpec& gpu, BlockNeeds needs) {
        Occupancy found = occupancy_of(gpu, needs);
        REQUIRE(found.impossible.empty() == (found.blocks > 0));
        REQUIRE((found.warps <= gpu.warps && found.blocks <= gpu.blocks));
        REQUIRE(found.limits.empty() == !found.impossible.empty());
    });
}

} // namespace
