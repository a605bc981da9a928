// SPDX-License-Identifier: Apache-2.0
// Blocks follow the caches (Goto and van de Geijn, 2008): a tile's terms of a few columns stay in the first one, a block of
// rows and one of columns in the second. A tile is as large as the registers hold.
#include "compiler/schedule/product_form_parts.h"

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
constexpr double slow_products =
    4; // times the time: a row alone waits for all of its columns, a channel for itself for its window
constexpr std::int64_t most_inner = 1024;
constexpr std::int64_t array_bytes = 208 * 1024; // of a block, which is on a thread's stack
constexpr std::int64_t most_block_columns = 512;
constexpr std::int64_t most_block_rows = 192;
constexpr std::int64_t rows_of_part = 96; // that packing a column is worth

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

} // namespace

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

static std::vector<const ir::Var*> tensors_in(const ir::ExprRef& factor) {
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

std::optional<ProductForm> product_form(const Stage& stage, const artifact::TargetSpec& target,
                                        const ir::VarVec& constants) {
    ProductForm form;
    if (!stage.reduction || stage.reduction->op != ReduceOp::Sum || stage.reduction->extents.empty())
        return std::nullopt;
    const Reduction& reduction = *stage.reduction;
    const bool is_of_integers = reduction.accumulate == ir::DType::I32;
    if (!is_of_integers && reduction.accumulate != ir::DType::F32 && reduction.accumulate != ir::DType::F64)
        return std::nullopt;
    for (const ir::ExprRef& extent : reduction.extents)
        for (const ir::VarRef& axis : stage.axes)
            if (depends_on(extent, *axis))
                return std::nullopt;
    std::optional<ProductForm> by_groups = is_of_integers ? std::nullopt : form_by_groups(stage, constants);
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
    const bool has_few_rows = row_count && *row_count < least_rows; // packing costs more than it saves
    if (column_count && *column_count < vector)
        return std::nullopt;
    form.tile_rows = std::min<std::int64_t>(target.vector_bytes >= 64 ? 12 : 6, row_count.value_or(64));
    form.tile_columns = 2 * vector;
    form.lanes = vector;
    const double products = perf::estimate(shape) * perf::estimate(reduction.extents);
    if (products < least_products)
        return std::nullopt;
    if (!by_groups) {
        form.constant_rows = constant_of_factor(stage, form.of_rows, form.of_columns, constants);
        form.constant_columns = constant_of_factor(stage, form.of_columns, form.of_rows, constants);
        form.is_of_bytes = is_product_of_bytes(stage, form);
        form.in_place = is_of_integers && !form.is_of_bytes ? std::nullopt : rows_in_place(stage, form);
    }
    const bool is_slow = has_few_rows || (form.in_place && form.in_place->by_column);
    form.is_parallel = !constant_shape(shape) || products * (is_slow ? slow_products : 1) >= parallel_products;
    if (form.in_place && choose_tiles_in_place(target, stage, *column_count, vector, form))
        return form;
    if (by_groups || has_few_rows || is_of_integers)
        return std::nullopt;
    if (!choose_terms(stage, target, form))
        return std::nullopt;
    const double others = perf::estimate(shape) / std::max(perf::estimate(rows) * perf::estimate(columns), 1.0);
    choose_blocks(target, others, rows, columns, bytes, form);
    return form;
}

} // namespace hidet::graph
