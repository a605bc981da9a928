// SPDX-License-Identifier: Apache-2.0
// What most passes share: going through the functions of a module and leaving alone what does not change.
#pragma once

#include <functional>

#include "compiler/analysis/uses.h"
#include "compiler/transform/pass.h"

namespace hidet::compiler {

// The module with each function mapped; the same module when no function changed. A function mapped to null is dropped.
ir::ModuleRef map_functions(const ir::ModuleRef& module,
                            const std::function<ir::FunctionRef(const ir::FunctionRef&)>& map);
ir::ModuleRef with_functions(const ir::ModuleRef& module, std::vector<ir::FunctionRef> functions);
ir::FunctionRef with_body(const ir::FunctionRef& function, ir::StmtRef body);

ir::StmtVec statements_of(const ir::StmtRef& body); // of a sequence all, else the one; none of null

inline constexpr const char* axis_names[] = {"x", "y", "z"}; // of grids, clusters and blocks

// Evaluating it where the program did not ask for it might trap: a division by something that may be 0, a shift by a count
// that may be too large. Loads are not asked about: see effect_of().
bool may_fail(const ir::ExprRef& expr);

// Nobody can tell whether it was evaluated: no effects, and no load, which the emulator would check.
bool can_forget(const ir::ExprRef& expr);

// `what` as an expression that may be evaluated any number of times anywhere in the scope of `stmts`: itself if it always
// has the same value, else a let of that name appended to `stmts`.
ir::ExprRef evaluated_once(const ir::ExprRef& what, const Uses& uses, const std::string& name, ir::StmtVec& stmts);

} // namespace hidet::compiler
