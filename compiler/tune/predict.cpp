// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/predict.h"

#include <algorithm>
#include <cmath>

#include "compiler/ir/each_node.h"
#include "compiler/ir/expr.h"
#include "compiler/ir/type.h"

namespace hidet::tune {

namespace {

// Of a GPU of today; what differs from one to the next is far less than what differs between schedules.
constexpr double latency = 0.8e-6;         // of memory, a copy unit's way included
constexpr double least_start = 0.6e-6;     // of a block: its first instructions and its barriers
constexpr double cluster_seconds = 0.5e-6; // to bring sums of a cluster together
constexpr double cache_over_memory = 1.3;  // bytes a second of the second-level cache over those of memory
constexpr double matrix_share = 0.7;       // of the peak that a good kernel reaches
constexpr double in_flight_of_thread = 64; // bytes, where a template says nothing

double number(const ir::ExprRef& expr, double otherwise) {
    const auto value = expr ? ir::constant_int(expr) : std::nullopt;
    return value ? static_cast<double>(*value) : otherwise;
}

double product(const ir::ExprVec& extents) {
    double all = 1;
    for (const ir::ExprRef& extent : extents)
        all *= std::max(number(extent, 1), 1.0);
    return all;
}

double shared_bytes_of(const ir::Function& kernel) {
    double bytes = 0;
    ir::each_node(kernel.body, [&](const ir::DeclareStmt& stmt) {
        const ir::TensorType* type = stmt.scope == ir::Scope::Shared ? ir::tensor_of(stmt.var->type) : nullptr;
        if (const auto dtype = type ? ir::scalar_of(ir::element_of(stmt.var->type)) : std::nullopt)
            bytes += product(type->shape) * ir::info(*dtype).bits / 8;
    });
    return bytes;
}

double metric(const std::vector<graph::TemplateMetric>& metrics, const char* name) {
    const auto found = std::ranges::find(metrics, name, &graph::TemplateMetric::name);
    return found == metrics.end() ? 0 : found->value;
}

double known_or(double value, double otherwise) {
    return value > 0 ? value : otherwise;
}

double seconds_of(const LaunchWork& launch, const OperatorWork& work, const artifact::TargetSpec& target,
                  const UnitWork& units = {}) {
    const double processors = std::max(target.multiprocessors, 1);
    double resident = std::floor(target.warps * target.warp_threads / std::max(launch.threads, 1.0));
    if (launch.shared > 0)
        resident = std::min(
            resident, std::floor(static_cast<double>(target.shared_bytes) / (launch.shared + target.shared_reserved)));
    resident = std::clamp(resident, 1.0, static_cast<double>(std::max(target.blocks, 1)));
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

double least_seconds(const OperatorWork& work, const artifact::TargetSpec& target) {
    const double bytes = target.bytes_per_second > 0 ? work.bytes / target.bytes_per_second : 0;
    return target.launch_seconds + bytes;
}

} // namespace

double predict(const graph::AnchorSchedule& schedule, const std::vector<graph::TemplateMetric>& metrics,
               const OperatorWork& work, const artifact::TargetSpec& target) {
    std::vector<LaunchWork> launches;
    for (const ir::FunctionRef& function : schedule.module->functions)
        if (function->func_kind == ir::FuncKind::Public)
            ir::each_node(function->body, [&](const ir::LaunchStmt& stmt) {
                const ir::Function* kernel = ir::find_function(*schedule.module, stmt.kernel);
                const double declared = kernel ? shared_bytes_of(*kernel) : 0;
                launches.push_back({.blocks = product(stmt.grid),
                                    .threads = product(stmt.block),
                                    .cluster = product(stmt.cluster),
                                    .shared = declared + number(stmt.dynamic_smem_bytes, 0)});
            });
    double seconds = 0;
    for (LaunchWork& launch : launches) {
        launch.read_bytes = metric(metrics, "read_bytes");
        launch.in_flight_bytes = metric(metrics, "in_flight_bytes");
        seconds += target.launch_seconds + seconds_of(launch, work, target);
    }
    return std::max(seconds, least_seconds(work, target));
}

double predict(const LaunchWork& launch, const OperatorWork& work, const artifact::TargetSpec& target,
               const UnitWork& units) {
    const double seconds = std::max(seconds_of(launch, work, target, units), units.queue_seconds);
    return std::max(target.launch_seconds + seconds, least_seconds(work, target));
}

} // namespace hidet::tune
