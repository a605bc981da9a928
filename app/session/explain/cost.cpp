// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/cost.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "app/session/explain/pipes.h"
#include "app/session/forms/maker.h"
#include "app/session/kernel_bench/figures.h"
#include "compiler/analysis/parameter_accesses.h"
#include "compiler/analysis/work.h"
#include "compiler/ir/packing.h"
#include "compiler/ir/rewrite.h"
#include "compiler/tune/predict.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace access = compiler::access;

namespace {

constexpr double most_of_a_launch = 10; // times its start: in a kernel that takes less, nobody gains by more blocks

constexpr double barrier_cycles = 30; // until the threads of a block that wait for each other go on

artifact::LaunchShape::Extents extents_of(const ir::ExprVec& exprs, const SymbolValues& sizes) {
    artifact::LaunchShape::Extents out{1, 1, 1};
    for (std::size_t d = 0; d < std::min<std::size_t>(exprs.size(), 3); ++d)
        out[d] = access::known_size(exprs[d], sizes).value_or(0);
    return out;
}

artifact::LaunchShape launch_shape_of(const ir::Function& kernel, const SymbolValues& sizes) {
    artifact::LaunchShape out;
    out.grid = extents_of(kernel.grid_dim, sizes);
    out.block = extents_of(kernel.block_dim, sizes);
    out.cluster = kernel.cluster_dim.empty() ? out.cluster : extents_of(kernel.cluster_dim, sizes);
    if (kernel.dynamic_smem_bytes)
        out.dynamic_shared = access::known_size(kernel.dynamic_smem_bytes, sizes).value_or(0);
    return out;
}

class SharedBytes : public ir::Walker {
public:
    std::int64_t bytes = 0;

protected:
    using Walker::visit;
    void visit(const ir::DeclareStmt& stmt) override {
        if (stmt.scope == ir::Scope::Shared)
            bytes += std::max<std::int64_t>(ir::size_in_bytes(stmt.var->type), 0);
        walk_children(stmt);
    }
};

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

void add_bytes(const std::vector<access::Access>& accesses, CostView& out) {
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

compiler::WorkCount work_of(const CostedKernel& of) {
    compiler::KnownValues known;
    for (const ir::VarRef& param : of.kernel->params)
        if (const auto size = of.sizes->find(param->name); size != of.sizes->end())
            known[param.get()] = size->second;
    return compiler::count_work(*of.kernel, *of.module, known, *of.sizes);
}

std::string at_line(const std::string& what, const Span& span, const SourceMap& sources) {
    const int line = place_of(span, sources).line;
    return line > 0 ? cat(what, " in line ", line) : what;
}

// What counts once, or not at all.
void add_unknown(const CostedKernel& of, const compiler::WorkCount& work, const std::vector<access::Access>& accesses,
                 CostView& out) {
    for (const compiler::UnknownWork& unknown : work.unknown)
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

BenchRow bench_row_of(const CostedKernel& of, const artifact::LaunchShape& shape, const compiler::WorkCount& work,
                      CostView& out) {
    BenchRow row;
    row.function = of.kernel->name;
    row.bytes = out.unique_bytes;
    out.flops_at_most = work.is_upper_bound;
    out.flops_sampled = work.is_sampled;
    row.uses_matrix_units = work.matrix_flops > work.flops;
    row.matrix_type = work.matrix_type;
    row.sum_type = work.sum_type ? ir::info(*work.sum_type).short_name : "";
    if (!work.unknown.empty())
        row.flops_unknown = at_line(work.unknown.front().what, work.unknown.front().span, *of.sources);
    else if (shape.blocks() <= 0)
        row.flops_unknown = "the grid is not known";
    else
        row.flops = (row.uses_matrix_units ? work.matrix_flops : work.flops) *
                    static_cast<double>(shape.blocks() * shape.threads());
    out.flops = row.flops;
    out.flops_unknown = row.flops_unknown;
    return row;
}

// Updates of the word that most want, a request of a warp after the other.
double queue_seconds(const access::Access& of, const CostView& cost, const artifact::TargetSpec& target) {
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

tune::UnitWork unit_work_of(const compiler::WorkCount& work, const std::vector<access::Access>& accesses,
                            const artifact::LaunchShape& shape, const artifact::TargetSpec& target, CostView& out) {
    PipeWork pipes = pipe_work(work, static_cast<double>(shape.threads()));
    tune::UnitWork units{.waiting_cycles = work.barriers * barrier_cycles};
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

tune::LaunchWork launch_work_of(const artifact::LaunchShape& shape, const CostView& cost) {
    tune::LaunchWork out;
    out.blocks = static_cast<double>(std::max<std::int64_t>(shape.blocks(), 1));
    out.threads = static_cast<double>(std::max<std::int64_t>(shape.threads(), 1));
    out.cluster = static_cast<double>(std::max<std::int64_t>(shape.cluster_blocks(), 1));
    out.shared = static_cast<double>(cost.static_shared + cost.dynamic_shared);
    out.read_bytes = std::max(cost.sector_bytes, cost.unique_bytes) / out.blocks;
    return out;
}

void add_prediction(const tune::LaunchWork& launch, const tune::OperatorWork& work, const artifact::TargetSpec& target,
                    const tune::UnitWork& units, CostView& out) {
    out.predicted_seconds = tune::predict(launch, work, target, units);
    const auto saved = [&](const tune::LaunchWork& other, const tune::UnitWork& of) {
        return std::max(out.predicted_seconds - tune::predict(other, work, target, of), 0.0);
    };
    tune::LaunchWork crowded = launch;
    crowded.shared = 0;
    out.occupancy_seconds = saved(crowded, units);
    tune::UnitWork alone = units;
    alone.queue_seconds = 0;
    out.queue_seconds = saved(launch, alone);
    const double part = launch.blocks / std::max(target.multiprocessors, 1);
    if (part >= 1 || out.predicted_seconds < most_of_a_launch * target.launch_seconds)
        return;
    tune::LaunchWork spread = launch;
    spread.blocks /= part;
    spread.read_bytes *= part;
    tune::UnitWork parts = units;
    parts.cycles *= part;
    parts.waiting_cycles *= part;
    out.idle_seconds = saved(spread, parts);
}

void add_occupancy(const artifact::TargetSpec& target, CostView& out) {
    out.occupancy = occupancy_of(target, needs_of(out));
    out.waves = out.occupancy->waves;
    out.tail = out.waves > 0 ? (std::ceil(out.waves) - out.waves) / std::ceil(out.waves) : 0;
}

} // namespace

std::int64_t tensor_bytes(const ir::TensorType& tensor, const SymbolValues& sizes) {
    std::int64_t count = 1;
    for (const ir::ExprRef& extent : tensor.shape)
        count *= access::known_size(extent, sizes).value_or(0);
    const auto dtype = ir::scalar_of(tensor.element);
    return dtype ? std::max<std::int64_t>(ir::packed_bytes(*dtype, count), 0) : 0;
}

std::string flops_text(const CostView& cost) {
    if (!cost.flops)
        return cat("not known: ", cost.flops_unknown);
    return cat(cost.flops_at_most ? "at most " : "", cost.flops_sampled ? "about " : "", si_text(*cost.flops, "FLOP"));
}

std::string predicted_text(const CostView& cost) {
    if (std::ranges::count(cost.grid, 0) > 0)
        return "not known: the sizes of the grid are not";
    const std::string time = time_text(cost.predicted_seconds);
    if (!cost.at_least.empty())
        return cat("at least ", time, ": ", at_least_text(cost.at_least));
    return cost.of_roof ? cat(time, ", ", percent_text(*cost.of_roof), " of the roof") : time;
}

std::string at_least_text(const std::vector<std::string>& what) {
    const bool are_several = what.size() > 1;
    return cat("how much ", join(what, are_several && what.size() == 2 ? " and " : ", "), " add",
               are_several ? "" : "s", " is not known");
}

BlockNeeds needs_of(const CostView& cost) {
    BlockNeeds needs;
    needs.threads = cost.block[0] * cost.block[1] * cost.block[2];
    needs.static_shared = cost.static_shared;
    needs.dynamic_shared = cost.dynamic_shared;
    needs.grid_blocks = cost.grid[0] * cost.grid[1] * cost.grid[2];
    if (cost.facts) {
        needs.registers = cost.facts->registers;
        needs.static_shared = cost.facts->static_shared_bytes;
        needs.barriers = cost.facts->barriers;
    }
    return needs;
}

CostView cost_of(const CostedKernel& of, const artifact::TargetSpec& target,
                 const std::vector<access::Access>& accesses) {
    CostView out;
    const artifact::LaunchShape shape = launch_shape_of(*of.kernel, *of.sizes);
    out.grid.assign(shape.grid.begin(), shape.grid.end());
    out.block.assign(shape.block.begin(), shape.block.end());
    out.dynamic_shared = shape.dynamic_shared;
    SharedBytes shared;
    shared.walk(of.kernel->body);
    out.static_shared = shared.bytes;
    out.unique_bytes = unique_bytes(of, accesses);
    add_bytes(accesses, out);
    const compiler::WorkCount work = work_of(of);
    add_unknown(of, work, accesses, out);
    BenchRow row = bench_row_of(of, shape, work, out);
    if (out.flops && out.unique_bytes > 0)
        out.intensity = *out.flops / out.unique_bytes;
    add_roofs(target, row);
    const double threads = static_cast<double>(std::max<std::int64_t>(shape.blocks(), 1) * shape.threads());
    const tune::OperatorWork done{(row.uses_matrix_units ? work.matrix_flops : work.flops) * threads, row.bytes,
                                  row.uses_matrix_units};
    const tune::UnitWork units = unit_work_of(work, accesses, shape, target, out);
    add_prediction(launch_work_of(shape, out), done, target, units, out);
    row.times.median = out.predicted_seconds;
    if (out.at_least.empty() && shape.blocks() > 0)
        place_under_roof(row);
    out.roofline = roofline_of(row);
    if (!out.at_least.empty() && out.roofline.unknown.empty())
        out.roofline.point.reset(), out.roofline.unknown = out.at_least.front();
    out.of_roof = row.roofline;
    out.facts_unknown = "there is no compiler";
    add_occupancy(target, out);
    return out;
}

void add_facts(const KernelFacts& facts, const artifact::TargetSpec& target, CostView& cost) {
    cost.facts = facts;
    cost.facts_unknown.clear();
    add_occupancy(target, cost);
}

void add_machine_code(Work& work, const PreviewRequest& request, const ir::ModuleRef& script,
                      const ir::Function& kernel, const SymbolValues& sizes, CostView& cost) {
    RunRequest run;
    run.tools = request.tools;
    run.contracts = request.contracts;
    run.cancelled = request.cancelled;
    Callable callable;
    callable.module = script;
    const artifact::TargetSpec target = target_of(request, *script);
    const std::vector<KernelView> kernels =
        figures_of(work, run, callable, target, {{kernel.name, launch_shape_of(kernel, sizes), 1}});
    if (kernels.empty())
        return;
    cost.facts = kernels.front().facts;
    cost.facts_unknown = kernels.front().unavailable;
    add_occupancy(target, cost);
}

} // namespace hidet::session
