// SPDX-License-Identifier: Apache-2.0
// Intrinsics that are one instruction of PTX: a function around it, made from the row of the intrinsic.
#pragma once

#include "compiler/codegen/text/snippets.h"

namespace hidet::compiler {

void add_ptx_snippets(SnippetTable& snippets);
std::vector<std::string> ptx_function_names();      // those that the snippets declare
TargetSyntax ptx_syntax(const ir::Intrinsic& call); // of a row of HIDET_CUDA_PTX

} // namespace hidet::compiler
