// SPDX-License-Identifier: Apache-2.0
// What the kernels of products have in common: which axes of the result and of the reduction are what, and how a constant
// factor is packed.
#pragma once

#include "compiler/schedule/kernel.h"
#include "compiler/schedule/product_form.h"

namespace hidet::graph {

enum class Factor : std::uint8_t { Rows, Columns };

Dim count_of(const ir::ExprVec& extents);
// The place in these extents; those of 1 take no division.
ir::ExprVec place_of(const ir::ExprRef& linear, const ir::ExprVec& extents);
ir::TypeRef matrix(ir::DType dtype, std::int64_t rows, std::int64_t columns);
ir::ExprRef zero(ir::DType dtype);
std::string half_of(const std::string& callee); // the name of the function for half a tile of columns
// An i64 variable with the value, declared by a statement that is appended.
ir::VarRef let(const char* name, const ir::ExprRef& value, ir::StmtVec& stmts);
ir::ExprVec named(const char* name, ir::ExprVec values, ir::StmtVec& stmts); // but for constants
ir::ExprRef ceil_div_by(const ir::ExprRef& value, const ir::ExprRef& by);
ir::ExprRef address_of(const ir::VarRef& tensor, ir::ExprVec indices);

struct ProductAxes {
    ProductAxes(KernelFrame& frame, const ProductForm& form);

    ir::ExprVec of(const ir::ExprVec& other, const ir::ExprVec& row, const ir::ExprVec& line,
                   const ir::ExprRef& column) const;
    bool has_half() const; // whether the last columns may fit into half a tile
    // Tiles of columns, each by the place of its first one and the function that computes it, which is another one for half a tile.
    ir::StmtRef each_tile(const ir::ExprRef& columns, const std::string& callee,
                          const std::function<ir::StmtRef(const ir::ExprRef&, const std::string&)>& body) const;
    // From this column on what is in line `at` of the sums of a tile: all of it, or as many columns as are left.
    ir::StmtRef write_line(const ir::ExprVec& row, const ir::ExprRef& column, const ir::ExprRef& left,
                           const ir::VarRef& sums, const ir::ExprRef& at) const;
    // Of constants: [other axes that the factor moves along][tiles][axes of the reduction][of a tile].
    bool moves_along(const ir::ExprRef& factor, std::size_t other) const;
    Task packing(const ir::ExprRef& factor, const ir::VarRef& constant, Factor which) const;

    KernelFrame& frame;
    const ProductForm& form;
    const ir::DType sum = frame.stage().reduction->accumulate;
    ir::ExprVec others, rows, lines; // extents
    ir::ExprRef row_count, line_extent, column_count;
    ir::ExprVec extents; // of the reduction
};

} // namespace hidet::graph
