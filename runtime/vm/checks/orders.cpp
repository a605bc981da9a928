// SPDX-License-Identifier: Apache-2.0
// A launch in several orders. Races show in any, since clocks decide and not who comes first; what depends on a value that a thread
// happens to see does not. So a kernel in which nobody sees such a value runs in lock step alone, and any other one, where that found
// nothing, in random orders too, as many as the budget of steps allows: the same input has the same findings.
#include <algorithm>
#include <optional>

#include "runtime/vm/launch.h"
#include "runtime/vm/saved_memory.h"

namespace hidet::vm {

namespace {

constexpr std::int64_t bytes_of_step = 16; // that are copied in the time of one

// Whether a thread may see what others have done so far: atomics and strong accesses, barriers that some threads come to, copies
// that end when they do, clocks.
bool depends_on_order(const Function& kernel) {
    return std::ranges::any_of(kernel.code, [](const artifact::Instr& i) {
        switch (i.op) {
        case Op::Load:
        case Op::Store: return (i.flags & artifact::flag_strong) != 0;
        case Op::Barrier: return i.a >= 0;
        case Op::BarrierArrive:
        case Op::Spin:
        case Op::ActiveMask:
        case Op::Clock:
        case Op::Registers:
        case Op::ClusterBarrier: return true;
        default: break;
        }
        return (i.op >= Op::AtomicAdd && i.op <= Op::AtomicBits) || (i.op >= Op::MbarInit && i.op <= Op::MbarTest) ||
               (i.op >= Op::TensorLoad && i.op <= Op::BulkWait);
    });
}

// In the order of that seed, as if it had never run; what it prints has been printed.
LaunchResult run_again(const LaunchContext& context, int threads, std::uint64_t seed) {
    constexpr int warp_threads = 32;
    FindingLog log;
    LaunchShadow global;
    global.track_as(*context.global);
    LaunchContext other = context;
    other.log = &log, other.global = &global;
    other.kept = nullptr, other.timelines = nullptr, other.tiles = nullptr, other.counts = false;
    other.is_random = true, other.seed = seed;
    const GroupLanes lanes =
        choose_group_lanes(*context.kernel, static_cast<int>(context.shape.threads()), warp_threads);
    other.group_lanes = lanes.usual, other.most_lanes = lanes.most;
    try {
        return run_blocks(other, threads, nullptr);
    } catch (FindingError& error) {
        for (Finding& each : error.earlier)
            each.order = seed;
        error.finding.order = seed;
        throw;
    }
}

} // namespace

LaunchResult run_in_orders(const LaunchContext& context, int threads,
                           const std::function<void(std::string_view)>& print, Orders& orders) {
    const bool is_alone =
        !context.log || context.replay || context.is_random || orders.most < 2 || !depends_on_order(*context.kernel);
    if (is_alone)
        return run_blocks(context, threads, print);
    std::optional<SavedMemory> before;
    if (orders.steps > 0)
        before.emplace(context);
    LaunchResult result = run_blocks(context, threads, print);
    int tried = 1;
    if (before && before->fits()) {
        const std::int64_t copied = before->bytes() / bytes_of_step;
        const auto steps = static_cast<std::int64_t>(result.steps) + copied;
        orders.steps -= copied;
        if (orders.steps >= steps) {
            const SavedMemory after(context);
            for (; tried < orders.most && orders.steps >= steps; ++tried) {
                before->restore();
                const LaunchResult again = run_again(context, threads, static_cast<std::uint64_t>(tried));
                orders.steps -= std::max(static_cast<std::int64_t>(again.steps) + copied, steps);
            }
            after.restore();
        }
    }
    result.statistics.orders_least = result.statistics.orders_most = tried;
    return result;
}

} // namespace hidet::vm
