// SPDX-License-Identifier: Apache-2.0
// Statements out of host values. Failures are diagnostics at the span.
#pragma once

#include "lang/script/operations.h"

namespace hidet::lang {

ir::StmtRef to_stmt(const Value& value, Span span,
                    int depth = 0); // a statement, an expression that acts, or a list of them
ir::VarRef to_var(const Value& value, Span span);
ir::ExprRef to_condition(const Value& value, Span span);
ir::LoopAttr loop_attr(const Value& value, Span span); // "u+", ForStmtAttr(...), or None
ir::MappingRef mapping_argument(const Value& value, std::size_t rank, Span span);

ir::StmtRef declaration(Evaluator& evaluator, const ir::VarRef& var, const Value& init, Span init_span,
                        const Value& scope, bool is_static, Span call);
ir::StmtRef for_loop(const ir::VarRef& var, const ir::ExprRef& extent, ir::LoopAttr attr, ir::StmtRef body, Span call);

} // namespace hidet::lang
