// SPDX-License-Identifier: Apache-2.0
// What reductions compute, as expressions on a running value. A NaN among the terms is the result of Max and Min.
#pragma once

#include <functional>

#include "compiler/graph/core/task.h"
#include "compiler/ir/stmt.h"

namespace hidet::graph {

bool is_arg(ReduceOp op);
ir::ExprRef neutral_of(ReduceOp op, ir::DType dtype);
ir::ExprRef combined(ReduceOp op, const ir::ExprRef& running, const ir::ExprRef& term);
// The statement that combines a term with the running value and keeps the result. Names the term where it is used twice, and of And
// and Or, so that it is read whatever the running value is: reads that wait for each other are slow.
ir::StmtRef reduce_term(ReduceOp op, const ir::ExprRef& term, const ir::ExprRef& running,
                        const std::function<ir::StmtRef(const ir::ExprRef&)>& keep);
// Is the term at a later index what an arg reduction takes instead of the best one before?
ir::ExprRef is_better(const Reduction& reduction, const ir::ExprRef& term, const ir::ExprRef& best);
// Of an arg reduction: the statement that takes the term at `index` for the best one where it is, or where there is none yet, which
// a `where` below 0 says.
ir::StmtRef take_if_better(const Reduction& reduction, const ir::ExprRef& value, const ir::ExprRef& index,
                           const ir::VarRef& best, const ir::VarRef& where);

} // namespace hidet::graph
