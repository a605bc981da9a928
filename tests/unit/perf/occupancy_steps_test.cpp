// SPDX-License-Identifier: Apache-2.0
// Stairs of occupancy against the occupancy of each single value.
#include "compiler/perf/occupancy.h"

#include <doctest/doctest.h>

using namespace hidet::perf;
using hidet::artifact::find_target;
using hidet::artifact::TargetSpec;

namespace {

const Cliff& cliff_of(const std::vector<Cliff>& occupancy_steps, const std::string& what) {
    for (const Cliff& cliff : occupancy_steps)
        if (cliff.what == what)
            return cliff;
    FAIL("no cliff of ", what);
    return occupancy_steps.front();
}

TEST_CASE("each register has the blocks of its step") {
    const TargetSpec gpu = find_target("sm_90").value();
    const BlockNeeds needs{.threads = 256, .registers = 128};
    const std::vector<Cliff> occupancy_steps = cliffs_of(gpu, needs);
    const Cliff& cliff = cliff_of(occupancy_steps, "registers per thread");
    REQUIRE(cliff.steps.front().from == 16);
    REQUIRE(cliff.steps.back().to == 255);
    for (const CliffStep& step : cliff.steps)
        for (std::int64_t registers = step.from; registers <= step.to; ++registers) {
            BlockNeeds changed = needs;
            changed.registers = static_cast<int>(registers);
            REQUIRE(occupancy_of(gpu, changed).blocks == step.blocks);
        }
    // 48 fewer, as unit perf/occupancy works out; 129 are 136 in whole units: 3 warps a partition, 12 in all.
    REQUIRE(cliff.sentence ==
            "128: 2 blocks, 16 warps; 48 fewer give 3 blocks, 24 warps; 1 more leaves 1 block, 8 warps");
}

TEST_CASE("shared memory that no block can have is no step") {
    const TargetSpec gpu = find_target("sm_90").value();
    const std::vector<Cliff> occupancy_steps = cliffs_of(gpu, {.threads = 128, .static_shared = 48 * 1024});
    const Cliff& cliff = cliff_of(occupancy_steps, "bytes of shared memory per block");
    REQUIRE(cliff.steps.back().to == gpu.shared_per_block_optin);
    // Of 233472 bytes each block takes 1024 more than it has: 4 of 50176.
    REQUIRE(cliff.sentence.starts_with("49152: 4 blocks, 16 warps; 3584 fewer give 5 blocks, 20 warps"));
}

TEST_CASE("nothing is known of a block without threads") {
    REQUIRE(cliffs_of(find_target("sm_90").value(), {}).empty());
}

} // namespace
