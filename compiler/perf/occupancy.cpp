// SPDX-License-Identifier: Apache-2.0
#include "compiler/perf/occupancy.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "lang/base/quantity.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::perf {

using artifact::TargetSpec;

namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
    return unit > 1 ? (value + unit - 1) / unit * unit : value;
}

std::int64_t warps_of(const BlockNeeds& needs) {
    return (needs.threads + 31) / 32;
}

// A warp lives in one partition of the multiprocessor, which has its share of the registers.
std::int64_t blocks_by_registers(const TargetSpec& gpu, const BlockNeeds& needs) {
    if (needs.registers <= 0)
        return unlimited;
    std::int64_t per_warp = rounded_up(std::int64_t(needs.registers) * 32, gpu.register_unit);
    if (per_warp * rounded_up(warps_of(needs), gpu.partitions) > gpu.registers)
        return 0;
    std::int64_t warps = gpu.registers / gpu.partitions / per_warp * gpu.partitions;
    return warps / warps_of(needs);
}

std::int64_t shared_of(const TargetSpec& gpu, const BlockNeeds& needs) {
    return rounded_up(needs.static_shared + needs.dynamic_shared + gpu.shared_reserved, gpu.shared_unit);
}

// A block that needs more than is set apart gets it all the same: the driver sets more apart.
std::int64_t blocks_by_shared(const TargetSpec& gpu, const BlockNeeds& needs) {
    std::int64_t each = shared_of(gpu, needs);
    if (each == 0)
        return unlimited;
    std::int64_t available = std::min(needs.carve_out.value_or(gpu.shared_bytes), gpu.shared_bytes);
    return std::max(available, each) / each;
}

// A multiprocessor hands its named barriers to blocks from sm_90 on; before, each block has all that it can name.
std::int64_t blocks_by_barriers(const TargetSpec& gpu, const BlockNeeds& needs) {
    return gpu.barriers > 0 && needs.barriers > 0 ? gpu.barriers / needs.barriers : unlimited;
}

std::string why_impossible(const TargetSpec& gpu, const BlockNeeds& needs) {
    if (needs.threads <= 0)
        return "a block without threads";
    if (needs.threads > gpu.threads_per_block)
        return cat("a block of ", needs.threads, " threads; ", gpu.threads_per_block, " are possible");
    if (needs.registers > gpu.registers_per_thread)
        return cat(needs.registers, " registers per thread; ", gpu.registers_per_thread, " are possible");
    std::int64_t shared = needs.static_shared + needs.dynamic_shared;
    if (shared > gpu.shared_per_block_optin)
        return cat("a block with ", shared, " bytes of shared memory; ", gpu.shared_per_block_optin, " are possible");
    if (blocks_by_registers(gpu, needs) == 0)
        return cat("a block of ", needs.threads, " threads with ", needs.registers,
                   " registers each; a multiprocessor has ", gpu.registers);
    return "";
}

struct BlocksBy {
    OccupancyLimit limit;
    std::int64_t blocks;
};

std::vector<BlocksBy> occupancy_bounds(const TargetSpec& gpu, const BlockNeeds& needs) {
    return {{OccupancyLimit::Warps, gpu.warps / warps_of(needs)},
            {OccupancyLimit::Blocks, gpu.blocks},
            {OccupancyLimit::Registers, blocks_by_registers(gpu, needs)},
            {OccupancyLimit::SharedMemory, blocks_by_shared(gpu, needs)},
            {OccupancyLimit::Barriers, blocks_by_barriers(gpu, needs)}};
}

int registers_away(const TargetSpec& gpu, BlockNeeds needs, std::int64_t blocks) {
    int has = needs.registers;
    if (blocks_by_registers(gpu, needs) >= blocks)
        return 0;
    while (--needs.registers > 0)
        if (blocks_by_registers(gpu, needs) >= blocks)
            return has - needs.registers;
    return -1;
}

std::int64_t shared_bytes_away(const TargetSpec& gpu, const BlockNeeds& needs, std::int64_t blocks) {
    if (blocks_by_shared(gpu, needs) >= blocks)
        return 0;
    std::int64_t available = std::min(needs.carve_out.value_or(gpu.shared_bytes), gpu.shared_bytes);
    std::int64_t each = available / blocks / gpu.shared_unit * gpu.shared_unit - gpu.shared_reserved;
    return each < 0 ? -1 : needs.static_shared + needs.dynamic_shared - each;
}

std::string words_of(const std::vector<OccupancyLimit>& limits) {
    return join(transformed<std::string>(limits, limit_name), " and ");
}

std::string counted(std::int64_t count, const char* noun) {
    return cat(count, " ", noun, count == 1 ? "" : "s");
}

void say_what_helps(const TargetSpec& gpu, const BlockNeeds& needs, Occupancy& out) {
    std::int64_t more = out.blocks + 1;
    out.registers_away = registers_away(gpu, needs, more);
    out.shared_bytes_away = shared_bytes_away(gpu, needs, more);
    if (more * warps_of(needs) > gpu.warps) {
        out.registers_away = out.shared_bytes_away = -1;
        if (out.warps < gpu.warps)
            out.one_more = cat("one more block of ", counted(warps_of(needs), "warp"), " does not fit beside ",
                               counted(out.warps, "warp"), " of ", gpu.warps, ": smaller blocks fill it better");
        return;
    }
    if (more > gpu.blocks) {
        out.registers_away = out.shared_bytes_away = -1;
        out.one_more = cat("there are no more than ", gpu.blocks, " blocks: larger ones fill it better");
        return;
    }
    if (blocks_by_barriers(gpu, needs) < more) {
        out.registers_away = out.shared_bytes_away = -1;
        out.one_more = cat("a multiprocessor has ", gpu.barriers, " named barriers, and each block takes ",
                           needs.barriers, ": fewer of them would allow one more block");
        return;
    }
    if (out.registers_away < 0 || out.shared_bytes_away < 0) {
        out.one_more = "no saving of registers or shared memory gives one more block of this size";
        return;
    }
    std::vector<std::string> savings;
    if (out.registers_away > 0)
        savings.push_back(
            cat(out.registers_away, " fewer ", out.registers_away == 1 ? "register" : "registers", " per thread"));
    if (out.shared_bytes_away > 0)
        savings.push_back(cat(out.shared_bytes_away, " fewer ", out.shared_bytes_away == 1 ? "byte" : "bytes",
                              " of shared memory per block"));
    out.one_more = join(savings, " and ") + " would allow one more block";
}

void fill_device(const TargetSpec& gpu, const BlockNeeds& needs, Occupancy& out) {
    if (gpu.multiprocessors <= 0 || needs.grid_blocks <= 0 || out.blocks <= 0)
        return;
    out.multiprocessors = gpu.multiprocessors;
    out.busy_multiprocessors = std::min<std::int64_t>(needs.grid_blocks, gpu.multiprocessors);
    out.waves = static_cast<double>(needs.grid_blocks) / (static_cast<double>(gpu.multiprocessors) * out.blocks);
}

struct Stairs {
    std::int64_t first = 0, last = 0, every = 1;
    std::function<void(BlockNeeds&, std::int64_t)> set;
};

std::vector<CliffStep> steps_of(const TargetSpec& gpu, const BlockNeeds& needs, const Stairs& stairs) {
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

// The nearest stairs up, which may be on either side, and the next one down.
std::string sentence_of(const Cliff& cliff) {
    const auto now = std::ranges::find_if(cliff.steps, [&](const CliffStep& step) { return cliff.now <= step.to; });
    if (now == cliff.steps.end())
        return cat(cliff.now, ": more than a block can have");
    std::string out = cat(cliff.now, ": ", counted(now->blocks, "block"), ", ", now->warps, " warps");
    const auto add = [&](std::int64_t by, const char* more_or_fewer, const char* verb, const CliffStep& step) {
        out += cat("; ", by, more_or_fewer, verb, by == 1 ? "s " : " ", counted(step.blocks, "block"), ", ", step.warps,
                   " warps");
    };
    if (now != cliff.steps.begin())
        add(cliff.now - std::prev(now)->to, " fewer ", "give", *std::prev(now));
    if (const auto more = std::next(now); more != cliff.steps.end())
        add(more->from - cliff.now, " more ", more->warps >= now->warps ? "give" : "leave", *more);
    return out;
}

} // namespace

const char* limit_name(OccupancyLimit limit) {
    switch (limit) {
    case OccupancyLimit::Warps: return "warps";
    case OccupancyLimit::Blocks: return "blocks";
    case OccupancyLimit::Registers: return "registers";
    case OccupancyLimit::SharedMemory: return "shared memory";
    case OccupancyLimit::Barriers: return "barriers";
    }
    return "";
}

std::string occupancy_text(const Occupancy& occupancy) {
    const std::string idle = occupancy.idle_multiprocessors() == 0 ? std::string()
                                                                   : cat(" on ", occupancy.busy_multiprocessors, " of ",
                                                                         occupancy.multiprocessors, " multiprocessors");
    return cat(percent_text(occupancy.fraction), " occupancy", idle, " (limited by ", occupancy.limited_by, ")");
}

std::string waves_text(const Occupancy& occupancy) {
    if (occupancy.multiprocessors == 0)
        return "";
    return occupancy.waves < 1 ? digits_text(occupancy.waves, 2) : three_digits(occupancy.waves);
}

std::string grid_text(const Occupancy& occupancy) {
    if (occupancy.multiprocessors == 0)
        return "";
    return cat(waves_text(occupancy), occupancy.waves == 1 ? " wave on " : " waves on ", occupancy.busy_multiprocessors,
               " of ", occupancy.multiprocessors, " multiprocessors");
}

std::int64_t resident_blocks(const TargetSpec& gpu, const BlockNeeds& needs) {
    return std::ranges::min(occupancy_bounds(gpu, needs), {}, &BlocksBy::blocks).blocks;
}

Occupancy occupancy_of(const TargetSpec& gpu, const BlockNeeds& needs) {
    Occupancy out;
    out.most_warps = gpu.warps;
    out.impossible = why_impossible(gpu, needs);
    if (!out.impossible.empty())
        return out;
    std::vector<BlocksBy> bounds = occupancy_bounds(gpu, needs);
    const std::int64_t fewest = std::ranges::min(bounds, {}, &BlocksBy::blocks).blocks;
    for (const BlocksBy& bound : bounds)
        if (bound.blocks == fewest)
            out.limits.push_back(bound.limit);
    out.blocks = static_cast<int>(fewest);
    out.warps = static_cast<int>(fewest * warps_of(needs));
    out.fraction = static_cast<double>(out.warps) / gpu.warps;
    out.limited_by = words_of(out.limits);
    say_what_helps(gpu, needs, out);
    fill_device(gpu, needs, out);
    return out;
}

std::vector<Cliff> cliffs_of(const TargetSpec& gpu, const BlockNeeds& needs) {
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
