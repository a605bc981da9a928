// SPDX-License-Identifier: Apache-2.0
// ldmatrix and mma.sync: target syntax, and snippets that a template cannot be, as their operands are many.
#pragma once

#include <optional>

#include "compiler/codegen/text/snippets.h"

namespace hidet::compiler {

void add_matrix_snippets(SnippetTable& snippets);
std::vector<std::string> matrix_function_names();
std::optional<TargetSyntax> matrices_syntax(const ir::Intrinsic& call);
std::optional<TargetSyntax> mma_syntax(const ir::Intrinsic& call);

} // namespace hidet::compiler
