// SPDX-License-Identifier: Apache-2.0
// Zeros around the input of a convolution are conditional expressions in its terms, which keep lanes from being loaded as
// vectors. They are evaluated once for all rows of a tile and kept beside each other, so that the sums themselves stay
// products of vectors.
#pragma once

#include "compiler/ir/expr.h"

namespace hidet::graph {

// Conditional loads in the value whose condition asks where the lane is; outermost ones, in order.
ir::ExprVec guarded_parts(const ir::ExprRef& value, const ir::VarRef& lane);
// What a part's condition asks wherever the lane is, and what it asks of the lane. Null: nothing that is the same for all.
struct SplitCondition {
    ir::ExprRef common;
    ir::ExprRef by_lane;
};
SplitCondition split_condition(const ir::ExprRef& condition, const ir::Var& lane);
// The value with others in their places.
ir::ExprRef with_parts(const ir::ExprRef& value, const ir::VarRef& lane, const ir::ExprVec& parts);

} // namespace hidet::graph
