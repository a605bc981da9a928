// SPDX-License-Identifier: Apache-2.0
#include "compiler/perf/predict.h"

#include <algorithm>
#include <cmath>

#include "compiler/ir/each_node.h"
#include "compiler/perf/launch_shape.h"
#include "compiler/perf/occupancy.h"
#include "compiler/perf/roofs.h"

namespace hidet::perf {

namespace {

// Of a GPU of today; what differs from one to the next is far less than what differs between schedules.
constexpr double latency = 0.8e-6;         // of memory, a copy unit's way included
constexpr double least_start = 0.6e-6;     // of a block: its first instructions and its barriers
constexpr double cluster_seconds = 0.5e-6; // to bring sums of a cluster together
constexpr double cache_over_memory = 1.3;  // bytes a second of the second-level cache over those of memory
constexpr double matrix_share = 0.7;       // of the peak that a good kernel reaches
constexpr double in_flight_of_thread = 64; // bytes, where a template says nothing

double known_or(double value, double otherwise) {
    return value > 0 ? value : otherwise;
}

double seconds_of(const LaunchWork& launch, const OperatorWork& work, const artifact::TargetSpec& target,
                  const UnitWork& units = {}) {
    const double processors = std::max(target.multiprocessors, 1);
    const BlockNeeds needs{.threads = static_cast<std::int64_t>(std::max(launch.threads, 1.0)),
                           .dynamic_shared = static_cast<std::int64_t>(launch.shared)};
    const auto resident = static_cast<double>(std::max<std::int64_t>(resident_blocks(target, needs), 1));
    const double waves = std::ceil(launch.blocks / (processors * resident));
    const double together = std::min(resident, std::ceil(launch.blocks / processors)); // on a multiprocessor

    const double read = known_or(launch.read_bytes, work.bytes / launch.blocks);
    const double usual = std::max(launch.shared, launch.threads * in_flight_of_thread);
    const double in_flight = std::min(read, known_or(launch.in_flight_bytes, usual));
    const double cache_share = cache_over_memory * target.bytes_per_second / processors;
    const double speed = std::min(together * in_flight / latency, cache_share);
    const auto arithmetic = work.has_matrix_units ? artifact::Arithmetic::MatrixF16 : artifact::Arithmetic::F32;
    const double peak = target.peak(arithmetic) * (work.has_matrix_units ? matrix_share : 1) / processors;
    const double fetching = speed > 0 ? latency + together * read / speed : 0;
    const double cycles = std::max(together * units.cycles, units.waiting_cycles);
    const double computing = std::max(peak > 0 ? together * work.flops / launch.blocks / peak : 0,
                                      target.clock_mhz > 0 ? cycles / (target.clock_mhz * 1e6) : 0);
    const double meeting = launch.cluster > 1 ? cluster_seconds : 0;
    return waves * (least_start + std::max(fetching, computing) + meeting);
}

} // namespace

double predict(const ir::Module& module, double read_bytes, double in_flight_bytes, const OperatorWork& work,
               const artifact::TargetSpec& target) {
    double seconds = 0;
    const auto add = [&](const ir::LaunchStmt& stmt) {
        const artifact::LaunchShape shape = resolve(stmt, [](const ir::ExprRef&) { return std::nullopt; }).or_else(1);
        const ir::Function* kernel = ir::find_function(module, stmt.kernel);
        const std::int64_t declared = kernel ? static_shared_bytes(*kernel) : 0;
        const auto count = [](std::int64_t product) { return static_cast<double>(std::max<std::int64_t>(product, 1)); };
        seconds += target.launch_seconds + seconds_of({.blocks = count(shape.blocks()),
                                                       .threads = count(shape.threads()),
                                                       .cluster = count(shape.cluster_blocks()),
                                                       .shared = static_cast<double>(declared + shape.dynamic_shared),
                                                       .read_bytes = read_bytes,
                                                       .in_flight_bytes = in_flight_bytes},
                                                      work, target);
    };
    for (const ir::FunctionRef& function : module.functions)
        if (function->func_kind == ir::FuncKind::Public)
            ir::each_node(function->body, add);
    return std::max(seconds, moving_seconds(work.bytes, target));
}

double predict(const LaunchWork& launch, const OperatorWork& work, const artifact::TargetSpec& target,
               const UnitWork& units) {
    const double seconds = std::max(seconds_of(launch, work, target, units), units.queue_seconds);
    return std::max(target.launch_seconds + seconds, moving_seconds(work.bytes, target));
}

} // namespace hidet::perf
