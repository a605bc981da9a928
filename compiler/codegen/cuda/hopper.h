// SPDX-License-Identifier: Apache-2.0
// Copies of the copy unit and products of warp groups: spellings, and snippets that a template cannot be.
#pragma once

#include <optional>

#include "compiler/codegen/text/snippets.h"

namespace hidet::compiler {

void add_hopper_snippets(SnippetTable& snippets);
std::vector<std::string> hopper_function_names();
std::optional<TargetSyntax> load_syntax(const ir::Intrinsic& call); // to shared memory
std::optional<TargetSyntax> tensor_store_syntax(const ir::Intrinsic& call);
std::optional<TargetSyntax> bulk_reduce_syntax(const ir::Intrinsic& call);
std::optional<TargetSyntax> bulk_copy_syntax(const ir::Intrinsic& call); // the others
std::optional<TargetSyntax> wgmma_syntax(const ir::Intrinsic& call);

} // namespace hidet::compiler
