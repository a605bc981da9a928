// SPDX-License-Identifier: Apache-2.0
// A sum of products as a product of matrices: which axes of the result are its rows, which its columns, and in which blocks
// a CPU computes it.
#pragma once

#include <optional>

#include "compiler/schedule/kernel.h"

namespace hidet::graph {

// Neighbours along the last axis of rows, and the last of the taps, which they read at a constant distance.
struct ByColumn {
    std::int64_t step = 0, tap_step = 0; // elements
    ir::ExprRef inside; // what the place along the line and the tap say of RowsInPlace::inside; null: nothing
};

inline constexpr std::int64_t bytes_at_once = 4; // terms of each column, which are neighbours

// Rows that are read where they lie: their terms are runs of neighbours in memory.
struct RowsInPlace {
    const ir::Var* tensor = nullptr;
    ir::ExprRef offset; // of the first term of a run, in elements
    ir::ExprRef inside; // where this is false, all terms of a run are `outside`; null: nowhere
    std::int64_t outside = 0;
    std::int64_t run = 1;
    std::optional<ByColumn> by_column; // neighbours are columns instead: a term is one element for each of them
    std::int64_t group = 0; // so many neighbouring columns read the same run, others another one; 0: all of them
    std::vector<std::size_t> order; // of the axes of the reduction: the first ones count runs, the others are inside
    std::size_t taps = 0;           // those that count runs
};

struct ProductForm {
    // The factors: one changes with the rows and not with the columns, the other with the columns and not with the rows.
    ir::ExprRef of_rows;
    ir::ExprRef of_columns;

    // Axes of the result: before first_row there is a product for each, then rows, from first_column on columns.
    std::size_t first_row = 0;
    std::size_t first_column = 0;
    std::int64_t group = 0; // of the only axis of rows: so many neighbours share their columns; 0: all of them

    // The constant that alone makes a factor, whose elements wait in the order in which tiles take them; null: the kernel
    // packs the factor.
    ir::VarRef constant_rows;
    ir::VarRef constant_columns;

    // Unsigned bytes by the constant's signed ones, four terms at once, in int32; else sums of floats. Only in place.
    bool is_of_bytes = false;
    std::optional<RowsInPlace> in_place; // then the columns are constant_columns, and a block of terms is a run

    // Elements.
    std::int64_t lanes = 1;     // of a vector
    std::int64_t tile_rows = 1; // running sums in registers
    std::int64_t tile_columns = 1;
    std::int64_t block_rows = 1; // packed at once
    std::int64_t block_columns = 1;
    // Of a unit of parallel work, whose columns are a block's: a multiple of block_rows, or lines of rows by column.
    std::int64_t unit_rows = 1;
    std::int64_t stretch = 1; // of the first axis of the reduction: a block of terms
    std::int64_t inner = 1;   // terms for each element of that axis
    bool is_whole = true;     // all terms are one block
    bool is_parallel = false;

    std::int64_t block_terms() const { return stretch * inner; }
};

// Nothing: it is no product, or too small to be worth packing.
std::optional<ProductForm> product_form(const Stage& stage, const artifact::TargetSpec& target,
                                        const ir::VarVec& constants);

ScheduledKernel product_kernel(KernelFrame& frame, const ProductForm& form, const std::string& name);
ScheduledKernel by_column_product_kernel(KernelFrame& frame, const ProductForm& form, const std::string& name);
ScheduledKernel in_place_product_kernel(KernelFrame& frame, const ProductForm& form, const std::string& name);

} // namespace hidet::graph
