// SPDX-License-Identifier: Apache-2.0
// ldg, stg, lds and sts: one instruction for 128 bits and fewer, several for more.
#pragma once

#include <optional>

#include "compiler/codegen/text/snippets.h"

namespace hidet::compiler {

void add_wide_access_snippets(SnippetTable& snippets);
std::vector<std::string> wide_access_function_names();
std::optional<TargetSyntax> wide_access_syntax(const ir::Intrinsic& call);

} // namespace hidet::compiler
