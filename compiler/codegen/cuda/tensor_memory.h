// SPDX-License-Identifier: Apache-2.0
// Tensor memory: spellings, and snippets that a template cannot be, as their registers are many.
#pragma once

#include <optional>

#include "compiler/codegen/text/snippets.h"

namespace hidet::compiler {

void add_tensor_memory_snippets(SnippetTable& snippets);
std::vector<std::string> tensor_memory_function_names();
std::optional<TargetSyntax> tensor_load_syntax(const ir::Intrinsic& call);  // also of stores
std::optional<TargetSyntax> tensor_copy_syntax(const ir::Intrinsic& call);  // from shared memory
std::optional<TargetSyntax> tensor_group_syntax(const ir::Intrinsic& call); // what one block or two do
std::optional<TargetSyntax> tensor_product_syntax(const ir::Intrinsic& call);
std::optional<TargetSyntax> tensor_commit_syntax(const ir::Intrinsic& call);

} // namespace hidet::compiler
