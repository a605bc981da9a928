// SPDX-License-Identifier: Apache-2.0
// The functions of rules.def, and what they share.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/graph/passes/rewrite.h"

namespace hidet::graph {

#define HIDET_REWRITE(function, name, roots, is_on, summary) bool function(Rewriting& rewriting, NodeId root);
#define HIDET_RESOLVE(function, name, roots, is_on, summary) bool function(Rewriting& rewriting, NodeId root);
#include "compiler/graph/passes/rules/rules.def"
#undef HIDET_REWRITE
#undef HIDET_RESOLVE

// A binary operator with one operand that is a constant.
struct ConstantOperand {
    ValueId x;
    ValueId constant;
    bool is_left = false; // the constant is
};
std::optional<ConstantOperand> constant_operand(const Rewriting& rewriting, NodeId node);

// The constant along one dimension of the other operand, as extents of 1 everywhere else: which dimension, counted in a
// result of this rank. Nothing when it varies along several. A constant of one element goes along none: -1.
std::optional<std::int64_t> dimension_of(const Shape& constant, std::size_t rank);

// Constants that someone adds so that sums round to whole numbers are larger than this.
bool is_ordinary_addend(const lang::Tensor& constant);
bool is_finite(const lang::Tensor& tensor);

// With the leading one that is not stored; 0 of integers and of floats of a byte.
int significand_bits(ir::DType dtype);

// The value itself where it has the shape.
ValueId reshaped_to(Rewriting& rewriting, ValueId value, const Shape& shape);

bool is_contraction(const Rewriting& rewriting, NodeId node);
// Whether a reshape leaves the last two dimensions as they are.
bool keeps_matrices(const Shape& from, const Shape& to);
bool same_attributes(const Rewriting& rewriting, NodeId a, NodeId b);
Ints dims_attribute(const Rewriting& rewriting, NodeId node, std::string_view name); // sorted, not negative

} // namespace hidet::graph
