// SPDX-License-Identifier: Apache-2.0
// Which products read their rows where they lie, and in which tiles: those with a constant matrix whose terms are neighbours in
// memory, alone or for each tap of a convolution, and those whose neighbours are columns.
#include <algorithm>

#include "compiler/ir/ops.h"
#include "compiler/perf/expression_cost.h"
#include "compiler/schedule/access.h"
#include "compiler/schedule/guards.h"
#include "compiler/schedule/product_form_parts.h"

namespace hidet::graph {

namespace {

constexpr std::int64_t least_run = 8; // terms: less, and the sums are in memory too often
constexpr double most_taps = 64;
// Columns that the widest vectors have, and half of them: whether a tensor's address is taken decides what is fused, which is to be
// the same on every machine.
constexpr std::int64_t widest_vector = 16, half_vector = 8;
constexpr std::int64_t tiles_of_block = 32; // of rows, that take a run of the columns from the second cache
constexpr std::int64_t tiles_of_bytes = 12; // whose sums are in the first one: a run takes a quarter of the time
constexpr double rows_of_stream = 4;        // that are computed in the time in which columns come from the third cache
constexpr double tiles_of_read = 0.25; // that are computed in the time in which a row is found and comes from there

bool is_zero(const ir::ExprRef& expr) {
    const auto* constant = ir::as<ir::Constant>(expr);
    const auto* number = constant ? std::get_if<double>(&constant->value) : nullptr;
    return ir::is_constant(expr, 0) || (number && *number == 0);
}

// The value before a cast of integers, if that is one of this type.
const ir::ExprRef* widened(const ir::ExprRef& factor, ir::DType from) {
    const auto* cast = ir::as<ir::Cast>(factor);
    return cast && ir::scalar_of(cast->a->type) == from ? &cast->a : nullptr;
}

// The axes of the reduction that are inside of a run, the innermost one last, and how many terms it has.
std::vector<std::size_t> axes_of_run(const Reduction& reduction, const ir::TensorElement& element, RowsInPlace& rows) {
    std::vector<std::size_t> inner;
    rows.run = 1;
    for (bool is_longer = true; is_longer;) {
        is_longer = false;
        for (std::size_t i = 0; i < reduction.axes.size() && !is_longer; ++i) {
            const ir::Var& axis = *reduction.axes[i];
            const auto extent = constant_of(reduction.extents[i]);
            is_longer = extent && *extent > 1 && step_of_element(element, axis) == rows.run &&
                        std::ranges::find(inner, i) == inner.end() && !(rows.inside && depends_on(rows.inside, axis));
            if (!is_longer)
                continue;
            inner.insert(inner.begin(), i);
            rows.run *= *extent;
        }
    }
    return inner;
}

// The tensor that a factor reads, zeros around it aside.
const ir::TensorElement* element_in_place(const Stage& stage, const ir::ExprRef& factor, RowsInPlace& rows) {
    const ir::ExprRef* bytes = widened(factor, ir::DType::U8);
    ir::ExprRef value = bytes ? *bytes : factor;
    const auto* select = ir::as<ir::Select>(value);
    const auto outside = select && bytes ? ir::constant_int(select->b) : std::nullopt;
    if (select && (outside || is_zero(select->b))) {
        rows.inside = select->condition;
        rows.outside = outside.value_or(0);
        value = select->a;
    }
    const auto* element = ir::as<ir::TensorElement>(value);
    const ir::TensorType* tensor = element ? ir::tensor_of(element->base->type) : nullptr;
    if (!tensor || ir::scalar_of(element->type) != (bytes ? ir::DType::U8 : stage.reduction->accumulate))
        return nullptr;
    rows.tensor = ir::as<ir::Var>(element->base);
    rows.offset = ir::cast_to(ir::flatten(element->indices, tensor->shape), ir::DType::I64);
    return rows.tensor ? element : nullptr;
}

// The axes that are not inside of a run count them.
bool order_axes(const Reduction& reduction, const std::vector<std::size_t>& inner, RowsInPlace& rows) {
    double taps = 1;
    for (std::size_t i = 0; i < reduction.axes.size(); ++i)
        if (std::ranges::find(inner, i) == inner.end()) {
            if (!constant_of(reduction.extents[i]))
                return false;
            rows.order.push_back(i);
            taps *= perf::estimate(reduction.extents[i]);
        }
    rows.taps = rows.order.size();
    rows.order.insert(rows.order.end(), inner.begin(), inner.end());
    return taps <= most_taps;
}

} // namespace

bool is_product_of_bytes(const Stage& stage, const ProductForm& form) {
    return stage.reduction->accumulate == ir::DType::I32 && widened(form.of_rows, ir::DType::U8) &&
           widened(form.of_columns, ir::DType::I8);
}

std::optional<RowsInPlace> rows_in_place(const Stage& stage, const ProductForm& form) {
    const std::size_t last = shape_of(stage.tensor).size() - 1;
    if (!form.constant_columns || form.group || form.first_row != 0 || form.first_column != last ||
        constant_of(shape_of(stage.tensor)[last]).value_or(0) < widest_vector)
        return std::nullopt;
    RowsInPlace rows;
    const ir::TensorElement* element = element_in_place(stage, form.of_rows, rows);
    if (!element)
        return std::nullopt;
    const std::vector<std::size_t> inner = axes_of_run(*stage.reduction, *element, rows);
    if (form.is_of_bytes &&
        (inner.empty() || *constant_of(stage.reduction->extents[inner.back()]) % bytes_at_once != 0))
        return std::nullopt;
    return rows.run >= least_run && order_axes(*stage.reduction, inner, rows) ? std::optional(rows) : std::nullopt;
}

namespace {

bool is_linear(const ir::ExprRef& condition, const ir::Var& x, const ir::Var& tap) {
    const auto* binary = ir::as<ir::Binary>(condition);
    if (binary && binary->op == ir::BinOp::And)
        return is_linear(binary->a, x, tap) && is_linear(binary->b, x, tap);
    if (!binary || !ir::is_comparison(binary->op) || binary->op == ir::BinOp::Eq || binary->op == ir::BinOp::Ne)
        return false;
    return step_of(binary->a, x) && step_of(binary->b, x) && step_of(binary->a, tap) && step_of(binary->b, tap);
}

// Where the last axis of rows reads at a constant distance, and one axis of taps alone says with it what is in the padding.
bool read_by_lines(const Stage& stage, const ir::TensorElement& element, RowsInPlace& rows) {
    const ir::VarVec& taps = stage.reduction->axes;
    const ir::Var& x = *stage.axes[stage.axes.size() - 2];
    const SplitCondition inside = rows.inside ? split_condition(rows.inside, x) : SplitCondition{};
    const auto asked = [&](const ir::ExprRef& condition, std::size_t i) {
        return condition && depends_on(condition, *taps[i]);
    };
    std::vector<std::size_t> outer, along;
    for (std::size_t i = 0; i < taps.size(); ++i)
        (asked(inside.by_lane, i) ? along : outer).push_back(i);
    if (along.empty() && !outer.empty()) {
        along = {outer.back()};
        outer.pop_back();
    }
    if (along.size() != 1 || asked(inside.common, along[0]))
        return false;
    const ir::Var& tap = *taps[along[0]];
    const auto step = step_of_element(element, x), tap_step = step_of_element(element, tap);
    const bool is_known = constant_of(stage.reduction->extents[along[0]]).has_value();
    const bool is_of_line = !inside.by_lane || is_linear(inside.by_lane, x, tap);
    if (!step || !tap_step || !is_known || !is_of_line || !order_axes(*stage.reduction, along, rows))
        return false;
    rows.taps = taps.size();
    rows.by_column = {.step = *step, .tap_step = *tap_step, .inside = inside.by_lane};
    rows.inside = inside.common;
    return true;
}

// What neighbouring columns read of the rows: each an element of its own, or those of a group the same run.
bool read_by_groups(const Stage& stage, const ir::TensorElement& element, RowsInPlace& rows) {
    const ir::Var& column = *stage.axes.back();
    if (rows.inside && depends_on(rows.inside, column))
        return false;
    if (step_of_element(element, column) == 1)
        return *constant_of(shape_of(stage.tensor).back()) % half_vector == 0 && read_by_lines(stage, element, rows);
    rows.group = neighbours_alike(rows.offset, column);
    const std::vector<std::size_t> inner = axes_of_run(*stage.reduction, element, rows);
    return rows.group > 1 && rows.group % widest_vector == 0 && rows.run >= least_run &&
           order_axes(*stage.reduction, inner, rows);
}

} // namespace

std::optional<ProductForm> form_by_groups(const Stage& stage, const ir::VarVec& constants) {
    const auto* product = ir::as<ir::Binary>(stage.value);
    const Shape& shape = shape_of(stage.tensor);
    if (!product || product->op != ir::BinOp::Mul || shape.size() < 2 || !constant_of(shape.back()))
        return std::nullopt;
    const ir::Var& column = *stage.axes.back();
    for (const bool is_left : {true, false}) {
        ProductForm form;
        form.of_rows = is_left ? product->a : product->b;
        form.of_columns = is_left ? product->b : product->a;
        form.first_column = shape.size() - 1;
        form.constant_columns = constant_of_factor(stage, form.of_columns, form.of_rows, constants);
        const bool is_for_all_rows = std::all_of(stage.axes.begin(), stage.axes.end() - 1, [&](const ir::VarRef& axis) {
            return !depends_on(form.of_columns, *axis);
        });
        RowsInPlace rows;
        const ir::TensorElement* element = element_in_place(stage, form.of_rows, rows);
        if (!form.constant_columns || !is_for_all_rows || !depends_on(form.of_columns, column) || !element ||
            !depends_on(rows.offset, column) || !read_by_groups(stage, *element, rows))
            continue;
        form.in_place = std::move(rows);
        return form;
    }
    return std::nullopt;
}

namespace {

// Running sums of so many rows, with two or four vectors of columns, fill the registers.
std::int64_t best_tile_rows(std::int64_t rows, std::int64_t most) {
    constexpr double loads = 0.02; // what a row less costs: columns are loaded for fewer products
    const auto work = [&](std::int64_t tile) {
        return static_cast<double>(round_up(rows, tile)) * (1 + loads * static_cast<double>(most - tile));
    };
    std::int64_t best = most;
    for (std::int64_t tile = most - 1; tile >= std::min<std::int64_t>(rows, 4); --tile)
        if (work(tile) < work(best))
            best = tile;
    return best;
}

// Few units take least of the columns from far away; each core has as much to do as the others.
void choose_units(const artifact::TargetSpec& target, const Dim& rows, std::int64_t columns, ProductForm& form) {
    const std::int64_t most_tiles = form.is_of_bytes ? tiles_of_bytes : tiles_of_block;
    const std::int64_t row_count = constant_of(rows).value_or(1024);
    const std::int64_t row_tiles = parts_of(row_count, form.tile_rows);
    const std::int64_t column_tiles = parts_of(columns, form.tile_columns);
    const std::int64_t cores = form.is_parallel ? std::max(target.cores, 1) : 1;
    double least = 0;
    Division best;
    for (std::int64_t parts = 1; parts <= std::min(4 * cores, row_tiles); ++parts)
        for (std::int64_t blocks = 1; blocks <= std::min(4 * cores, column_tiles); ++blocks) {
            const std::int64_t tall = parts_of(row_tiles, parts), wide = parts_of(column_tiles, blocks);
            const std::int64_t units = parts_of(row_tiles, tall) * parts_of(column_tiles, wide);
            const double streams = rows_of_stream * static_cast<double>(parts_of(tall, most_tiles));
            const double computed = static_cast<double>(wide) + tiles_of_read;
            const double unit =
                computed * static_cast<double>(tall * form.tile_rows) + static_cast<double>(wide) * streams;
            const double work = static_cast<double>(parts_of(units, cores)) * unit;
            if (least == 0 || work < 0.99 * least) {
                least = work;
                best = {blocks, parts};
            }
        }
    const std::int64_t tall = parts_of(row_tiles, best.parts);
    form.block_columns = parts_of(column_tiles, best.blocks) * form.tile_columns;
    form.unit_rows = tall * form.tile_rows;
    form.block_rows = parts_of(tall, parts_of(tall, most_tiles)) * form.tile_rows;
}

// Lines are enough for all cores, or columns are divided, too.
void choose_units_of_lines(const artifact::TargetSpec& target, const Shape& shape, std::int64_t columns,
                           ProductForm& form) {
    const Dim lines = simplified(element_count(Shape(shape.begin(), shape.end() - 2)));
    const std::int64_t line_count = constant_of(lines).value_or(1024),
                       column_tiles = parts_of(columns, form.tile_columns);
    const std::int64_t wanted = form.is_parallel && target.cores > 1 ? 4 * target.cores : 1;
    const std::int64_t parts = std::min(wanted, line_count), blocks = std::min(parts_of(wanted, parts), column_tiles);
    form.block_columns = parts_of(column_tiles, blocks) * form.tile_columns;
    form.unit_rows = parts_of(line_count, parts);
}

// Two or four vectors. Where columns are read as well as computed, no tile may reach beyond the last one, nor beyond its group
// where groups read other rows: 0 where each would.
std::int64_t best_tile_columns(const ProductForm& form, std::int64_t columns, std::int64_t vector, std::int64_t most) {
    const RowsInPlace& rows = *form.in_place;
    if (!rows.by_column && !rows.group)
        return columns > 2 * vector ? most : 2 * vector;
    for (std::int64_t tile = most; tile >= vector && tile > 2; tile /= 2)
        if (rows.group ? rows.group % tile == 0 : columns % (tile / 2) == 0)
            return tile;
    return 0;
}

} // namespace

bool choose_tiles_in_place(const artifact::TargetSpec& target, const Stage& stage, std::int64_t columns,
                           std::int64_t vector, ProductForm& form) {
    // A vector of bytes of a row takes registers of its own, two of them and of each of the columns where there is no instruction for it.
    const bool has_many_registers = target.vector_bytes >= 64;
    const std::int64_t most_rows = form.is_of_bytes ? (has_many_registers ? 6 : 4) : (has_many_registers ? 7 : 6);
    form.tile_columns = best_tile_columns(form, columns, vector, (has_many_registers ? 4 : 2) * vector);
    if (form.tile_columns == 0)
        return false;
    const Shape& shape = shape_of(stage.tensor);
    if (auto& by_column = form.in_place->by_column) {
        const std::int64_t taps = *constant_of(stage.reduction->extents[form.in_place->order.back()]);
        const std::int64_t ends = by_column->inside ? taps - 1 : 0; // of a line, where taps are in the padding
        const std::int64_t line = constant_of(shape[shape.size() - 2]).value_or(1024);
        form.tile_rows = best_tile_rows(std::max<std::int64_t>(line - ends, 1), most_rows);
        choose_units_of_lines(target, shape, columns, form);
        return true;
    }
    const Dim rows = simplified(element_count(Shape(shape.begin(), shape.end() - 1)));
    form.tile_rows = best_tile_rows(constant_of(rows).value_or(1024), most_rows);
    choose_units(target, rows, columns, form);
    return true;
}

} // namespace hidet::graph
