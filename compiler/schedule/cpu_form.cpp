// SPDX-License-Identifier: Apache-2.0
// Lanes go where memory is contiguous: along the last axis of the result if the operands are, too, else along an axis of
// the reduction. Rows of a tile share the operands that do not depend on the row, which the lanes then read once for all
// of them: that is what makes a product of matrices limited by arithmetic and not by loads.
#include "compiler/schedule/cpu_form.h"

#include <algorithm>

#include "compiler/perf/expression_cost.h"
#include "compiler/schedule/access.h"
#include "compiler/schedule/reducing.h"

namespace hidet::graph {

namespace {

constexpr std::int64_t vectors_of_lanes = 4; // a few, so that additions need not wait for each other
constexpr std::int64_t rows_of_tile = 4;
constexpr std::int64_t elements_of_chunk = 2048;
constexpr double units_of_core = 8;     // of parallel work, so that no core waits long for the last one
constexpr double enough_work = 1 << 15; // some tens of microseconds

bool any_depends_on(const ir::ExprVec& exprs, const ir::Var& var) {
    return std::ranges::any_of(exprs, [&](const ir::ExprRef& expr) { return depends_on(expr, var); });
}

bool is_long(const Dim& extent, std::int64_t least) {
    const auto constant = constant_of(extent);
    return !constant || *constant >= least;
}

std::int64_t at_most(std::int64_t width, const Dim& extent) {
    const auto constant = constant_of(extent);
    return constant ? std::max<std::int64_t>(std::min(width, *constant), 1) : width;
}

// The best axis of the reduction to have lanes: contiguous in most operands, then the longest.
std::size_t best_reduced(const Stage& stage) {
    const Reduction& reduction = *stage.reduction;
    std::size_t best = reduction.axes.size() - 1;
    const auto rank = [&](std::size_t i) {
        const bool is_short = !is_long(reduction.extents[i], 4);
        return std::pair(walk_of(stage.value, *reduction.axes[i]).far + (is_short ? 100 : 0),
                         -perf::estimate(reduction.extents[i]));
    };
    for (std::size_t i = reduction.axes.size(); i-- > 0;)
        if (rank(i) < rank(best))
            best = i;
    return best;
}

void choose_lanes(const Stage& stage, const artifact::TargetSpec& target, CpuForm& form) {
    const Shape& shape = shape_of(stage.tensor);
    const std::int64_t width =
        vectors_of_lanes * target.vector_bytes /
        std::max(ir::bytes_of(stage.reduction ? stage.reduction->accumulate : dtype_of(stage.tensor)), 1);
    if (!stage.reduction) {
        form.lanes = shape.empty() ? Lanes::None : Lanes::Output;
        return;
    }
    const Reduction& reduction = *stage.reduction;
    if (is_arg(reduction.op) || reduction.axes.empty())
        return;
    const bool output_may = !shape.empty() && !any_depends_on(reduction.extents, *stage.axes.back());
    form.reduced = best_reduced(stage);
    const Walk along_reduced = walk_of(stage.value, *reduction.axes[form.reduced]);
    const int far_of_output = output_may ? walk_of(stage.value, *stage.axes.back()).far : 0;
    const bool reduced_is_better =
        far_of_output > along_reduced.far || !is_long(shape.empty() ? dim(1) : shape.back(), 4);
    if (output_may && (!reduced_is_better || !is_long(reduction.extents[form.reduced], 4))) {
        form.lanes = Lanes::Output;
        form.width = at_most(width, shape.back());
    } else {
        form.lanes = Lanes::Reduced;
        form.width = at_most(width, reduction.extents[form.reduced]);
    }
}

// The axis whose rows share most.
void choose_rows(const Stage& stage, CpuForm& form) {
    if (!stage.reduction || form.lanes == Lanes::None)
        return;
    const Shape& shape = shape_of(stage.tensor);
    const std::size_t free_axes = shape.size() - (form.lanes == Lanes::Output ? 1 : 0);
    const ir::Var& lane = form.lanes == Lanes::Output ? *stage.axes.back() : *stage.reduction->axes[form.reduced];
    int most_shared = 0;
    for (std::size_t i = 0; i < free_axes; ++i) {
        const ir::Var& axis = *stage.axes[i];
        const int shared = shared_by_rows(stage.value, axis, lane);
        if (shared < std::max(most_shared, 1) || !is_long(shape[i], 2) ||
            any_depends_on(stage.reduction->extents, axis))
            continue;
        most_shared = shared;
        form.tiled = i;
        form.rows = at_most(rows_of_tile, shape[i]);
    }
}

} // namespace

CpuForm cpu_form(const Stage& stage, const artifact::TargetSpec& target) {
    CpuForm form;
    choose_lanes(stage, target, form);
    choose_rows(stage, form);
    const Shape& shape = shape_of(stage.tensor);
    const double terms = stage.reduction ? perf::estimate(stage.reduction->extents) : 1;
    const bool is_known = constant_shape(shape).has_value();
    form.is_parallel = !is_known || perf::estimate(shape) * terms * (1 + perf::cost_of(stage.value)) > enough_work;
    if (!form.is_parallel || form.lanes != Lanes::Output)
        return form;
    const double others = perf::estimate(ir::ExprVec(shape.begin(), shape.end() - 1)) / static_cast<double>(form.rows);
    const std::int64_t chunk = stage.reduction ? form.width * 4 : elements_of_chunk;
    if (others < units_of_core * target.cores && is_long(shape.back(), 2 * chunk))
        form.chunk = chunk;
    return form;
}

} // namespace hidet::graph
