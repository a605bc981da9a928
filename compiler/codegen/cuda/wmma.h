// SPDX-License-Identifier: Apache-2.0
// The instructions wmma: target syntax and snippets.
#pragma once

#include <optional>

#include "compiler/codegen/text/snippets.h"

namespace hidet::compiler {

void add_wmma_snippets(SnippetTable& snippets);
std::vector<std::string> wmma_function_names();
std::optional<TargetSyntax> wmma_syntax(const ir::Intrinsic& call);

} // namespace hidet::compiler
