// SPDX-License-Identifier: Apache-2.0
// Running the blocks of a kernel.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "runtime/vm/block.h"

namespace hidet::vm {

struct LaunchResult {
    Statistics statistics;
    std::uint64_t steps = 0;
    std::vector<Counters> counters; // by instruction of the kernel; none: not counted
};

// Blocks run on up to `threads` host threads; the same bytes come out whatever their number. Throws FindingError: the
// finding of the first block (in the order of the grid) that has one.
LaunchResult run_blocks(const LaunchContext& context, int threads, const std::function<void(std::string_view)>& print);

// One rank's part of a launch that all of them make together.
struct RankLaunch {
    LaunchContext* context = nullptr;
    std::string printed = {};
    std::vector<Finding> found = {}; // of this rank
    bool is_clean = false;           // nothing was found of any
    LaunchResult result = {};
};
// The ranks' blocks interleaved, on this host thread; the contexts know each other.
void run_ranks(std::span<RankLaunch> all);

// On this host thread alone, beginning with the cluster that has that turn; told of each before it begins. The result is of what
// ran.
void run_serially(const LaunchContext& context, std::int64_t first, const std::function<void(std::int64_t)>& begins,
                  const std::function<void(std::string_view)>& print, LaunchResult& result);

// The orders that launches are run in.
struct Orders {
    int most = 1;           // of a launch, lock step the first
    std::int64_t steps = 0; // instructions times threads that are left for the random ones of all launches
};
// The same in several orders, of which the first one counts; the first that finds something ends it.
LaunchResult run_in_orders(const LaunchContext& context, int threads,
                           const std::function<void(std::string_view)>& print, Orders& orders);

std::int64_t shared_bytes(const Function& kernel, const LaunchShape& shape);
// How much of the GPU there is for the blocks of a launch.
void find_resources(LaunchContext& context, const MachineOptions& options);

// The number of the cluster that a block of the grid is in, and its rank there.
struct ClusterPlace {
    std::int64_t cluster = 0;
    int rank = 0;
};
ClusterPlace cluster_of(const LaunchShape& shape, std::int64_t block);

// Which allocations the kernel may write, by the parameters that its stores go to.
void track_writes(LaunchContext& context);

// How many threads of a block run together: as many as leave the registers in the cache. Those of products of matrices may be in
// the second-level one, but findings are told of the usual number.
struct GroupLanes {
    int most = 0, usual = 0;
};
GroupLanes choose_group_lanes(const Function& kernel, int threads, int asked);

} // namespace hidet::vm
