// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/split_terms.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "compiler/ir/ops.h"
#include "compiler/schedule/access.h"
#include "compiler/schedule/reducing.h"
#include "compiler/schedule/shared_reduction.h"
#include "compiler/schedule/stages.h"

namespace hidet::graph {

using namespace ir;

namespace {

constexpr std::int64_t fewest_split = 2048; // terms that are worth another launch
constexpr std::int64_t terms_in_part = 8;   // of a lane of a GPU

// The axis is that of the reduction which is divided.
struct Split {
    std::size_t axis = 0;
    std::int64_t parts = 1; // 1: the stage stays one
};

bool mentions_any(const ExprVec& exprs, const VarVec& vars) {
    return std::ranges::any_of(exprs, [&](const ExprRef& expr) {
        return std::ranges::any_of(vars, [&](const VarRef& var) { return depends_on(expr, *var); });
    });
}

std::int64_t product(const std::vector<std::int64_t>& of) {
    return std::accumulate(of.begin(), of.end(), std::int64_t{1}, std::multiplies<>());
}

// How many blocks get a part of each element's terms; one where the block that has them all is fast enough.
std::int64_t parts_of_blocks(const Stage& stage, const artifact::TargetSpec& target, std::int64_t elements,
                             std::int64_t terms) {
    const std::int64_t running = elements * sharing_of(stage, target).lanes;
    const std::int64_t terms_of_lane = terms * elements / std::max<std::int64_t>(running, 1);
    if (running == 0 || terms < fewest_split || terms_of_lane < 2 * terms_in_part)
        return 1;
    return std::max<std::int64_t>(std::min(terms_of_lane / terms_in_part, threads_at_a_time(target) / running), 1);
}

// The first axis that has enough for all cores: its parts lie farthest apart, and what lanes go along stays whole.
Split split_for_cores(const Stage& stage, const artifact::TargetSpec& target, const ir::VarVec& constants,
                      const std::vector<std::int64_t>& extents) {
    const CpuUnits units = units_on_cpu(stage, target, constants);
    if (units.most_parts < 2 || units.count >= target.cores)
        return {};
    const std::int64_t wanted = std::min((target.cores + units.count - 1) / units.count, units.most_parts);
    const auto enough = std::ranges::find_if(extents, [&](std::int64_t extent) { return extent >= 2 * wanted; });
    const auto axis = enough != extents.end() ? enough : std::ranges::max_element(extents);
    return {static_cast<std::size_t>(axis - extents.begin()), std::min(wanted, *axis)};
}

Split split_of(const Stage& stage, const artifact::TargetSpec& target, const ir::VarVec& constants) {
    const auto shape = constant_shape(shape_of(stage.tensor));
    if (!shape || !stage.reduction || is_arg(stage.reduction->op) || mentions_any(stage.reduction->extents, stage.axes))
        return {};
    const auto extents = constant_shape(stage.reduction->extents);
    if (!extents || extents->empty() || product(*shape) == 0 || product(*extents) == 0)
        return {};
    if (target.is_cuda())
        return {0, parts_of_blocks(stage, target, product(*shape), product(*extents))};
    return split_for_cores(stage, target, constants, *extents);
}

// Blocks walk through all terms as one axis.
Stage with_one_axis(const Stage& stage) {
    const VarRef term = index_var("term_index");
    Stage made = stage;
    made.value = value_at(stage, {stage.axes.begin(), stage.axes.end()}, unflatten(term, stage.reduction->extents));
    made.reduction->axes = {term};
    made.reduction->extents = {i64(*constant_int(element_count(stage.reduction->extents)))};
    return made;
}

// The axis in runs of `each`, in order. Parts come first, so that neighbours stay neighbours.
Stage part_of(const Stage& stage, const Split& split) {
    const auto fresh = [](const VarVec& axes) {
        return transformed(axes, [](const VarRef& axis) { return index_var(axis->name); });
    };
    const VarVec axes = fresh(stage.axes), reduced = fresh(stage.reduction->axes);
    const std::int64_t terms = *constant_int(stage.reduction->extents[split.axis]);
    const std::int64_t each = (terms + split.parts - 1) / split.parts;
    const VarRef part = index_var("part");
    const ExprRef first = mul(part, i64(each));
    ExprVec at(reduced.begin(), reduced.end());
    at[split.axis] = add(first, at[split.axis]);
    Stage made = stage;
    made.value = value_at(stage, {axes.begin(), axes.end()}, at);
    made.axes = {part};
    made.axes.insert(made.axes.end(), axes.begin(), axes.end());
    Shape shape = {i64((terms + each - 1) / each)};
    shape.insert(shape.end(), shape_of(stage.tensor).begin(), shape_of(stage.tensor).end());
    made.tensor = make_var(stage.tensor->name + "_parts", tensor_type(data_type(stage.reduction->accumulate), shape));
    made.reduction->axes = reduced;
    made.reduction->extents[split.axis] = terms % each == 0 ? i64(each) : least_of(i64(each), sub(i64(terms), first));
    return made;
}

Stage whole_of(const Stage& parts, Stage stage) {
    const VarRef part = index_var("part");
    ExprVec indices = {part};
    indices.insert(indices.end(), stage.axes.begin(), stage.axes.end());
    stage.value = make_element(parts.tensor, indices);
    stage.reduction->axes = {part};
    stage.reduction->extents = {shape_of(parts.tensor)[0]};
    return stage;
}

} // namespace

std::vector<Stage> split_by_terms(std::vector<Stage> stages, const artifact::TargetSpec& target,
                                  const ir::VarVec& constants) {
    std::vector<Stage> made;
    for (Stage& stage : stages) {
        const Split split = split_of(stage, target, constants);
        if (split.parts == 1) {
            made.push_back(std::move(stage));
            continue;
        }
        made.push_back(part_of(target.is_cuda() ? with_one_axis(stage) : stage, split));
        Stage whole = whole_of(made.back(), std::move(stage));
        made.push_back(std::move(whole));
    }
    return made;
}

} // namespace hidet::graph
