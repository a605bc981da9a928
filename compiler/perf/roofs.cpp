// SPDX-License-Identifier: Apache-2.0
#include "compiler/perf/roofs.h"

#include <algorithm>

namespace hidet::perf {

constexpr double cache_bytes_per_cycle = 64; // that a multiprocessor gets from the second-level cache

static double highest(const std::vector<Roof>& roofs, RoofKind kind) {
    double rate = 0;
    for (const Roof& roof : roofs)
        if (roof.kind == kind)
            rate = std::max(rate, roof.rate);
    return rate;
}

std::optional<double> attainable(const std::vector<Roof>& roofs, double intensity) {
    double memory = highest(roofs, RoofKind::Memory), arithmetic = highest(roofs, RoofKind::Arithmetic);
    if (memory <= 0 || arithmetic <= 0 || intensity < 0)
        return std::nullopt;
    return std::min(memory * intensity, arithmetic);
}

DeviceRoofs roofs_of(const artifact::TargetSpec& target) {
    const bool is_known = target.peak(artifact::Arithmetic::F32) > 0 && target.bytes_per_second > 0;
    const artifact::TargetSpec& usual = target.is_cuda() ? artifact::default_gpu() : artifact::default_cpu();
    const artifact::TargetSpec& used = is_known ? target : usual;
    const auto matrix = artifact::matrix_arithmetic("f16", "f32");
    return {.name = used.name,
            .flops = used.peak(artifact::Arithmetic::F32),
            .matrix_flops = matrix ? used.peak(*matrix) : 0,
            .bytes_per_second = used.bytes_per_second,
            .launch_seconds = used.launch_seconds,
            .is_measured = used.is_measured,
            .cache_bytes = static_cast<double>(used.is_cuda() ? used.l2_bytes : used.l3_bytes),
            .cache_bytes_per_second = used.multiprocessors * cache_bytes_per_cycle * used.clock_mhz * 1e6};
}

const char* bound_name(Bound bound) {
    switch (bound) {
    case Bound::Memory: return "memory";
    case Bound::Arithmetic: return "arithmetic";
    case Bound::Launches: return "launches";
    }
    return "";
}

static double seconds_at(double rate, double amount) {
    return rate > 0 ? amount / rate : 0;
}

double cached_share(const DeviceRoofs& roofs, double touched) {
    return touched > roofs.cache_bytes ? roofs.cache_bytes / touched : 1;
}

static double peak_of(const DeviceRoofs& roofs, Factors factors) {
    switch (factors) {
    case Factors::Plain: return roofs.flops;
    case Factors::Tf32: return std::max(roofs.flops, roofs.matrix_flops / 2);
    case Factors::Half: return std::max(roofs.flops, roofs.matrix_flops);
    }
    return roofs.flops;
}

LeastTime least_time(const DeviceRoofs& roofs, const Need& need) {
    const double memory = seconds_at(roofs.bytes_per_second, need.bytes - std::min(need.cached, need.bytes));
    const LeastTime all[] = {{std::max(memory, seconds_at(roofs.cache_bytes_per_second, need.bytes)), Bound::Memory},
                             {seconds_at(peak_of(roofs, need.factors), need.flops), Bound::Arithmetic},
                             {static_cast<double>(need.launches) * roofs.launch_seconds, Bound::Launches}};
    return *std::ranges::max_element(all, {}, &LeastTime::seconds);
}

double moving_seconds(double bytes, const artifact::TargetSpec& target) {
    return target.launch_seconds + seconds_at(target.bytes_per_second, bytes);
}

void add_work(const WorkCount& work, double times, RoofedWork& out) {
    out.flops_at_most = work.is_upper_bound;
    out.uses_matrix_units = work.uses_matrix_units();
    out.matrix_type = work.matrix_type;
    out.sum_type = work.sum_type_name();
    if (work.unknown.empty())
        out.flops = work.main_flops() * times;
    else
        out.flops_unknown = work.unknown.front().what;
}

void add_roofs(const artifact::TargetSpec& target, RoofedWork& out) {
    const double f32 = target.peak(artifact::Arithmetic::F32);
    out.peak_bytes_per_second = target.bytes_per_second;
    out.roofs = {{RoofKind::Memory, "memory", out.peak_bytes_per_second, target.is_measured},
                 {RoofKind::Arithmetic, "f32", f32, target.is_measured}};
    out.peak_flops = f32;
    if (!out.uses_matrix_units)
        return;
    const auto units = artifact::matrix_arithmetic(out.matrix_type, out.sum_type);
    out.peak_flops = units ? target.peak(*units) : 0;
    if (out.peak_flops > 0)
        out.roofs.push_back(
            {RoofKind::Arithmetic, out.matrix_type + " matrix units", out.peak_flops, target.is_measured});
}

void place_under_roof(double seconds, RoofedWork& out) {
    if (out.peak_bytes_per_second <= 0 || seconds <= 0)
        return;
    const DeviceRoofs peaks{.flops = out.peak_flops, .bytes_per_second = out.peak_bytes_per_second};
    const LeastTime least = least_time(peaks, {out.flops.value_or(0), out.bytes});
    out.is_memory_bound = least.bound == Bound::Memory;
    out.roofline = least.seconds / seconds;
}

Roofline roofline_of(const RoofedWork& work, const std::string& label, double seconds) {
    Roofline out;
    out.roofs = work.roofs;
    if (work.roofline) {
        out.limits = work.is_memory_bound ? RoofKind::Memory : RoofKind::Arithmetic;
        out.reached = work.roofline;
    }
    if (!work.flops)
        out.unknown = work.flops_unknown.empty() ? "the operations of the call are not known" : work.flops_unknown;
    else if (work.bytes <= 0)
        out.unknown = "the call reads and writes no tensor";
    else if (seconds <= 0)
        out.unknown = "the call was not measured";
    else if (*work.flops <= 0)
        out.unknown = "the call makes no operations on floats";
    if (out.unknown.empty())
        out.point = RooflinePoint{label, *work.flops / work.bytes, *work.flops / seconds};
    return out;
}

} // namespace hidet::perf
