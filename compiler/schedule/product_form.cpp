// SPDX-License-Identifier: Apache-2.0
// Blocks follow the caches (Goto and van de Geijn, 2008): a tile's terms of a few columns stay in the first one, a block of
// rows and one of columns in the second. A tile is as large as the registers hold.
#include "compiler/schedule/product_form.h"

#include <algorithm>
#include <cmath>

#include "compiler/ir/each_node.h"
#include "compiler/ir/ops.h"
#include "compiler/perf/expression_cost.h"
#include "compiler/schedule/access.h"

namespace hidet::graph {

namespace {

constexpr std::int64_t least_rows = 4;
constexpr std::int64_t least_terms = 8;
constexpr double least_products = 1 << 14;
constexpr double parallel_products = 1 << 18; // some ten microseconds
constexpr std::int64_t most_inner = 1024;
constexpr std::int64_t array_bytes = 208 * 1024; // of a block, which is on a thread's stack
constexpr std::int64_t most_block_columns = 512;
constexpr std::int64_t most_block_rows = 192;
constexpr std::int64_t rows_of_part = 96; // that packing a column is worth

std::int64_t round_up(std::int64_t value, std::int64_t to) {
    return (value + to - 1) / to * to;
}
std::int64_t parts_of(std::int64_t value, std::int64_t size) {
    return (value + size - 1) / size;
}

// So many neighbours along the axis have the same value; 0: it is not known.
std::int64_t neighbours_alike(const ir::ExprRef& value, const ir::Var& axis) {
    std::int64_t divisor = 0; // of axis // divisor
    bool is_elsewhere = false;
    ir::each_node(
        value,
        [&](const ir::Binary& expr) {
            const auto by = ir::constant_int(expr.b);
            if (expr.op != ir::BinOp::FloorDiv || expr.a.get() != &axis || !by)
                return true;
            is_elsewhere = is_elsewhere || (divisor != 0 && divisor != *by);
            divisor = *by;
            return false;
        },
        [&](const ir::Var& var) { is_elsewhere = is_elsewhere || &var == &axis; });
    return is_elsewhere ? 0 : divisor;
}

// Which axes are what; false: it is no product.
bool find_axes(const Stage& stage, ProductForm& form) {
    const auto* product = ir::as<ir::Binary>(stage.value);
    const Shape& shape = shape_of(stage.tensor);
    if (!product || product->op != ir::BinOp::Mul || shape.size() < 2)
        return false;
    const ir::Var& last = *stage.axes.back();
    if (depends_on(product->a, last) == depends_on(product->b, last))
        return false;
    const bool is_left = depends_on(product->a, last);
    form.of_columns = is_left ? product->a : product->b;
    form.of_rows = is_left ? product->b : product->a;
    const auto first_without = [&](const ir::ExprRef& factor, std::size_t end) {
        while (end > 0 && !depends_on(factor, *stage.axes[end - 1]))
            --end;
        return end;
    };
    form.first_column = first_without(form.of_rows, shape.size());
    form.first_row = first_without(form.of_columns, form.first_column);
    if (form.first_column == 0 || form.first_row < form.first_column)
        return form.first_row < form.first_column;
    form.group = neighbours_alike(form.of_columns, *stage.axes[form.first_column - 1]);
    form.first_row = form.first_column - 1;
    const auto extent = constant_of(shape[form.first_row]);
    return form.group > 1 && extent && *extent % form.group == 0;
}

std::vector<const ir::Var*> tensors_in(const ir::ExprRef& factor) {
    std::vector<const ir::Var*> found;
    ir::each_node(factor, [&](const ir::TensorElement& expr) { found.push_back(ir::as<ir::Var>(expr.base)); });
    return found;
}

// The constant of which every element stands once in the factor, or nearly so. Who reads both factors from one tensor
// keeps it.
ir::VarRef constant_of_factor(const Stage& stage, const ir::ExprRef& factor, const ir::ExprRef& other,
                              const ir::VarVec& constants) {
    constexpr double most_copies = 1.5;
    const std::vector<const ir::Var*> tensors = tensors_in(factor);
    if (tensors.size() != 1 || std::ranges::count(tensors_in(other), tensors[0]) > 0)
        return nullptr;
    const auto found =
        std::ranges::find_if(constants, [&](const ir::VarRef& each) { return each.get() == tensors[0]; });
    if (found == constants.end() || !constant_shape(stage.reduction->extents))
        return nullptr;
    double elements = perf::estimate(stage.reduction->extents);
    const Shape& shape = shape_of(stage.tensor);
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (depends_on(factor, *stage.axes[i])) {
            if (!constant_of(shape[i]))
                return nullptr;
            elements *= perf::estimate(shape[i]);
        }
    return elements <= most_copies * perf::estimate(shape_of(*found)) ? *found : nullptr;
}

bool choose_terms(const Stage& stage, const artifact::TargetSpec& target, ProductForm& form) {
    const Reduction& reduction = *stage.reduction;
    for (std::size_t i = 1; i < reduction.extents.size(); ++i) {
        const auto extent = constant_of(reduction.extents[i]);
        if (!extent || *extent < 1 || form.inner * *extent > most_inner)
            return false;
        form.inner *= *extent;
    }
    const std::int64_t bytes = form.tile_columns * ir::bytes_of(reduction.accumulate);
    const std::int64_t l1 = target.l1_bytes > 0 ? target.l1_bytes : 32 * 1024;
    const std::int64_t most = std::max<std::int64_t>(l1 / 2 / bytes, 64);
    const auto extent = constant_of(reduction.extents[0]);
    form.is_whole = extent && *extent * form.inner <= most + most / 2;
    if (!extent)
        form.stretch = std::max<std::int64_t>(most / form.inner, 1);
    else
        form.stretch = form.is_whole ? *extent : parts_of(*extent, parts_of(*extent * form.inner, most));
    return !extent || *extent * form.inner >= least_terms;
}

// How many blocks of columns by how many parts of rows the units of parallel work are.
struct Division {
    std::int64_t blocks = 1;
    std::int64_t parts = 1;
};

struct Extents {
    double others = 1; // products
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t most_columns = 0; // of a block
};

std::int64_t columns_of_block(const Extents& extents, std::int64_t blocks, const ProductForm& form) {
    const std::int64_t columns = round_up(parts_of(extents.columns, blocks), form.tile_columns);
    // Rows of an odd number of lines are spread over all sets of the first cache.
    const bool is_even = columns / form.tile_columns % 2 == 0;
    return is_even && columns < extents.most_columns ? columns + form.tile_columns : columns;
}

// Multiply-adds of the core that has most to do, for each term; packing counts as those that it takes the time of. Rows are
// packed element by element, columns by vectors.
double work_of(const Division& division, const Extents& extents, const artifact::TargetSpec& target,
               const ProductForm& form) {
    const std::int64_t rows = round_up(parts_of(extents.rows, division.parts), form.tile_rows);
    const std::int64_t block = columns_of_block(extents, division.blocks, form);
    const std::int64_t columns = std::min(block, round_up(extents.columns, form.tile_columns));
    const auto of_cycle = static_cast<double>(form.tile_columns); // two vectors
    double unit = static_cast<double>(rows * columns);
    if (!form.constant_rows)
        unit += of_cycle * static_cast<double>(rows);
    if (!form.constant_columns)
        unit += of_cycle / 3 * static_cast<double>(columns);
    const double units = extents.others * static_cast<double>(parts_of(extents.rows, rows)) *
                         static_cast<double>(parts_of(extents.columns, block));
    return std::ceil(units / std::max(target.cores, 1)) * unit;
}

// Large units pack least, but there have to be some for each core, and not one more for some of them.
Division divided(const Division& usual, const Extents& extents, const artifact::TargetSpec& target,
                 const ProductForm& form) {
    constexpr double worth_it = 0.9;
    const std::int64_t most = 4 * std::int64_t{std::max(target.cores, 1)};
    Division best = usual;
    double least = worth_it * work_of(usual, extents, target, form);
    const std::int64_t most_blocks = std::min(most, parts_of(extents.columns, form.tile_columns));
    const std::int64_t most_parts = std::min(most, parts_of(extents.rows, form.tile_rows));
    for (std::int64_t blocks = parts_of(extents.columns, extents.most_columns); blocks <= most_blocks; ++blocks)
        for (std::int64_t parts = 1; parts <= most_parts; ++parts) {
            const double work = work_of({blocks, parts}, extents, target, form);
            if (work < least) {
                least = work;
                best = {blocks, parts};
            }
        }
    return best;
}

void choose_blocks(const artifact::TargetSpec& target, double others, const Dim& rows, const Dim& columns, int bytes,
                   ProductForm& form) {
    const std::int64_t row_bytes = form.block_terms() * bytes;
    const std::int64_t wide = std::clamp(array_bytes / row_bytes, form.tile_columns, most_block_columns);
    const std::int64_t most_columns = std::max(wide / form.tile_columns * form.tile_columns, form.tile_columns);
    const std::int64_t cores = std::max(target.cores, 1);
    const auto column_count = constant_of(columns);
    const auto row_count = constant_of(rows);

    Division division{cores, 1};
    if (column_count) {
        division.blocks = parts_of(*column_count, most_columns);
        if (others < 2 && *column_count >= round_up(division.blocks, cores) * 4 * form.tile_columns)
            division.blocks = round_up(division.blocks, cores);
    }
    const double units = others * static_cast<double>(division.blocks);
    const bool is_uneven = units < static_cast<double>(4 * cores) && static_cast<std::int64_t>(units) % cores != 0;
    if (row_count && is_uneven)
        division.parts = std::min(cores, std::max<std::int64_t>(*row_count / rows_of_part, 1));
    const Extents extents{others, row_count.value_or(1), column_count.value_or(most_columns), most_columns};
    if (row_count && column_count && form.is_parallel)
        division = divided(division, extents, target, form);
    form.block_columns = column_count ? columns_of_block(extents, division.blocks, form) : most_columns;

    const std::int64_t tall = std::min(array_bytes / 2 / row_bytes, array_bytes / (form.block_columns * bytes));
    const std::int64_t most_rows =
        std::max(std::min(tall, most_block_rows) / form.tile_rows * form.tile_rows, form.tile_rows);
    if (!row_count) {
        form.block_rows = form.unit_rows = most_rows;
        return;
    }
    const std::int64_t rows_of_unit = parts_of(*row_count, division.parts);
    const std::int64_t row_blocks = parts_of(rows_of_unit, most_rows);
    form.block_rows = round_up(parts_of(rows_of_unit, row_blocks), form.tile_rows);
    form.unit_rows = form.block_rows * row_blocks;
}

// ---- rows in place ------------------------------------------------------------------------------------------------------

constexpr std::int64_t least_run = 8; // terms: less, and the sums are in memory too often
constexpr double most_taps = 64;
constexpr std::int64_t tiles_of_block = 16; // of rows, that take a run of the columns from the second cache
constexpr double rows_of_stream = 4;        // that are computed in the time in which columns come from the third cache
constexpr double tiles_of_read = 0.25; // that are computed in the time in which a row is found and comes from there

bool is_zero(const ir::ExprRef& expr) {
    const auto* constant = ir::as<ir::Constant>(expr);
    const auto* number = constant ? std::get_if<double>(&constant->value) : nullptr;
    return ir::is_constant(expr, 0) || (number && *number == 0);
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
    ir::ExprRef value = factor;
    if (const auto* select = ir::as<ir::Select>(value); select && is_zero(select->b)) {
        rows.inside = select->condition;
        value = select->a;
    }
    const auto* element = ir::as<ir::TensorElement>(value);
    const ir::TensorType* tensor = element ? ir::tensor_of(element->base->type) : nullptr;
    if (!tensor || ir::scalar_of(element->type) != stage.reduction->accumulate)
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

// Who reads a tensor by its address takes no prologue: that is a kernel of its own then, and still computed once.
std::optional<RowsInPlace> rows_in_place(const Stage& stage, const ProductForm& form) {
    const std::size_t last = shape_of(stage.tensor).size() - 1;
    if (!form.constant_columns || form.group || form.first_row != 0 || form.first_column != last ||
        !constant_of(shape_of(stage.tensor)[last]))
        return std::nullopt;
    RowsInPlace rows;
    const ir::TensorElement* element = element_in_place(stage, form.of_rows, rows);
    if (!element)
        return std::nullopt;
    const std::vector<std::size_t> inner = axes_of_run(*stage.reduction, *element, rows);
    return rows.run >= least_run && order_axes(*stage.reduction, inner, rows) ? std::optional(rows) : std::nullopt;
}

// What neighbouring columns read of the rows: each an element of its own, or those of a group the same run.
bool read_by_groups(const Stage& stage, const ir::TensorElement& element, RowsInPlace& rows) {
    const ir::Var& column = *stage.axes.back();
    if (rows.inside && depends_on(rows.inside, column))
        return false;
    if (step_of_element(element, column) == 1) {
        rows.is_by_column = true;
        return order_axes(*stage.reduction, {}, rows);
    }
    rows.group = neighbours_alike(rows.offset, column);
    const std::vector<std::size_t> inner = axes_of_run(*stage.reduction, element, rows);
    return rows.group > 1 && rows.run >= least_run && order_axes(*stage.reduction, inner, rows);
}

// Channels that are convolved for themselves or in groups, and come last: both factors change with the column.
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

// Running sums of so many rows, with two or four vectors of columns, fill the registers.
std::int64_t rows_of_tile(std::int64_t rows, std::int64_t most) {
    constexpr double loads = 0.02; // what a row less costs: columns are loaded for fewer products
    const auto work = [&](std::int64_t tile) {
        return static_cast<double>(round_up(rows, tile)) * (1 + loads * static_cast<double>(most - tile));
    };
    std::int64_t best = most;
    for (std::int64_t tile = most - 1; tile >= 4; --tile)
        if (work(tile) < work(best))
            best = tile;
    return best;
}

// Few units take least of the columns from far away; each core has as much to do as the others.
void choose_units(const artifact::TargetSpec& target, const Dim& rows, std::int64_t columns, ProductForm& form) {
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
            const double streams = rows_of_stream * static_cast<double>(parts_of(tall, tiles_of_block));
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
    form.block_rows = parts_of(tall, parts_of(tall, tiles_of_block)) * form.tile_rows;
}

// Two or four vectors. Where columns are read as well as computed, no tile may reach beyond the last one, nor beyond its group
// where groups read other rows: 0 where each would.
std::int64_t columns_of_tile(const ProductForm& form, std::int64_t columns, std::int64_t vector, std::int64_t most) {
    const RowsInPlace& rows = *form.in_place;
    if (!rows.is_by_column && !rows.group)
        return columns > 2 * vector ? most : 2 * vector;
    for (std::int64_t tile = most; tile >= vector && tile > 2; tile /= 2)
        if (rows.group ? rows.group % tile == 0 : columns % (tile / 2) == 0)
            return tile;
    return 0;
}

bool choose_tiles_in_place(const artifact::TargetSpec& target, const Dim& rows, std::int64_t columns,
                           std::int64_t vector, ProductForm& form) {
    const bool has_many_registers = target.vector_bytes >= 64;
    form.tile_rows = rows_of_tile(constant_of(rows).value_or(1024), has_many_registers ? 7 : 6);
    form.tile_columns = columns_of_tile(form, columns, vector, (has_many_registers ? 4 : 2) * vector);
    if (form.tile_columns > 0)
        choose_units(target, rows, columns, form);
    return form.tile_columns > 0;
}

} // namespace

std::optional<ProductForm> product_form(const Stage& stage, const artifact::TargetSpec& target,
                                        const ir::VarVec& constants) {
    ProductForm form;
    if (!stage.reduction || stage.reduction->op != ReduceOp::Sum || stage.reduction->extents.empty())
        return std::nullopt;
    const Reduction& reduction = *stage.reduction;
    if (reduction.accumulate != ir::DType::F32 && reduction.accumulate != ir::DType::F64)
        return std::nullopt;
    for (const ir::ExprRef& extent : reduction.extents)
        for (const ir::VarRef& axis : stage.axes)
            if (depends_on(extent, *axis))
                return std::nullopt;
    std::optional<ProductForm> by_groups = form_by_groups(stage, constants);
    if (by_groups)
        form = std::move(*by_groups);
    else if (!find_axes(stage, form))
        return std::nullopt;

    const Shape& shape = shape_of(stage.tensor);
    const auto at = [&](std::size_t axis) { return shape.begin() + static_cast<std::ptrdiff_t>(axis); };
    const Dim columns = simplified(element_count(Shape(at(form.first_column), shape.end())));
    const Dim rows =
        form.group ? dim(form.group) : simplified(element_count(Shape(at(form.first_row), at(form.first_column))));
    const int bytes = ir::bytes_of(reduction.accumulate);
    const std::int64_t vector = std::max(target.vector_bytes / bytes, 1);
    const auto row_count = constant_of(rows);
    const auto column_count = constant_of(columns);
    if ((row_count && *row_count < least_rows) || (column_count && *column_count < vector))
        return std::nullopt;
    form.tile_rows = std::min<std::int64_t>(target.vector_bytes >= 64 ? 12 : 6, row_count.value_or(64));
    form.tile_columns = 2 * vector;
    const double products = perf::estimate(shape) * perf::estimate(reduction.extents);
    if (products < least_products)
        return std::nullopt;
    form.is_parallel = !constant_shape(shape) || products >= parallel_products;
    if (!by_groups) {
        form.constant_rows = constant_of_factor(stage, form.of_rows, form.of_columns, constants);
        form.constant_columns = constant_of_factor(stage, form.of_columns, form.of_rows, constants);
        form.in_place = rows_in_place(stage, form);
    }
    if (form.in_place && choose_tiles_in_place(target, rows, *column_count, vector, form))
        return form;
    if (by_groups)
        return std::nullopt;
    if (!choose_terms(stage, target, form))
        return std::nullopt;
    const double others = perf::estimate(shape) / std::max(perf::estimate(rows) * perf::estimate(columns), 1.0);
    choose_blocks(target, others, rows, columns, bytes, form);
    return form;
}

} // namespace hidet::graph
