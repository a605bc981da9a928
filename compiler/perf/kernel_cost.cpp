// SPDX-License-Identifier: Apache-2.0
#include "compiler/perf/kernel_cost.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "compiler/analysis/parameter_accesses.h"
#include "compiler/ir/packing.h"
#include "compiler/perf/launch_shape.h"
#include "compiler/perf/predict.h"
#include "lang/base/text.h"

namespace hidet::perf {

namespace access = compiler::access;

namespace {

constexpr double most_of_a_launch = 10; // times its start: in a kernel that takes less, nobody gains by more blocks

constexpr double barrier_cycles = 30; // until the threads of a block that wait for each other go on

// What the kernel reads and writes of its own arguments, each byte once: of a tensor no more than its accesses move.
double unique_bytes(const CostedKernel& of, const std::vector<access::Access>& accesses) {
    const ir::Function& kernel = *of.kernel;
    const std::vector<compiler::ParameterAccess> touched = compiler::parameter_accesses(kernel, *of.module);
    const bool is_all_named = std::ranges::none_of(
        accesses, [](const access::Access& each) { return !each.is_shared && each.tensor.empty(); });
    const auto moved = [&](const std::string& name, double all) {
        double read = 0, written = 0;
        for (const access::Access& each : accesses) {
            if (each.is_shared || each.tensor != name)
                continue;
            if (each.counted == access::Counted::Unknown)
                return std::pair(all, all);
            const double bytes = each.sums.units * artifact::sector_bytes;
            read += each.kind == access::AccessKind::Store ? 0 : bytes;
            written += each.kind == access::AccessKind::Load ? 0 : bytes;
        }
        return std::pair(std::min(read, all), std::min(written, all));
    };
    double bytes = 0;
    for (std::size_t i = 0; i < kernel.params.size(); ++i) {
        const ir::TensorType* tensor = ir::tensor_of(kernel.params[i]->type);
        const double all = tensor                  ? static_cast<double>(tensor_bytes(*tensor, *of.sizes))
                           : i < of.tensors.size() ? of.tensors[i]
                                                   : 0;
        const auto [read, written] = is_all_named ? moved(kernel.params[i]->name, all) : std::pair(all, all);
        bytes += (touched[i].read ? read : 0) + (touched[i].written ? written : 0);
    }
    return bytes;
}

void add_bytes(const std::vector<access::Access>& accesses, KernelCost& out) {
    std::size_t unknown = 0;
    for (const access::Access& each : accesses) {
        unknown += each.counted != access::Counted::Exact;
        if (each.is_shared)
            out.shared_bytes += each.sums.bytes;
        else
            out.requested_bytes += each.sums.bytes, out.sector_bytes += each.sums.units * artifact::sector_bytes;
    }
    if (unknown > 0)
        out.bytes_unknown = cat(unknown, " of ", accesses.size(), " accesses are not counted exactly");
}

std::string at_line(const std::string& what, const Span& span, const SourceMap& sources) {
    const int line = sources.holds(span) ? sources.file(span.file).position(span.begin).line : 0;
    return line > 0 ? cat(what, " in line ", line) : what;
}

// What counts once, or not at all.
void add_unknown(const CostedKernel& of, const WorkCount& work, const std::vector<access::Access>& accesses,
                 KernelCost& out) {
    for (const UnknownWork& unknown : work.unknown)
        out.at_least.push_back(at_line(unknown.what, unknown.span, *of.sources));
    for (const access::Access& each : accesses) {
        const bool is_left_out = each.counted == access::Counted::Unknown && each.sums.units <= 0;
        const std::string name = each.tensor.empty() ? "" : cat(" of '", each.tensor, "'");
        const std::string what =
            at_line(cat("the ", access::kind_name(each.kind), name), each.origin.span, *of.sources);
        if (is_left_out && std::ranges::find(out.at_least, what) == out.at_least.end())
            out.at_least.push_back(what);
    }
}

RoofedWork roofed_work(const CostedKernel& of, const artifact::LaunchShape& shape, const WorkCount& work,
                       KernelCost& out) {
    RoofedWork roofed;
    add_work(work, static_cast<double>(shape.blocks() * shape.threads()), roofed);
    roofed.bytes = out.unique_bytes;
    if (!work.unknown.empty()) {
        roofed.flops_unknown = at_line(roofed.flops_unknown, work.unknown.front().span, *of.sources);
    } else if (shape.blocks() <= 0) {
        roofed.flops.reset();
        roofed.flops_unknown = "the grid is not known";
    }
    out.flops_at_most = work.is_upper_bound;
    out.flops_sampled = work.is_sampled;
    out.flops = roofed.flops;
    out.flops_unknown = roofed.flops_unknown;
    return roofed;
}

// Updates of the word that most want, a request of a warp after the other.
double queue_seconds(const access::Access& of, const KernelCost& cost, const artifact::TargetSpec& target) {
    if (of.kind != access::AccessKind::Atomic || of.is_shared || of.form != access::Form::Affine ||
        of.counted == access::Counted::Unknown || target.clock_mhz <= 0)
        return 0;
    std::set<std::int64_t> places;
    for (std::int64_t z = 0; z < cost.block[2]; ++z)
        for (std::int64_t y = 0; y < cost.block[1]; ++y)
            for (std::int64_t x = 0; x < cost.block[0]; ++x)
                places.insert(of.strides[0] * x + of.strides[1] * y + of.strides[2] * z);
    auto words = static_cast<double>(places.size());
    for (const access::Around& around : of.around)
        if (around.matters)
            words *= static_cast<double>(std::max<std::int64_t>(around.trips, 1));
    std::set<std::int64_t> of_warp;
    for (std::size_t lane = 0; lane < 32; ++lane)
        if (of.picture.bytes[lane] > 0)
            of_warp.insert(of.picture.offsets[lane]);
    return of.sums.requests * static_cast<double>(of_warp.size()) / words / (target.clock_mhz * 1e6);
}

// What is left of an access where the compiler holds what it loads in registers.
const access::Sums& moved_by(const access::Access& of) {
    return of.held_over.empty() ? of.sums : of.held;
}

UnitWork unit_work_of(const WorkCount& work, const std::vector<access::Access>& accesses,
                      const artifact::LaunchShape& shape, const artifact::TargetSpec& target, KernelCost& out) {
    PipeWork pipes = pipe_work(work, static_cast<double>(shape.threads()));
    UnitWork units{.waiting_cycles = work.barriers * barrier_cycles};
    const auto blocks = static_cast<double>(std::max<std::int64_t>(shape.blocks(), 1));
    for (const access::Access& each : accesses) {
        const access::Sums& moved = moved_by(each);
        pipes.memory_cycles += memory_cycles(each.is_shared, moved.requests, moved.units) / blocks;
        units.queue_seconds += queue_seconds(each, out, target);
    }
    pipes.device_bytes = out.unique_bytes / blocks;
    // The queue is one for all multiprocessors.
    pipes.queue_cycles = units.queue_seconds * target.clock_mhz * 1e6 * target.multiprocessors / blocks;
    out.pipes = pipes_of(pipes, target);
    for (const PipeKind kind : {PipeKind::Arithmetic, PipeKind::Special, PipeKind::Memory})
        for (const Pipe& pipe : out.pipes)
            units.cycles = pipe.name == pipe_name(kind) ? std::max(units.cycles, pipe.cycles) : units.cycles;
    return units;
}

LaunchWork launch_work_of(const artifact::LaunchShape& shape, const KernelCost& cost) {
    LaunchWork out;
    out.blocks = static_cast<double>(std::max<std::int64_t>(shape.blocks(), 1));
    out.threads = static_cast<double>(std::max<std::int64_t>(shape.threads(), 1));
    out.cluster = static_cast<double>(std::max<std::int64_t>(shape.cluster_blocks(), 1));
    out.shared = static_cast<double>(cost.static_shared + cost.dynamic_shared);
    out.read_bytes = std::max(cost.sector_bytes, cost.unique_bytes) / out.blocks;
    return out;
}

void add_prediction(const LaunchWork& launch, const OperatorWork& work, const artifact::TargetSpec& target,
                    const UnitWork& units, KernelCost& out) {
    out.predicted_seconds = predict(launch, work, target, units);
    const auto saved = [&](const LaunchWork& other, const UnitWork& of) {
        return std::max(out.predicted_seconds - predict(other, work, target, of), 0.0);
    };
    LaunchWork crowded = launch;
    crowded.shared = 0;
    out.occupancy_seconds = saved(crowded, units);
    UnitWork alone = units;
    alone.queue_seconds = 0;
    out.queue_seconds = saved(launch, alone);
    const double part = launch.blocks / std::max(target.multiprocessors, 1);
    if (part >= 1 || out.predicted_seconds < most_of_a_launch * target.launch_seconds)
        return;
    LaunchWork spread = launch;
    spread.blocks /= part;
    spread.read_bytes *= part;
    UnitWork parts = units;
    parts.cycles *= part;
    parts.waiting_cycles *= part;
    out.idle_seconds = saved(spread, parts);
}

} // namespace

std::int64_t tensor_bytes(const ir::TensorType& tensor, const SymbolValues& sizes) {
    std::int64_t count = 1;
    for (const ir::ExprRef& extent : tensor.shape)
        count *= access::known_size(extent, sizes).value_or(0);
    const auto dtype = ir::scalar_of(tensor.element);
    return dtype ? std::max<std::int64_t>(ir::packed_bytes(*dtype, count), 0) : 0;
}

BlockNeeds needs_of(const KernelCost& cost) {
    return {.threads = cost.block[0] * cost.block[1] * cost.block[2],
            .static_shared = cost.static_shared,
            .dynamic_shared = cost.dynamic_shared,
            .grid_blocks = cost.grid[0] * cost.grid[1] * cost.grid[2]};
}

void set_occupancy(const artifact::TargetSpec& target, const BlockNeeds& needs, KernelCost& out) {
    out.occupancy = occupancy_of(target, needs);
    out.waves = out.occupancy->waves;
    out.tail = out.waves > 0 ? (std::ceil(out.waves) - out.waves) / std::ceil(out.waves) : 0;
}

KernelCost cost_of(const CostedKernel& of, const artifact::TargetSpec& target,
                   const std::vector<access::Access>& accesses) {
    KernelCost out;
    const artifact::LaunchShape shape = resolve(*of.kernel, *of.sizes).or_else(0);
    out.grid.assign(shape.grid.begin(), shape.grid.end());
    out.block.assign(shape.block.begin(), shape.block.end());
    out.dynamic_shared = shape.dynamic_shared;
    out.static_shared = static_shared_bytes(*of.kernel);
    out.unique_bytes = unique_bytes(of, accesses);
    add_bytes(accesses, out);
    const WorkCount work = count_work(*of.kernel, *of.module, known_parameters(*of.kernel, *of.sizes), *of.sizes);
    add_unknown(of, work, accesses, out);
    RoofedWork roofed = roofed_work(of, shape, work, out);
    if (out.flops && out.unique_bytes > 0)
        out.intensity = *out.flops / out.unique_bytes;
    add_roofs(target, roofed);
    const double threads = static_cast<double>(std::max<std::int64_t>(shape.blocks(), 1) * shape.threads());
    const OperatorWork done{work.main_flops() * threads, roofed.bytes, roofed.uses_matrix_units};
    const UnitWork units = unit_work_of(work, accesses, shape, target, out);
    add_prediction(launch_work_of(shape, out), done, target, units, out);
    if (out.at_least.empty() && shape.blocks() > 0)
        place_under_roof(out.predicted_seconds, roofed);
    out.roofline = roofline_of(roofed, cat(of.kernel->name, "()"), out.predicted_seconds);
    if (!out.at_least.empty() && out.roofline.unknown.empty())
        out.roofline.point.reset(), out.roofline.unknown = out.at_least.front();
    out.of_roof = roofed.roofline;
    set_occupancy(target, needs_of(out), out);
    return out;
}

} // namespace hidet::perf
