// SPDX-License-Identifier: Apache-2.0
// Text to syntax tree. The only header of the parser that others include; ANTLR stays behind it.
#pragma once

#include "lang/ast/ast.h"
#include "lang/base/diagnostic.h"
#include "lang/base/source.h"

namespace hidet::lang {

// Never throws and always returns a tree: what could not be read is an ErrorStmt or ErrorExpr, reported to the sink.
// Any bytes are accepted as input; limits (size, nesting) are checked before the parser runs.
ast::Module parse(const SourceMap& sources, FileId file, DiagnosticSink& sink);

} // namespace hidet::lang
