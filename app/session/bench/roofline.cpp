// SPDX-License-Identifier: Apache-2.0
#include "app/session/bench/roofline.h"

#include <algorithm>

#include "app/session/bench/bench.h"
#include "lang/base/text.h"

namespace hidet::session {

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

void add_roofs(const artifact::TargetSpec& target, BenchRow& row) {
    const double f32 = target.peak(artifact::Arithmetic::F32);
    row.peak_bytes_per_second = target.bytes_per_second;
    row.roofs = {{RoofKind::Memory, "memory", row.peak_bytes_per_second, target.is_measured},
                 {RoofKind::Arithmetic, "f32", f32, target.is_measured}};
    row.peak_flops = f32;
    if (!row.uses_matrix_units)
        return;
    const auto units = artifact::matrix_arithmetic(row.matrix_type, row.sum_type);
    row.peak_flops = units ? target.peak(*units) : 0;
    if (row.peak_flops > 0)
        row.roofs.push_back(
            {RoofKind::Arithmetic, row.matrix_type + " matrix units", row.peak_flops, target.is_measured});
}

void place_under_roof(BenchRow& row) {
    if (row.peak_bytes_per_second <= 0 || row.times.median <= 0)
        return;
    double memory = row.bytes / row.peak_bytes_per_second;
    double arithmetic = row.flops && row.peak_flops > 0 ? *row.flops / row.peak_flops : 0;
    row.is_memory_bound = memory >= arithmetic;
    row.roofline = std::max(memory, arithmetic) / row.times.median;
}

Roofline roofline_of(const BenchRow& row) {
    Roofline out;
    out.roofs = row.roofs;
    if (row.roofline) {
        out.limits = row.is_memory_bound ? RoofKind::Memory : RoofKind::Arithmetic;
        out.reached = row.roofline;
    }
    if (!row.flops)
        out.unknown = row.flops_unknown.empty() ? "the operations of the call are not known" : row.flops_unknown;
    else if (row.bytes <= 0)
        out.unknown = "the call reads and writes no tensor";
    else if (row.times.median <= 0)
        out.unknown = "the call was not measured";
    else if (*row.flops <= 0)
        out.unknown = "the call makes no operations on floats";
    if (out.unknown.empty())
        out.point = RooflinePoint{cat(row.function, "(", row.shapes, ")"), *row.flops / row.bytes,
                                  *row.flops / row.times.median};
    return out;
}

} // namespace hidet::session
