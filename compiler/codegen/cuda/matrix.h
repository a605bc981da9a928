// SPDX-License-Identifier: Apache-2.0
// ldmatrix and mma.sync: spellings, and snippets that a template cannot be, as their operands are many.
#pragma once

#include <optional>

#include "compiler/codegen/text/snippets.h"

namespace hidet::compiler {

void add_matrix_snippets(SnippetTable& snippets);
std::vector<std::string> matrix_function_names();
std::optional<Spelling> spell_ldmatrix(const ir::Intrinsic& call);
std::optional<Spelling> spell_mma(const ir::Intrinsic& call);

} // namespace hidet::compiler
