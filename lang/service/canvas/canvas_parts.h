// SPDX-License-Identifier: Apache-2.0
// What the files of the canvas share.
#pragma once

#include "lang/ast/walk.h"
#include "lang/service/canvas/canvas.h"
#include "lang/service/document.h"

namespace hidet::lang::service {

inline Range text_range(const ast::Node& node) {
    return {node.span.begin, node.span.end};
}

// What the expression shows: by its value, or as an instruction whose operands lanes hold in a fixed way.
std::vector<Pictured> pictured_at(const Document& document, const ast::Expr& expr);
CanvasPicture picture_of(const Pictured& pictured);

// The size of the block whose threads ask a mapping for their tasks, by one of the expressions around it; 0: not known.
std::int64_t threads_that_ask(const Document& document, const std::vector<const ast::Expr*>& around, Range mapping);

// The expression that is assigned to the name, where that happens once; else null.
const ast::Expr* assigned_to(const Document& document, const ast::Name& name);
// Without what asks it: the mapping of mapping.on(worker), the layout of a tensor that is declared, the value of a name.
const ast::Expr* composition_of(const Document& document, const ast::Expr& expr);
std::vector<CanvasFactor> factors_of(const Document& document, const ast::Expr& composition);

} // namespace hidet::lang::service
