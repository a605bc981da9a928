// SPDX-License-Identifier: Apache-2.0
#include "compiler/perf/occupancy_steps.h"

#include <algorithm>
#include <functional>

#include "lang/base/text.h"

namespace hidet::perf {

namespace {

struct Stairs {
    std::int64_t first = 0, last = 0, every = 1;
    std::function<void(BlockNeeds&, std::int64_t)> set;
};

std::vector<CliffStep> steps_of(const artifact::TargetSpec& gpu, const BlockNeeds& needs, const Stairs& stairs) {
    std::vector<CliffStep> out;
    for (std::int64_t value = stairs.first; value <= stairs.last; value += stairs.every) {
        BlockNeeds changed = needs;
        stairs.set(changed, value);
        const Occupancy occupancy = occupancy_of(gpu, changed);
        if (!out.empty() && out.back().blocks == occupancy.blocks && out.back().warps == occupancy.warps)
            out.back().to = value;
        else
            out.push_back({out.empty() ? value : out.back().to + 1, value, occupancy.blocks, occupancy.warps});
    }
    return out;
}

std::string blocks_text(int blocks) {
    return cat(blocks, blocks == 1 ? " block" : " blocks");
}

// The nearest stairs up, which may be on either side, and the next one down.
std::string sentence_of(const Cliff& cliff) {
    const auto now = std::ranges::find_if(cliff.steps, [&](const CliffStep& step) { return cliff.now <= step.to; });
    if (now == cliff.steps.end())
        return cat(cliff.now, ": more than a block can have");
    std::string out = cat(cliff.now, ": ", blocks_text(now->blocks), ", ", now->warps, " warps");
    if (now != cliff.steps.begin()) {
        const CliffStep& less = *std::prev(now);
        out += cat("; ", cliff.now - less.to, " fewer give ", blocks_text(less.blocks), ", ", less.warps, " warps");
    }
    if (const auto more = std::next(now); more != cliff.steps.end())
        out += cat("; ", more->from - cliff.now, " more ", more->warps >= now->warps ? "give " : "leave ",
                   blocks_text(more->blocks), ", ", more->warps, " warps");
    return out;
}

} // namespace

std::vector<Cliff> cliffs_of(const artifact::TargetSpec& gpu, const BlockNeeds& needs) {
    std::vector<Cliff> out;
    const auto add = [&](const char* what, std::int64_t now, const Stairs& stairs) {
        Cliff cliff{what, now, steps_of(gpu, needs, stairs), {}};
        cliff.sentence = sentence_of(cliff);
        out.push_back(std::move(cliff));
    };
    if (needs.threads <= 0 || gpu.warps <= 0)
        return out;
    if (needs.registers > 0)
        add("registers per thread", needs.registers,
            {16, std::max<std::int64_t>(gpu.registers_per_thread, needs.registers), 1,
             [](BlockNeeds& changed, std::int64_t value) { changed.registers = static_cast<int>(value); }});
    add("bytes of shared memory per block", needs.static_shared + needs.dynamic_shared,
        {0, gpu.shared_per_block_optin, std::max(gpu.shared_unit, 1),
         [](BlockNeeds& changed, std::int64_t value) { changed.static_shared = value, changed.dynamic_shared = 0; }});
    add("threads per block", needs.threads,
        {32, gpu.threads_per_block, 32, [](BlockNeeds& changed, std::int64_t value) { changed.threads = value; }});
    return out;
}

} // namespace hidet::perf
