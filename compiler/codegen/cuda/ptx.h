// SPDX-License-Identifier: Apache-2.0
// Intrinsics that are one instruction of PTX: a function around it, made from the row of the intrinsic.
#pragma once

#include "compiler/codegen/text/snippets.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::compiler {

// All values of the attributes of a row, as they are spelled.
std::vector<std::vector<std::string>> all_words(const ir::IntrinsicInfo& info);

void add_ptx_snippets(SnippetTable& snippets);
std::vector<std::string> ptx_function_names();      // those that the snippets declare
TargetSyntax ptx_syntax(const ir::Intrinsic& call); // of a row of HIDET_CUDA_PTX

} // namespace hidet::compiler
