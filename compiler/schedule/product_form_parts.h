// SPDX-License-Identifier: Apache-2.0
// What the forms of products have in common; those whose rows are read in place have a file of their own.
#pragma once

#include <optional>

#include "compiler/schedule/product_form.h"

namespace hidet::graph {

inline std::int64_t round_up(std::int64_t value, std::int64_t to) {
    return (value + to - 1) / to * to;
}
inline std::int64_t parts_of(std::int64_t value, std::int64_t size) {
    return (value + size - 1) / size;
}

// How many blocks of columns by how many parts of rows the units of parallel work are.
struct Division {
    std::int64_t blocks = 1;
    std::int64_t parts = 1;
};

// So many neighbours along the axis have the same value; 0: it is not known.
std::int64_t neighbours_alike(const ir::ExprRef& value, const ir::Var& axis);
// The constant of which every element stands once in the factor, or nearly so. Who reads both factors from one tensor
// keeps it.
ir::VarRef constant_of_factor(const Stage& stage, const ir::ExprRef& factor, const ir::ExprRef& other,
                              const ir::VarVec& constants);

bool is_product_of_bytes(const Stage& stage, const ProductForm& form);
// Who reads a tensor by its address takes no prologue: that is a kernel of its own then, and still computed once.
std::optional<RowsInPlace> rows_in_place(const Stage& stage, const ProductForm& form);
// Channels that are convolved for themselves or in groups, and come last: both factors change with the column.
std::optional<ProductForm> form_by_groups(const Stage& stage, const ir::VarVec& constants);
// False: no tile fits the columns.
bool choose_tiles_in_place(const artifact::TargetSpec& target, const Stage& stage, std::int64_t columns,
                           std::int64_t vector, ProductForm& form);

} // namespace hidet::graph
